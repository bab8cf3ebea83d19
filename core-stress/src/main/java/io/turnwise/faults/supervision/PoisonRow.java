package io.turnwise.faults.supervision;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.Context;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Numbered;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Streams;
import io.turnwise.faults.trial.Trial;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.observation.DeadLetterReason;
import io.turnwise.observation.SystemSnapshot;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.PoisonMessage;
import io.turnwise.supervision.RestartLimit;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorRequest;
import io.turnwise.supervision.SupervisorSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * F3: one message in a thousand fails whenever it is handled. It is handled as often as its
 * recipient's spec says and no more, at its place among the others; then it is a dead letter, and
 * the listener is told why. The restarts are exactly as many as that makes, which the supervisor's
 * limit allows; with one more it gives up.
 */
public final class PoisonRow implements Row {
  private static final int SENDERS = 2;
  private static final int MOST_TRIES = 4;

  /** With each number of tries, one with a bounded mailbox and one without. */
  private static final int EATERS = 2 * MOST_TRIES;

  private static final long UNDER_WAY = 20_000;
  private static final int ONE_IN = 1_000;

  @Override
  public String id() {
    return "F3";
  }

  @Override
  public String what() {
    return "messages that always fail";
  }

  @Override
  public String run(Trial trial) throws Exception {
    long messages = trial.sized(160_000, 10_000_000);
    for (int workers : trial.workerCounts())
      trial.say(workers + " workers: " + new Table(trial, messages).serve(workers));
    return String.format(Locale.ROOT, "%,d messages, 1 in %,d", messages, ONE_IN);
  }

  private record Dish(Numbered number, boolean poisoned) {}

  private static final class Poison extends RuntimeException {
    private static final long serialVersionUID = 1L;
    final transient Numbered number;

    Poison(Numbered number) {
      super("poison", null, false, false);
      this.number = number;
    }
  }

  /** One run. */
  private static final class Table {
    private final Books books = new Books();
    private final Trial trial;
    private final List<Seat> seats = new ArrayList<>();
    private final LongAdder attempts = new LongAdder();
    private final LongAdder told = new LongAdder();
    private final AtomicInteger supervisorLives = new AtomicInteger();
    private final long poisonsEach;
    private final long messages;

    Table(Trial trial, long messages) {
      this.trial = trial;
      this.poisonsEach = messages / ONE_IN / EATERS / SENDERS * SENDERS;
      this.messages = messages;
      for (int i = 0; i < EATERS; i++) seats.add(new Seat(books, 1 + i / 2, i % 2 == 1));
    }

    private long restarts() {
      return seats.stream().mapToLong(seat -> seat.tries * poisonsEach).sum();
    }

    String serve(int workers) throws InterruptedException {
      SplittableRandom random = trial.random();
      try (var system =
          ActorSystem.open(
              "poison", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(120)))) {
        start(system);
        List<Thread> senders = new ArrayList<>();
        for (int i = 0; i < SENDERS; i++) {
          int number = i;
          SplittableRandom own = random.split();
          senders.add(Thread.ofPlatform().daemon().start(() -> send(number, own)));
        }
        for (Thread sender : senders) sender.join();
        books.awaitQuiet(system, trial.sized(300, 3_600));
        books.awaitBalance(system);
        check(system);
        oneMore(system);
      }
      return restarts() + " restarts; " + books;
    }

    private void start(ActorSystem system) {
      List<ChildSpec<?>> children = new ArrayList<>();
      for (int i = 0; i < EATERS; i++) children.add(seats.get(i).spec("e" + i, attempts));
      SupervisorSpec own =
          SupervisorSpec.oneForOne()
              .withChildren(children)
              .withLimit(RestartLimit.of((int) restarts()))
              .withPoisonListener(this::note);
      ActorSpec<SupervisorRequest> plain = own.asActor();
      ActorSpec<SupervisorRequest> counted =
          ActorSpec.of(
              () -> {
                supervisorLives.incrementAndGet();
                return plain.factory().get();
              });
      Supervisor.start(
          system,
          "top",
          SupervisorSpec.oneForOne()
              .withLimit(RestartLimit.NONE)
              .withChild(ChildSpec.of("table", counted)));
      for (int i = 0; i < EATERS; i++) {
        String path = "top/table/e" + i;
        await(() -> system.find(path).isPresent(), "there is no " + path);
        seats.get(i).find(system, path);
      }
    }

    /** The runtime tells of a message that failed too often. Its own thread. */
    private void note(PoisonMessage poison) {
      told.increment();
      Seat seat =
          seats.stream().filter(s -> s.ref() == poison.recipient()).findFirst().orElseThrow();
      boolean fits =
          poison.message() instanceof Dish(Numbered number, boolean poisoned)
              && poisoned
              && poison.cause() instanceof Poison cause
              && cause.number.equals(number);
      if (!fits || poison.tries() != seat.tries)
        books.violation("told of " + poison + ", which may be tried " + seat.tries + " times");
    }

    /** As many poisons to each, at random places among the others. */
    private void send(int sender, SplittableRandom random) {
      long own = messages / SENDERS;
      long poisons = poisonsEach / SENDERS * EATERS;
      long block = own / poisons;
      for (long i = 0; i < poisons; i++) {
        long at = random.nextLong(block);
        for (long j = 0; j < block; j++) {
          boolean poisoned = j == at;
          int to = poisoned ? (int) (i % EATERS) : random.nextInt(EATERS);
          offer(seats.get(to), sender, poisoned);
        }
        while (books.accepted() - done() > UNDER_WAY) LockSupport.parkNanos(100_000);
      }
    }

    private void offer(Seat seat, int sender, boolean poisoned) {
      books.offered.increment();
      seat.ref().cast(new Dish(new Numbered(sender, seat.sent[sender]++), poisoned));
    }

    private long done() {
      return books.handled.sum() + books.failed.sum() + told.sum();
    }

    private void check(ActorSystem system) {
      SystemSnapshot end = system.snapshot();
      long dead = poisonsEach * (EATERS - 2); // those that are tried once are just failures
      if (end.deadLetters().getOrDefault(DeadLetterReason.POISON, 0L) != dead
          || end.deadLettersTotal() != dead)
        throw new Broken(dead + " poisons, but the dead letters are " + end.deadLetters());
      await(() -> told.sum() >= dead, "the listener was told of " + told + ", not of " + dead);
      if (told.sum() != dead || attempts.sum() != restarts())
        throw new Broken(told + " told, " + attempts + " attempts, not " + restarts());
      if (books.failed.sum() != poisonsEach * 2)
        throw new Broken(poisonsEach * 2 + " were to fail for good, " + books);
      await(() -> system.snapshot().restarts() == restarts(), "restarts: " + system.snapshot());
      if (end.crashes() != restarts())
        throw new Broken(restarts() + " attempts, the runtime counted " + end);
      if (supervisorLives.get() != 1) throw new Broken("the supervisor gave up within its limit");
      for (Seat seat : seats) seat.check();
      books.checkViolations();
    }

    /** One failure more than the limit allows. */
    private void oneMore(ActorSystem system) {
      offer(seats.getFirst(), 0, true);
      await(() -> supervisorLives.get() == 2, "the supervisor does not give up");
      offer(seats.getFirst(), 0, false);
      books.awaitQuiet(system, 120);
      books.awaitBalance(system);
      if (supervisorLives.get() != 2) throw new Broken("it gave up " + supervisorLives + " times");
    }

    private void await(BooleanSupplier condition, Object problem) {
      long deadline = System.nanoTime() + 120_000_000_000L;
      while (!condition.getAsBoolean()) {
        if (System.nanoTime() - deadline > 0) throw new Broken(problem.toString());
        LockSupport.parkNanos(200_000);
      }
    }
  }

  /** What outlives the instances of one eater. */
  private static final class Seat {
    final int tries;
    final boolean bounded;
    final long[] sent = new long[SENDERS];
    private final Books books;
    private final Streams seen;
    private volatile @Nullable ActorRef<Dish> ref;

    /** The poison that is being tried, and how often it was. */
    private @Nullable Numbered poison;

    private int tried;

    Seat(Books books, int tries, boolean bounded) {
      this.books = books;
      this.tries = tries;
      this.bounded = bounded;
      this.seen = new Streams(books, SENDERS, false);
    }

    ChildSpec<Dish> spec(String name, LongAdder attempts) {
      ActorSpec<Dish> actor = ActorSpec.of(() -> new Eater(this, attempts));
      if (bounded) actor = actor.withMailbox(MailboxConfig.bounded(1_024, OverflowPolicy.WAIT));
      return ChildSpec.of(name, actor).withTries(tries);
    }

    @SuppressWarnings("unchecked") // made for such messages
    void find(ActorSystem system, String path) {
      ref = (ActorRef<Dish>) system.find(path).orElseThrow();
    }

    ActorRef<Dish> ref() {
      ActorRef<Dish> known = ref;
      if (known == null) throw new Broken("nobody has looked for it");
      return known;
    }

    /** In its turn. */
    void see(Dish dish) {
      Numbered number = dish.number;
      if (poison != null && poison.equals(number)) {
        tried++;
        if (tried > tries) books.violation(number + " came " + tried + " times, not " + tries);
        return;
      }
      check();
      seen.see(number);
      poison = dish.poisoned ? number : null;
      tried = 1;
    }

    void check() {
      if (poison != null && tried != tries)
        books.violation(poison + " came " + tried + " times, not " + tries);
    }
  }

  private record Eater(Seat seat, LongAdder attempts) implements Actor<Dish> {
    @Override
    public void receive(Dish dish, Context<Dish> context) {
      seat.see(dish);
      if (!dish.poisoned) {
        seat.books.handled.increment();
        return;
      }
      attempts.increment();
      if (seat.tries == 1) seat.books.failed.increment();
      throw new Poison(dish.number);
    }
  }
}
