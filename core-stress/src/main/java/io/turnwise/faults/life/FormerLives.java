package io.turnwise.faults.life;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.Call;
import io.turnwise.CallException;
import io.turnwise.CallOutcome;
import io.turnwise.Context;
import io.turnwise.Reply;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Broken;
import io.turnwise.observation.SystemSnapshot;
import io.turnwise.supervision.RestartLimit;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Actors that end about when what they have asked for comes: ticks of their timers, receive
 * timeouts, answers of their calls. Each of these has a number, and the life that asked for it. It
 * comes once, to that life; or that life is over, and it never comes. The next life, at the same
 * address, sees none of it.
 */
public final class FormerLives {
  private static final int TICKS = 6;
  private static final int CALLS = 6;

  /** How many members there are of each family. */
  private static final int MEMBERS = 6;

  /** Numbers of what comes again and again. */
  private static final int RATE = -1;

  private static final int DELAY = -2;
  private static final int IDLE = -3;

  private record Ask(int number) implements Call<Object, Integer> {}

  /** Something that a life has asked for. */
  private record Came(int life, int number) {}

  /** The life has begun, and is to find its end. */
  private record Go() {}

  private final Books books = new Books();
  private final LongAdder asked = new LongAdder();
  private final LongAdder came = new LongAdder();
  private final LongAdder repeated = new LongAdder();
  private final LongAdder stale = new LongAdder();
  private final LongAdder lives = new LongAdder();
  private final LongAdder begun = new LongAdder();
  private final long momentNanos;
  private final List<Place> places = new ArrayList<>();
  private volatile boolean calm;

  /**
   * @param momentNanos delays and pauses are some of these
   */
  public FormerLives(long momentNanos) {
    this.momentNanos = momentNanos;
  }

  /** An address, and what its present life still waits for. The actor's own turns. */
  private static final class Place {
    final SplittableRandom random;
    final Set<Integer> open = new HashSet<>();
    int life;

    /** All has come that a life without an end has asked for. Others look. */
    volatile boolean rests;

    Place(SplittableRandom random) {
      this.random = random;
    }

    /** Those that come again and again do not come to an end. */
    int repeated() {
      return (int) open.stream().filter(number -> number < 0).count();
    }
  }

  public void begin(ActorSystem system, SplittableRandom random) {
    List<ActorRef<Object>> callees = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      SplittableRandom own = random.split();
      callees.add(system.spawn(() -> new Callee(own)));
    }
    family(system, "each", SupervisorSpec.oneForOne(), random, callees);
    family(system, "all", SupervisorSpec.oneForAll(), random, callees);
  }

  private void family(
      ActorSystem system,
      String name,
      SupervisorSpec shape,
      SplittableRandom random,
      List<ActorRef<Object>> callees) {
    SupervisorSpec spec = shape.withLimit(RestartLimit.NONE);
    for (int i = 0; i < MEMBERS; i++) {
      var place = new Place(random.split());
      places.add(place);
      spec = spec.withChild("m" + i, () -> new Member(place, callees));
    }
    Supervisor.start(system, name, spec);
  }

  /** How many never came, because those were gone that had asked for them. */
  public long stale() {
    return stale.sum();
  }

  /** From now on nobody fails. */
  public void calm() {
    calm = true;
  }

  /** Whether all that the last lives have asked for has come. */
  public boolean isDone() {
    return places.stream().allMatch(place -> place.rests);
  }

  /** Once it is done and the system is closed. Returns what became of all. */
  public String check(SystemSnapshot end) {
    books.checkViolations();
    long left = places.stream().mapToInt(Place::repeated).sum();
    if (asked.sum() != came.sum() + stale.sum() + left)
      throw new Broken(
          asked + " asked for, " + came + " came, " + stale + " did not, " + left + " go on");
    long seen = end.messagesHandled() + end.messagesFailed();
    if (seen != begun.sum() + callsBegun.sum())
      throw new Broken(
          "the runtime counted " + seen + " turns, there were " + begun + " and " + callsBegun);
    // Who is told to stop again before it has begun has no instance.
    if (lives.sum() > end.restarts() + places.size())
      throw new Broken(lives + " lives, and " + end.restarts() + " restarts");
    return String.format(
        "%,d of former lives never came, %,d came to their own, and %,d ticks; %,d lives",
        stale.sum(), came.sum(), repeated.sum(), lives.sum());
  }

  private final LongAdder callsBegun = new LongAdder();

  /** Answers now, later, from another thread, twice, or never. */
  private final class Callee implements Actor<Object> {
    private final SplittableRandom random;
    private final List<Runnable> kept = new ArrayList<>();

    Callee(SplittableRandom random) {
      this.random = random;
    }

    @Override
    public void receive(Object message, Context<Object> context) {
      callsBegun.increment();
      if (!(message instanceof Ask ask)) return;
      Reply<Integer> reply = context.defer(ask);
      switch (random.nextInt(6)) {
        case 0, 1 -> reply.send(ask.number());
        case 2 -> {
          reply.send(ask.number());
          if (reply.send(Integer.MIN_VALUE)) books.violation("a second answer was in time");
        }
        case 3 -> {
          long pause = random.nextInt(4) * momentNanos;
          Thread.startVirtualThread(
              () -> {
                LockSupport.parkNanos(pause);
                reply.send(ask.number());
              });
        }
        default -> kept.add(() -> reply.send(ask.number()));
      }
      if (kept.size() > CALLS) kept.remove(random.nextInt(kept.size())).run();
    }
  }

  private final class Member implements Actor<Object> {
    private final Place place;
    private final List<ActorRef<Object>> callees;
    private final int life;

    /** So many of what it has asked for come before it fails. */
    private int patience;

    /** After the last turn of the life before, of which nothing else may run any more. */
    Member(Place place, List<ActorRef<Object>> callees) {
      this.place = place;
      this.callees = callees;
      lives.increment();
      stale.add(place.open.size());
      place.open.clear();
      place.rests = false;
      this.life = ++place.life;
    }

    @Override
    public void init(Context<Object> context) {
      int number = 0;
      for (int i = 0; i < TICKS; i++)
        context.timers().once(key(++number), delay(), new Came(life, expect(number)));
      context.timers().atFixedRate(key(RATE), delay(), new Came(life, expect(RATE)));
      context.timers().withFixedDelay(key(DELAY), delay(), new Came(life, expect(DELAY)));
      if (place.random.nextBoolean()) context.receiveTimeout(delay(), new Came(life, expect(IDLE)));
      for (int i = 0; i < CALLS; i++) {
        int own = expect(++number);
        context.callToSelf(
            callees.get(i % callees.size()), new Ask(own), delay(), outcome -> ended(own, outcome));
      }
      patience = place.random.nextInt(TICKS + CALLS);
      books.offered.increment();
      context.self().cast(new Go());
    }

    /** No life replaces the timers of another: it is not by that that they end. */
    private Object key(int number) {
      return List.of(life, number);
    }

    private Duration delay() {
      return Duration.ofNanos(1 + place.random.nextInt(4) * momentNanos);
    }

    private int expect(int number) {
      asked.increment();
      place.open.add(number);
      return number;
    }

    private Came ended(int number, CallOutcome<Integer> outcome) {
      if (outcome instanceof CallOutcome.Answered<Integer>(Integer value) && value != number)
        books.violation("the answer of another: " + value + " for " + number);
      return new Came(life, number);
    }

    @Override
    public void receive(Object message, Context<Object> context) {
      begun.increment();
      switch (message) {
        case Came(int ofLife, int number) -> {
          if (ofLife != life || life != place.life)
            books.violation("number " + number + " of life " + ofLife + " came to " + life);
          else take(number);
          if (!calm && --patience < 0) throw new IllegalStateException("on purpose");
          if (calm && place.open.size() == place.repeated()) place.rests = true;
        }
        case Go _ -> {
          if (!calm) go(context);
        }
        default -> books.violation("nobody sent " + message);
      }
    }

    private void take(int number) {
      if (number < 0) {
        repeated.increment();
      } else {
        came.increment();
        if (!place.open.remove(number)) books.violation("number " + number + " came twice");
      }
    }

    private void go(Context<Object> context) {
      switch (place.random.nextInt(8)) {
        case 0 -> throw new IllegalStateException("at once");
        case 1, 2 -> { // meanwhile most of it comes, and waits in the mailbox
          LockSupport.parkNanos(place.random.nextInt(5) * momentNanos);
          throw new IllegalStateException("later");
        }
        case 3 -> context.stop();
        case 4 -> context.self().stop();
        case 5 -> context.self().kill();
        case 6 -> killedInACall(context);
        default -> {
          // When some of it has come.
        }
      }
    }

    private void killedInACall(Context<Object> context) {
      int own = expect(TICKS + CALLS + 1);
      context.self().kill();
      try {
        int answer = callees.getFirst().call(new Ask(own), delay());
        if (answer != own) books.violation("the answer of another: " + answer);
      } catch (CallException none) {
        // Nobody answered in time.
      }
      take(own);
    }
  }
}
