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
import io.turnwise.observation.SystemSnapshot;
import io.turnwise.supervision.Backoff;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.FailureAction;
import io.turnwise.supervision.Recovery;
import io.turnwise.supervision.RestartLimit;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorGaveUpException;
import io.turnwise.supervision.SupervisorRequest;
import io.turnwise.supervision.SupervisorSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * A tree of supervisors of every shape, with workers as its leaves. Each worker has a desk that
 * outlives its instances: what it has seen and sent, which instance is there, and how often the
 * next ones are to fail.
 *
 * <p>Every second level of supervisors passes a failure that is theirs to answer on to their own
 * supervisor: so a failure that escalates goes up one level or two, by its place.
 */
final class Hierarchy {
  private static final int BREADTH = 6;

  /** Nobody needs it: who is killed by it has no last turn, which is noticed. */
  private static final Duration STOP_DEADLINE = Duration.ofSeconds(50);

  /** One message in so many is followed by another, from the worker that got it. */
  private static final int SENDS_ON = 4;

  sealed interface Message {}

  /** A numbered message, perhaps with what it breaks. */
  record Job(Numbered number, @Nullable Fault fault) implements Message {}

  record Ping() implements Message, Call<Message, Integer> {}

  /** How a worker fails, and how often its next instances do, in each of their methods. */
  record Fault(
      FailureAction action, int constructor, int init, int before, int after, int teardown) {

    static Fault draw(SplittableRandom random) {
      FailureAction action =
          switch (random.nextInt(10)) {
            case 0, 1 -> FailureAction.ESCALATE;
            case 2, 3 -> FailureAction.RESUME;
            default -> FailureAction.RESTART;
          };
      return new Fault(
          action, often(random), often(random), often(random), often(random), often(random));
    }

    /** Mostly not at all. */
    private static int often(SplittableRandom random) {
      return Math.max(0, random.nextInt(8) - 5);
    }
  }

  /** To be answered by the supervisor's supervisor. */
  private static final class Escalating extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** Nothing to worry about. */
  private static final class Passing extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private final Books books;
  private final SplittableRandom random;
  private final int outsideSenders;
  private final List<Desk> desks = new ArrayList<>();

  /** A supervisor's path, and the desks of all workers below it. */
  private record Branch(String path, List<Desk> below) {}

  private final List<Branch> branches = new ArrayList<>();
  private final LongAdder lives = new LongAdder();
  private final LongAdder supervisorLives = new LongAdder();
  private final LongAdder failedStarts = new LongAdder();
  private final LongAdder failedEnds = new LongAdder();
  private final SupervisorSpec spec;

  /**
   * @param actors how many, supervisors included
   * @param outsideSenders how many send besides the workers; they are numbered from 0
   */
  Hierarchy(Books books, SplittableRandom random, int actors, int outsideSenders) {
    this.books = books;
    this.random = random;
    this.outsideSenders = outsideSenders;
    this.spec = branch("root", actors, 0, SupervisorSpec.oneForOne(), new ArrayList<>());
  }

  int workers() {
    return desks.size();
  }

  // ---- the tree --------------------------------------------------------------------------------

  /** A supervisor and all below it, so many actors together. */
  private SupervisorSpec branch(
      String path, int actors, int level, SupervisorSpec shape, List<Desk> above) {
    List<Desk> below = new ArrayList<>();
    List<ChildSpec<?>> children = new ArrayList<>();
    int left = actors - 1;
    int breadth = Math.min(left, 2 + random.nextInt(BREADTH - 1));
    for (int i = 0; i < breadth; i++) {
      int others = breadth - i - 1;
      int most = left - others;
      int share = others == 0 ? left : 1 + random.nextInt(Math.min(most, 2 * left / (others + 1)));
      left -= share;
      ChildSpec<?> child =
          share == 1
              ? worker(path + "/w" + i, "w" + i, level, below)
              : supervisor(path + "/s" + i, "s" + i, share, level + 1, below);
      boolean depends =
          shape.shape() == SupervisorSpec.Shape.GRAPH && i > 0 && random.nextBoolean();
      if (depends) {
        String name = children.get(random.nextInt(i)).name();
        if (name != null) child = child.withDependsOn(name);
      }
      children.add(child);
    }
    above.addAll(below);
    branches.add(new Branch(path, below));
    boolean limited = level > 0 && random.nextInt(4) == 0;
    return shape
        .withChildren(children)
        .withLimit(limited ? new RestartLimit(20, Duration.ofSeconds(1)) : RestartLimit.NONE);
  }

  private ChildSpec<SupervisorRequest> supervisor(
      String path, String name, int actors, int level, List<Desk> above) {
    List<Desk> below = new ArrayList<>();
    SupervisorSpec own = branch(path, actors, level, shape(), below);
    above.addAll(below);
    ActorSpec<SupervisorRequest> plain = own.asActor();
    ActorSpec<SupervisorRequest> counted =
        ActorSpec.of(
            () -> {
              beginsAnew(path, below);
              return plain.factory().get();
            });
    ChildSpec<SupervisorRequest> child =
        ChildSpec.of(name, counted).withStopDeadline(ChildSpec.FOREVER);
    return level >= 2 && level % 2 == 0
        ? child.withAction(SupervisorGaveUpException.class, FailureAction.ESCALATE)
        : child;
  }

  /** While a supervisor is down, nobody below it runs. */
  private void beginsAnew(String path, List<Desk> below) {
    supervisorLives.increment();
    for (Desk desk : below)
      if (desk.instance != null)
        books.violation(desk.path + " is there while " + path + " was not");
  }

  private SupervisorSpec shape() {
    return switch (random.nextInt(6)) {
      case 0 -> SupervisorSpec.oneForAll();
      case 1 -> SupervisorSpec.restForOne();
      case 2 -> SupervisorSpec.dynamic();
      case 3 -> SupervisorSpec.graph(Recovery.values()[random.nextInt(4)]);
      default -> SupervisorSpec.oneForOne();
    };
  }

  private ChildSpec<Message> worker(String path, String name, int level, List<Desk> below) {
    var desk = new Desk(desks.size(), path, random.split());
    desks.add(desk);
    below.add(desk);
    ChildSpec<Message> child =
        ChildSpec.of(name, () -> new Worker(desk))
            .withStopDeadline(STOP_DEADLINE)
            .withAction(Passing.class, FailureAction.RESUME);
    if (level > 0) child = child.withAction(Escalating.class, FailureAction.ESCALATE);
    return random.nextInt(3) > 0
        ? child
        : child.withBackoff(
            Backoff.exponential(Duration.ofMillis(1))
                .withCeiling(Duration.ofMillis(10))
                .withJitter(0.5));
  }

  /** Starts it, and returns when every worker has answered. */
  void start(ActorSystem system) {
    Supervisor.start(system, "root", spec);
    for (Desk desk : desks) {
      String path = desk.path;
      long deadline = System.nanoTime() + 120_000_000_000L;
      while (system.find(path).isEmpty()) {
        if (System.nanoTime() - deadline > 0) throw new Broken("there is no " + path);
        Thread.yield();
      }
      desk.find(system);
    }
    askAll();
  }

  /** Every worker answers, at the address that it had from the beginning. */
  void askAll() {
    for (Desk desk : desks) {
      books.offered.increment();
      int answer = desk.ref().call(new Ping(), Duration.ofSeconds(120));
      if (answer != desk.index) books.violation(desk.path + " answered for " + answer);
    }
  }

  // ---- messages --------------------------------------------------------------------------------

  /** Belongs to one sender: what it has sent to each worker. */
  final class Letters {
    private final int sender;
    private final long[] sent = new long[desks.size()];

    Letters(int sender) {
      this.sender = sender;
    }

    void send(SplittableRandom own, @Nullable Fault fault) {
      Desk to = desks.get(own.nextInt(desks.size()));
      books.offered.increment();
      to.ref().cast(new Job(new Numbered(sender, sent[to.index]++), fault));
    }
  }

  Letters letters(int sender) {
    return new Letters(sender);
  }

  // ---- the books -------------------------------------------------------------------------------

  /** What the runtime counted, against what was done here. All is quiet. */
  String check(SystemSnapshot runtime) {
    books.checkViolations();
    long restarts = lives.sum() - desks.size() + supervisorLives.sum() - supervisors();
    if (runtime.restarts() < restarts)
      throw new Broken(
          "the runtime counted " + runtime.restarts() + " restarts, there were " + restarts);
    long failures = books.failed.sum() + failedStarts.sum() + failedEnds.sum();
    long gaveUp = runtime.crashes() - failures;
    if (gaveUp < 0 || gaveUp > supervisorLives.sum() - supervisors())
      throw new Broken(
          "the runtime counted "
              + runtime.crashes()
              + " crashes; "
              + failures
              + " handlers threw, and supervisors began anew "
              + (supervisorLives.sum() - supervisors())
              + " times");
    return String.format(
        java.util.Locale.ROOT,
        "%,d failures, %,d of them in starts and %,d in orderly ends; %,d supervisors gave up; %,d restarts",
        failures,
        failedStarts.sum(),
        failedEnds.sum(),
        gaveUp,
        runtime.restarts());
  }

  /** Without the root, which is nobody's child. */
  private int supervisors() {
    return branches.size() - 1;
  }

  /** What outlives the instances of a worker. Of its turns, but for what says otherwise. */
  private final class Desk {
    final int index;
    final String path;
    final SplittableRandom random;
    final Streams seen = new Streams(books, outsideSenders + 1, false);

    /** Any thread, and between two turns. */
    final AtomicBoolean busy = new AtomicBoolean();

    /** From its constructor to its last turn. Its supervisors look. */
    volatile @Nullable Worker instance;

    private volatile @Nullable ActorRef<Message> ref;
    private @Nullable Letters letters;
    private int[] failures = new int[Place.values().length];

    Desk(int index, String path, SplittableRandom random) {
      this.index = index;
      this.path = path;
      this.random = random;
    }

    @SuppressWarnings("unchecked") // made here, for such messages
    void find(ActorSystem system) {
      ref = (ActorRef<Message>) system.find(path).orElseThrow();
    }

    ActorRef<Message> ref() {
      ActorRef<Message> known = ref;
      if (known == null) throw new Broken("nobody has looked for " + path);
      return known;
    }

    Letters letters() {
      if (letters == null) letters = new Letters(outsideSenders + index);
      return letters;
    }

    void add(Fault fault) {
      failures[Place.CONSTRUCTOR.ordinal()] += fault.constructor;
      failures[Place.INIT.ordinal()] += fault.init;
      failures[Place.BEFORE_RESTART.ordinal()] += fault.before;
      failures[Place.AFTER_RESTART.ordinal()] += fault.after;
      failures[Place.TEARDOWN.ordinal()] += fault.teardown;
    }

    boolean isToFail(Place place) {
      if (failures[place.ordinal()] == 0) return false;
      failures[place.ordinal()]--;
      return true;
    }

    void enter(Worker who, Place place) {
      if (!busy.compareAndSet(false, true)) books.violation(path + ": two turns at once, " + place);
      if (instance != who) books.violation(path + ": a turn of another instance, " + place);
    }

    void leave() {
      busy.set(false);
    }
  }

  private enum Place {
    CONSTRUCTOR,
    INIT,
    RECEIVE,
    BEFORE_RESTART,
    AFTER_RESTART,
    TEARDOWN
  }

  /** Where an instance stands, as it sees itself. */
  private enum State {
    NEW,
    UP,
    /** It has failed: nothing may come but its end. */
    SUSPENDED,
    OVER
  }

  private final class Worker implements Actor<Message> {
    private final Desk desk;
    private State state = State.NEW;

    Worker(Desk desk) {
      this.desk = desk;
      lives.increment();
      if (desk.instance != null) books.violation(desk.path + ": there are two");
      if (desk.isToFail(Place.CONSTRUCTOR)) {
        failedStarts.increment();
        throw new IllegalStateException("in the constructor");
      }
      desk.instance = this;
    }

    private void mustBe(State wanted, Place place) {
      if (state != wanted)
        books.violation(desk.path + ": " + place + " while it was " + state + ", not " + wanted);
    }

    @Override
    public void init(Context<Message> context) {
      begin(Place.INIT);
    }

    @Override
    public void postRestart(StopReason reason, Context<Message> context) {
      begin(Place.AFTER_RESTART);
    }

    private void begin(Place place) {
      desk.enter(this, place);
      try {
        mustBe(State.NEW, place);
        // Who comes after another does all that the first one did, and more.
        if (desk.isToFail(place) || place == Place.AFTER_RESTART && desk.isToFail(Place.INIT)) {
          failedStarts.increment();
          over();
          throw new IllegalStateException("in " + place);
        }
        state = State.UP;
      } finally {
        desk.leave();
      }
    }

    private void over() {
      state = State.OVER;
      desk.instance = null;
    }

    @Override
    public void receive(Message message, Context<Message> context) {
      desk.enter(this, Place.RECEIVE);
      try {
        mustBe(State.UP, Place.RECEIVE);
        switch (message) {
          case Job job -> handle(job);
          case Ping ping -> {
            context.reply(ping, desk.index);
            books.handled.increment();
          }
        }
      } finally {
        desk.leave();
      }
    }

    private void handle(Job job) {
      desk.seen.see(job.number);
      Fault fault = job.fault;
      if (fault == null) {
        if (desk.random.nextInt(SENDS_ON) == 0) desk.letters().send(desk.random, null);
        books.handled.increment();
        return;
      }
      desk.add(fault);
      books.failed.increment();
      if (fault.action == FailureAction.RESUME) throw new Passing();
      state = State.SUSPENDED;
      if (fault.action == FailureAction.ESCALATE) throw new Escalating();
      throw new IllegalStateException("in a handler");
    }

    @Override
    public void preRestart(StopReason reason, Context<Message> context) {
      end(Place.BEFORE_RESTART, reason);
    }

    @Override
    public void teardown(StopReason reason, Context<Message> context) {
      end(Place.TEARDOWN, reason);
    }

    private void end(Place place, StopReason reason) {
      desk.enter(this, place);
      try {
        mustBe(reason.orderly() ? State.UP : suspendedBy(reason), place);
        over();
        if (desk.isToFail(place)) {
          if (reason.orderly()) failedEnds.increment();
          throw new IllegalStateException("in " + place);
        }
      } finally {
        desk.leave();
      }
    }

    /** One that was to go on with its state was, as it sees it, never suspended. */
    private static State suspendedBy(StopReason reason) {
      return reason instanceof StopReason.Crashed(Passing _) ? State.UP : State.SUSPENDED;
    }
  }
}
