package io.turnwise.faults.supervision;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.Call;
import io.turnwise.CallException;
import io.turnwise.Context;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Numbered;
import io.turnwise.faults.trial.Streams;
import io.turnwise.observation.SystemSnapshot;
import io.turnwise.supervision.Backoff;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.ChildState;
import io.turnwise.supervision.ChildStatus;
import io.turnwise.supervision.FailureAction;
import io.turnwise.supervision.Recovery;
import io.turnwise.supervision.RestartLimit;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorRequest;
import io.turnwise.supervision.SupervisorSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Supervisors that are struck down again and again: one of each shape under one at the top, each
 * with workers and with another supervisor, which has workers too. And the books about them: who is
 * there twice, and who is there although nobody looks after it.
 */
final class Village {
  private static final Duration LONG = Duration.ofSeconds(120);
  private static final int WORKERS = 4;
  private static final int WORKERS_BELOW = 2;

  sealed interface Message {}

  record Job(Numbered number) implements Message {}

  record Ping() implements Message, Call<Message, Boolean> {}

  /** Fails, and its supervisor with it. */
  private record Fail() implements Message {}

  private static final class Fatal extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** Passes time: really, or in a simulation. */
  interface Pause {
    void of(long nanos) throws InterruptedException;
  }

  private final ActorSystem system;
  private final Books books;
  private final SplittableRandom random;
  private final Pause pause;
  private final int senders;
  private long others;

  /** Instances that were seen beside another one of their name. */
  private final LongAdder doubles = new LongAdder();

  private final LongAdder struck = new LongAdder();
  private final List<House> houses = new ArrayList<>();
  private final List<Place> places = new ArrayList<>();

  /** Those that a dynamic supervisor was given while it ran. */
  private final List<Place> guests = new ArrayList<>();

  private final Supervisor top;

  /** One of the supervisors. */
  private final class House {
    final String path;
    final ActorSpec<SupervisorRequest> actor;
    final AtomicInteger lives = new AtomicInteger();
    final boolean dynamic;
    final List<Place> own;

    House(String path, SupervisorSpec spec, List<Place> own) {
      this.path = path;
      this.own = own;
      this.dynamic = spec.shape() == SupervisorSpec.Shape.DYNAMIC;
      ActorSpec<SupervisorRequest> plain = spec.asActor();
      this.actor =
          ActorSpec.of(
              () -> {
                lives.incrementAndGet();
                return plain.factory().get();
              });
      houses.add(this);
    }

    @SuppressWarnings("unchecked") // a supervisor lives there
    ActorRef<SupervisorRequest> ref() {
      return (ActorRef<SupervisorRequest>) system.find(path).orElseThrow();
    }
  }

  /**
   * @param others actors in the system that are none of its
   */
  Village(
      ActorSystem system,
      Books books,
      SplittableRandom random,
      Pause pause,
      int senders,
      long others)
      throws InterruptedException {
    this.system = system;
    this.books = books;
    this.random = random;
    this.pause = pause;
    this.senders = senders;
    this.others = others;
    List<SupervisorSpec> shapes = new ArrayList<>();
    shapes.add(SupervisorSpec.oneForOne());
    shapes.add(SupervisorSpec.oneForAll());
    shapes.add(SupervisorSpec.restForOne());
    shapes.add(SupervisorSpec.dynamic());
    for (Recovery recovery : Recovery.values()) shapes.add(SupervisorSpec.graph(recovery));
    List<ChildSpec<?>> all = new ArrayList<>();
    for (int i = 0; i < shapes.size(); i++) all.add(house("h" + i, shapes.get(i)));
    top =
        Supervisor.start(
            system,
            "top",
            SupervisorSpec.oneForOne().withLimit(RestartLimit.NONE).withChildren(all));
    for (Place place : places)
      await(() -> system.find(place.path).isPresent(), "there is no " + place.path);
    for (Place place : places) place.find();
    settle();
  }

  private ChildSpec<SupervisorRequest> house(String name, SupervisorSpec shape) {
    List<Place> own = new ArrayList<>();
    List<ChildSpec<?>> children = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      ChildSpec<Message> child = worker("top/" + name, "w" + i, own);
      boolean behind = shape.shape() == SupervisorSpec.Shape.GRAPH && i > 0;
      children.add(behind ? child.withDependsOn("w" + (i - 1)) : child);
    }
    List<Place> below = new ArrayList<>();
    List<ChildSpec<?>> childrenBelow = new ArrayList<>();
    for (int i = 0; i < WORKERS_BELOW; i++)
      childrenBelow.add(worker("top/" + name + "/below", "w" + i, below));
    SupervisorSpec lower =
        SupervisorSpec.oneForAll().withLimit(RestartLimit.NONE).withChildren(childrenBelow);
    children.add(asChild("below", new House("top/" + name + "/below", lower, below)));
    SupervisorSpec spec = shape.withLimit(RestartLimit.NONE).withChildren(children);
    return asChild(name, new House("top/" + name, spec, own));
  }

  private ChildSpec<SupervisorRequest> asChild(String name, House house) {
    ChildSpec<SupervisorRequest> child =
        ChildSpec.of(name, house.actor).withStopDeadline(ChildSpec.FOREVER);
    return random.nextBoolean()
        ? child
        : child.withBackoff(Backoff.constant(Duration.ofMillis(1)).withJitter(1));
  }

  private ChildSpec<Message> worker(String above, String name, List<Place> into) {
    var place = new Place(above + "/" + name);
    into.add(place);
    places.add(place);
    return spec(name, place);
  }

  private ChildSpec<Message> spec(@Nullable String name, Place place) {
    ChildSpec<Message> child =
        ChildSpec.of(name, ActorSpec.of(() -> new Worker(place)))
            .withAction(Fatal.class, FailureAction.ESCALATE);
    return random.nextInt(4) > 0 ? child : child.withStopDeadline(Duration.ZERO);
  }

  // ---- what happens ----------------------------------------------------------------------------

  /** Strikes one of them, waits until all is well again, and looks for who should not be there. */
  void strikeOnce() throws InterruptedException {
    House house = houses.get(random.nextInt(houses.size()));
    if (house.dynamic) for (int i = random.nextInt(4); i > 0; i--) invite(house);
    pause.of(random.nextInt(1_000_000));
    int before = house.lives.get();
    boolean certain = strike(house);
    if (random.nextInt(4) == 0) strike(house); // in the middle of what follows
    if (random.nextInt(4) == 0) strike(houses.get(random.nextInt(houses.size())));
    if (certain) await(() -> house.lives.get() > before, house.path + " does not come back");
    settle();
  }

  /**
   * Returns whether it falls for certain: not where a worker is to take it along, which may be
   * about to be started again for another's sake.
   */
  private boolean strike(House house) {
    struck.increment();
    int way = random.nextInt(4);
    if (way == 3) {
      books.offered.increment();
      house.own.get(random.nextInt(house.own.size())).ref().cast(new Fail());
      return false;
    }
    ActorRef<SupervisorRequest> ref = house.ref();
    if (way != 1) ref.kill();
    if (way != 0) ref.stop();
    return true;
  }

  /** One more child, which is not listed: it ends with the present life of its supervisor. */
  @SuppressWarnings("unchecked") // made from this very spec
  private void invite(House house) {
    var guest = new Place(house.path + "/guest");
    ActorRef<?> ref = ask(house, new SupervisorRequest.Start(spec(null, guest)));
    guest.is((ActorRef<Message>) ref);
    guests.add(guest);
  }

  /** Asked until it answers: whoever strikes it may have done so a moment ago. */
  private <R> R ask(House house, Call<SupervisorRequest, R> request) {
    for (int i = 0; ; i++) {
      books.offered.increment();
      try {
        R answer = house.ref().call(request, LONG);
        books.handled.increment();
        return answer;
      } catch (CallException e) {
        if (i == 100) throw new Broken(house.path + " does not answer: " + e.getMessage());
      }
    }
  }

  /** Every worker answers, and everybody that lives is listed by a supervisor that lives. */
  private void settle() throws InterruptedException {
    guests.removeIf(Place::hasEnded);
    List<Place> asked = new ArrayList<>(places);
    asked.addAll(guests);
    asked.forEach(Place::ask);
    for (Place place : asked) awaitAnswer(place);
    var seen = new AtomicReference<>("");
    await(
        () -> {
          long listed = 1;
          for (House house : houses) listed += 1 + listedWorkers(house);
          long live = system.snapshot().actorsLive() - others;
          seen.set(listed + " are looked after, and " + live + " live");
          return listed == live;
        },
        seen);
  }

  void setOthers(long others) {
    this.others = others;
  }

  private long listedWorkers(House house) {
    List<ChildStatus> children = ask(house, new SupervisorRequest.Children());
    return children.stream()
        .filter(child -> !child.actor().name().equals("below"))
        .filter(child -> child.state() != ChildState.ENDED)
        .count();
  }

  private void awaitAnswer(Place place) throws InterruptedException {
    for (int i = 0; ; i++) {
      CompletableFuture<Boolean> answer = place.answer;
      await(answer::isDone, place.path + " does not answer");
      if (!answer.isCompletedExceptionally()) return;
      if (place.hasEnded()) {
        if (places.contains(place)) throw new Broken(place.path + " has ended: " + answer);
        return;
      }
      if (i == 1_000) throw new Broken(place.path + " lives and does not answer: " + answer);
      pause.of(100_000); // whoever has ended is said to have a moment later
      place.ask();
    }
  }

  private void await(BooleanSupplier condition, Object problem) throws InterruptedException {
    for (int i = 0; !condition.getAsBoolean(); i++) {
      if (i > 300_000) throw new Broken(problem + "\n" + system.tree());
      pause.of(100_000);
    }
  }

  /** Ends all, and then nobody is left. */
  void end() throws InterruptedException {
    top.stop();
    CompletableFuture<?> end = top.whenStopped().toCompletableFuture();
    await(end::isDone, "the top does not end");
    await(
        () -> system.snapshot().actorsLive() == others,
        "orphans: " + system.snapshot().actorsLive() + " live after the end of all supervisors");
  }

  /** All is quiet, and everybody has ended. */
  String check() throws InterruptedException {
    await(() -> problem(system.snapshot()) == null, "the books do not balance");
    books.checkViolations();
    return struck + " strikes; " + books;
  }

  /**
   * Who is killed in the middle of a message has failed, also if its code did not get to see it.
   */
  private @Nullable String problem(SystemSnapshot runtime) {
    long leftBehind = runtime.handlersAbandoned(); // their code may have gone on to the end
    long fates = books.handled.sum() + runtime.messagesFailed() + runtime.deadLettersTotal();
    long tooMany = fates - books.accepted();
    if (tooMany < 0 || tooMany > leftBehind) return runtime + ", " + books;
    if (books.failed.sum() > runtime.messagesFailed() + leftBehind) return runtime + ", " + books;
    if (doubles.sum() > leftBehind) return doubles + " instances beside another of their name";
    return null;
  }

  // ---- messages --------------------------------------------------------------------------------

  /** Belongs to one sender. */
  final class Letters {
    private final int sender;
    private final long[] sent = new long[places.size()];

    Letters(int sender) {
      this.sender = sender;
    }

    void send(SplittableRandom own) {
      int to = own.nextInt(sent.length);
      books.offered.increment();
      places.get(to).ref().cast(new Job(new Numbered(sender, sent[to]++)));
    }
  }

  Letters letters(int sender) {
    return new Letters(sender);
  }

  /** Where a worker lives, one instance after another. */
  private final class Place {
    final String path;
    final Streams seen = new Streams(books, senders, true);
    final AtomicReference<@Nullable Worker> inTurn = new AtomicReference<>();
    volatile @Nullable ActorRef<Message> ref;
    volatile @Nullable Worker current;
    private @Nullable CompletableFuture<?> end;

    /** To the last question. */
    CompletableFuture<Boolean> answer = new CompletableFuture<>();

    Place(String path) {
      this.path = path;
    }

    @SuppressWarnings("unchecked") // made for such messages
    void find() {
      is((ActorRef<Message>) system.find(path).orElseThrow());
    }

    void is(ActorRef<Message> found) {
      ref = found;
      end = found.whenStopped().toCompletableFuture();
    }

    ActorRef<Message> ref() {
      ActorRef<Message> known = ref;
      if (known == null) throw new Broken("nobody has looked for " + path);
      return known;
    }

    void ask() {
      books.offered.increment();
      answer = ref().callAsync(new Ping(), LONG).toCompletableFuture();
    }

    boolean hasEnded() {
      return end != null && end.isDone();
    }
  }

  private final class Worker implements Actor<Message> {
    private final Place place;

    Worker(Place place) {
      this.place = place;
      if (place.inTurn.get() != null) doubles.increment();
      place.current = this;
    }

    @Override
    public void receive(Message message, Context<Message> context) {
      if (place.current != this || !place.inTurn.compareAndSet(null, this)) doubles.increment();
      try {
        switch (message) {
          case Job job -> {
            place.seen.see(job.number);
            if (job.number.number() % 64 == 0) LockSupport.parkNanos(200_000);
          }
          case Ping ping -> context.reply(ping, true);
          case Fail _ -> throw new Fatal();
        }
        books.handled.increment();
      } catch (Throwable e) { // its own, or it is killed
        books.failed.increment();
        throw e;
      } finally {
        if (!place.inTurn.compareAndSet(this, null)) doubles.increment();
      }
    }
  }
}
