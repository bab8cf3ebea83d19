package io.turnwise.faults.supervision;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.Call;
import io.turnwise.Context;
import io.turnwise.StopReason;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Numbered;
import io.turnwise.faults.trial.Streams;
import io.turnwise.supervision.Backoff;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.RestartLimit;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorRequest;
import io.turnwise.supervision.SupervisorSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Many children of one supervisor that crash, stay down for a while that chance spreads, and come
 * back; and when each of them did.
 */
final class Storm {
  private static final double JITTER = 0.5;
  private static final int PARTS = 10;
  static final Duration LONG = Duration.ofSeconds(120);

  sealed interface Message {}

  record Job(Numbered number) implements Message {}

  record Crash() implements Message {}

  private record Question() implements Call<Question, Boolean> {}

  private final Books books;
  private final Duration delay;
  private final List<Ship> ships = new ArrayList<>();
  private final AtomicInteger lives = new AtomicInteger();
  private final AtomicInteger returned = new AtomicInteger();
  private volatile boolean overTheLimit;
  private final ActorRef<SupervisorRequest> supervisor;
  private final ActorRef<Question> control;

  /**
   * @param shape of the supervisor
   * @param delay how long a child stays down, give or take a half
   */
  Storm(
      ActorSystem system,
      String name,
      Books books,
      SupervisorSpec shape,
      RestartLimit limit,
      int children,
      Duration delay,
      int senders)
      throws InterruptedException {
    this.books = books;
    this.delay = delay;
    Backoff backoff = Backoff.constant(delay).withJitter(JITTER).withCeiling(delay.multipliedBy(2));
    List<ChildSpec<?>> specs = new ArrayList<>();
    for (int i = 0; i < children; i++) {
      var ship = new Ship(new Streams(books, senders, false), senders);
      ships.add(ship);
      specs.add(ChildSpec.<Message>of("c" + i, () -> new Sailor(ship)).withBackoff(backoff));
    }
    ActorSpec<SupervisorRequest> plain = shape.withChildren(specs).withLimit(limit).asActor();
    ActorSpec<SupervisorRequest> counted =
        ActorSpec.of(
            () -> {
              lives.incrementAndGet();
              return plain.factory().get();
            });
    ChildSpec<SupervisorRequest> harbour =
        ChildSpec.of("harbour", counted).withStopDeadline(ChildSpec.FOREVER);
    Supervisor top =
        Supervisor.start(
            system,
            name,
            SupervisorSpec.oneForOne().withLimit(RestartLimit.NONE).withChild(harbour));
    books.offered.increment();
    supervisor = top.child(harbour);
    books.handled.increment();
    books.offered.increment();
    Supervisor.at(supervisor).awaitUp(LONG);
    books.handled.increment();
    for (int i = 0; i < children; i++) ships.get(i).find(system, supervisor.path() + "/c" + i);
    control = system.spawn(() -> (question, context) -> context.reply(question, true));
  }

  /** How often the supervisor has begun. */
  int lives() {
    return lives.get();
  }

  /** How many restarts there were. */
  int returned() {
    return returned.get();
  }

  void crash(int child) {
    books.offered.increment();
    ships.get(child).ref().cast(new Crash());
  }

  /** One more than the limit allows: all come back at once, with their supervisor. */
  void crashOneTooMany() {
    overTheLimit = true;
    crash(0);
  }

  boolean isDown(int child) {
    return ships.get(child).crashedAt != 0;
  }

  /** To any of them. */
  void send(int sender, SplittableRandom random) {
    Ship to = ships.get(random.nextInt(ships.size()));
    books.offered.increment();
    to.ref().cast(new Job(new Numbered(sender, to.sent[sender]++)));
  }

  /** Asks the supervisor. Returns how long that took. */
  long probe(SplittableRandom random) {
    String name = "c" + random.nextInt(ships.size());
    return time(() -> supervisor.call(new SupervisorRequest.Find(name), LONG).isPresent());
  }

  /** The same with an actor that has nothing else to do. */
  long probeControl() {
    return time(() -> control.call(new Question(), LONG));
  }

  private interface Asking {
    boolean answered();
  }

  private long time(Asking asking) {
    books.offered.increment();
    long began = System.nanoTime();
    if (!asking.answered()) books.violation("a wrong answer");
    long took = System.nanoTime() - began;
    books.handled.increment();
    return took;
  }

  /** By rank, from 0 to 1. */
  static long rank(List<Long> times, double rank) {
    long[] sorted = times.stream().mapToLong(Long::longValue).sorted().toArray();
    return sorted.length == 0 ? 0 : sorted[(int) Math.min(sorted.length - 1, sorted.length * rank)];
  }

  /** In which part of the time in which they may come back how many did. Not one came early. */
  int[] parts() {
    int[] parts = new int[PARTS];
    for (Ship ship : ships) {
      if (ship.downFor == 0) continue;
      double place = (double) ship.downFor / delay.toNanos() - (1 - JITTER);
      parts[Math.clamp((int) (place / (2 * JITTER) * PARTS), 0, PARTS - 1)]++;
    }
    return parts;
  }

  /** How long one was down, the last time, at most. */
  long longestDown() {
    return ships.stream().mapToLong(ship -> ship.downFor).max().orElse(0);
  }

  /** As even as chance is: five standard deviations. For a clock that nobody holds up. */
  static void checkSpread(int[] parts) {
    int all = Arrays.stream(parts).sum();
    double mean = (double) all / PARTS;
    double most = 5 * Math.sqrt(mean * (1 - 1.0 / PARTS));
    for (int part : parts)
      if (Math.abs(part - mean) > most)
        throw new Broken("restarts are not spread evenly: " + Arrays.toString(parts));
  }

  static String millis(long nanos) {
    return String.format(Locale.ROOT, "%.2f ms", nanos / 1e6);
  }

  /** What outlives the instances of one child. */
  private static final class Ship {
    final Streams seen;
    final long[] sent;
    private volatile @Nullable ActorRef<Message> ref;

    /** When it crashed, while it is down; else 0. */
    volatile long crashedAt;

    /** How long it was down, the last time. */
    volatile long downFor;

    Ship(Streams seen, int senders) {
      this.seen = seen;
      this.sent = new long[senders];
    }

    @SuppressWarnings("unchecked") // made for such messages
    void find(ActorSystem system, String path) {
      ref = (ActorRef<Message>) system.find(path).orElseThrow();
    }

    ActorRef<Message> ref() {
      ActorRef<Message> known = ref;
      if (known == null) throw new Broken("nobody has looked for it");
      return known;
    }
  }

  private final class Sailor implements Actor<Message> {
    private final Ship ship;

    Sailor(Ship ship) {
      this.ship = ship;
    }

    @Override
    public void postRestart(StopReason reason, Context<Message> context) {
      if (!(reason instanceof StopReason.Crashed)) return; // its supervisor was
      long time = System.nanoTime() - ship.crashedAt;
      if (ship.crashedAt == 0) books.violation(context.self() + " had not crashed");
      if (!overTheLimit && time < delay.toNanos() * (1 - JITTER))
        books.violation(context.self() + " came back after " + time + " ns");
      ship.downFor = time;
      ship.crashedAt = 0;
      returned.incrementAndGet();
    }

    @Override
    public void receive(Message message, Context<Message> context) {
      if (ship.crashedAt != 0) books.violation(context.self() + " is down and has a turn");
      switch (message) {
        case Job job -> {
          ship.seen.see(job.number);
          books.handled.increment();
        }
        case Crash _ -> {
          books.failed.increment();
          ship.crashedAt = System.nanoTime();
          throw new IllegalStateException("on purpose");
        }
      }
    }
  }
}
