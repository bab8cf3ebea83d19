package io.turnwise.internal.supervisor;

import io.turnwise.StopReason;
import io.turnwise.supervision.SupervisorSpec;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BiPredicate;
import java.util.function.Consumer;

/**
 * A supervisor's rules with make-believe children: orders wait until a child takes them, news wait
 * until the supervisor does, and a seed decides who is next. One child's orders and news keep their
 * order, as in the system lanes.
 */
final class Playhouse implements Nursery {
  enum State {
    DOWN,
    STARTING,
    UP,
    ASKING,
    STOPPING,
    ENDED
  }

  private enum Order {
    START,
    RESUME,
    TAKE_DOWN,
    END
  }

  /** A child as it is, whatever its supervisor believes. */
  final class Actor {
    final Child child;
    final ArrayDeque<Order> orders = new ArrayDeque<>();
    final ArrayDeque<Runnable> news = new ArrayDeque<>();
    State state = State.DOWN;
    StopReason reason;
    boolean forGood;

    /** It is told to end so after its next start. */
    StopReason endsWith;

    /** How many of its next starts fail. */
    int failingStarts;

    /** It hangs in its first or last turn until it is killed. */
    boolean hangs;

    boolean hung;

    /** There is an instance. */
    private boolean life;

    /** Nothing of this life hangs any more. */
    private boolean killed;

    int starts;

    Actor(Child child) {
      this.child = child;
    }

    boolean isLive() {
      return life;
    }

    boolean canStep() {
      if (hung) return false;
      return !orders.isEmpty()
          || state == State.STARTING
          || state == State.STOPPING
          || state == State.UP && endsWith != null;
    }

    void step() {
      if (state == State.UP && endsWith != null && (orders.isEmpty() || random.nextBoolean())) {
        ask(endsWith, true);
        endsWith = null;
      } else if (state == State.STARTING && (orders.isEmpty() || random.nextBoolean())) {
        start();
      } else if (state == State.STOPPING) {
        stop();
      } else {
        obey(orders.poll());
      }
    }

    private void start() {
      if (hangs && !killed && random.nextInt(4) == 0) {
        hung = true;
      } else if (failingStarts > 0) {
        failingStarts--;
        ask(new StopReason.Crashed(new IllegalStateException("in init")), false);
      } else {
        state = State.UP;
        note("up", this);
        news.add(() -> loop.up(child));
      }
    }

    private void stop() {
      if (hangs && !killed && random.nextInt(4) == 0) {
        hung = true;
        return;
      }
      StopReason why = reason;
      life = false;
      if (forGood) {
        state = State.ENDED;
        note("down", this);
        news.add(() -> loop.ended(child, why));
      } else {
        state = State.DOWN;
        note("down", this);
        news.add(() -> loop.down(child, why));
      }
    }

    void ask(StopReason why, boolean resumable) {
      reason = why;
      state = State.ASKING;
      news.add(() -> loop.asks(child, why, resumable));
    }

    private void obey(Order order) {
      switch (order) {
        case START -> {
          if (state != State.DOWN) throw new AssertionError("start of " + name() + " in " + state);
          starts++;
          killed = false;
          life = true;
          state = State.STARTING;
        }
        case RESUME -> state = State.UP;
        case TAKE_DOWN -> {
          if (state != State.DOWN) state = State.STOPPING;
        }
        case END -> {
          forGood = true;
          state = State.STOPPING;
        }
      }
    }

    /** What it waited for is there. */
    void goOn() {
      hangs = false;
      hung = false;
    }

    /** Whatever hangs does not any more. */
    void beKilled() {
      killed = true;
      if (!hung) return;
      hung = false;
      reason = new StopReason.Killed("its supervisor");
      if (state == State.STARTING) ask(reason, false);
    }

    String name() {
      return child.spec().name();
    }
  }

  private record Timer(long at, Child child, int ticket) {}

  final Map<String, Actor> actors = new LinkedHashMap<>();
  final SupervisorLoop loop;
  final SplittableRandom random;

  /** What was done, in order: "stop a", "down a", "start a", "up a". */
  final List<String> diary = new ArrayList<>();

  /** When each was started last. */
  final Map<String, Long> startedAt = new LinkedHashMap<>();

  private final List<Timer> timers = new ArrayList<>();
  private final boolean root;
  private final BiPredicate<Child, Child> isBehind;
  private final Consumer<Child> beforeEach;
  long now;
  RuntimeException failure;
  boolean finished;

  /** The supervisor itself stops. */
  boolean stops;

  boolean stopped;

  private boolean stopBegan;

  /** Orders since others could run last, and the most that there were of them. */
  private int orders;

  int mostOrdersAtOnce;

  /**
   * @param isBehind whether the one is to be down before the other is stopped
   */
  Playhouse(SupervisorSpec spec, boolean root, long seed, BiPredicate<Child, Child> isBehind) {
    this(spec, root, seed, isBehind, _ -> {});
  }

  /**
   * @param beforeEach throws for a child that cannot be made; then the supervisor is to stop
   */
  Playhouse(
      SupervisorSpec spec,
      boolean root,
      long seed,
      BiPredicate<Child, Child> isBehind,
      Consumer<Child> beforeEach) {
    this.isBehind = isBehind;
    this.beforeEach = beforeEach;
    this.loop = new SupervisorLoop(spec, this);
    this.root = root;
    this.random = new SplittableRandom(seed);
    try {
      loop.startAll();
    } catch (OutOfMemoryError planned) {
      // Its supervisor is going to stop it.
    }
  }

  Actor actor(String name) {
    return actors.get(name);
  }

  private void note(String what, Actor who) {
    diary.add(what + " " + who.name());
  }

  /** Runs until nobody has anything to do and no time is waited for. */
  void run() {
    for (int i = 0; i < 100_000; i++) if (!step()) return;
    throw new AssertionError("it never ends: " + diary.subList(diary.size() - 50, diary.size()));
  }

  boolean step() {
    List<Runnable> next = new ArrayList<>();
    for (Actor actor : actors.values()) {
      if (actor.canStep()) next.add(actor::step);
      if (!actor.news.isEmpty() && !stopped) next.add(() -> hear(actor.news.poll()));
    }
    if (stops && !stopBegan) next.add(this::stop);
    if (!next.isEmpty()) {
      next.get(random.nextInt(next.size())).run();
      return true;
    }
    return !stopped && fire();
  }

  private void hear(Runnable news) {
    orders = 0;
    news.run();
    heed();
  }

  private void heed() {
    if (failure != null || finished) stops = true;
    if (stops) stop();
  }

  private void stop() {
    stopBegan = true;
    orders = 0;
    if (loop.stopAll(root)) stopped = true;
    stops = true;
  }

  private boolean fire() {
    Timer first = null;
    for (Timer timer : timers) if (first == null || timer.at < first.at) first = timer;
    if (first == null) return false;
    timers.remove(first);
    orders = 0;
    now = Math.max(now, first.at);
    loop.due(first.child, first.ticket);
    heed();
    return true;
  }

  int timersLeft() {
    return timers.size();
  }

  // ---- orders ----------------------------------------------------------------------------------

  private void ordered() {
    mostOrdersAtOnce = Math.max(mostOrdersAtOnce, ++orders);
  }

  private Actor of(Child child) {
    return (Actor) child.body();
  }

  @Override
  public void create(Child child) {
    beforeEach.accept(child);
    ordered();
    var actor = new Actor(child);
    child.setBody(actor);
    actors.put(child.spec().name(), actor);
  }

  @Override
  public void start(Child child) {
    ordered();
    note("start", of(child));
    startedAt.put(of(child).name(), now);
    of(child).orders.add(Order.START);
  }

  @Override
  public void resume(Child child) {
    ordered();
    of(child).orders.add(Order.RESUME);
  }

  @Override
  public void takeDown(Child child, boolean toRestart) {
    ordered();
    note("stop", of(child));
    checkOrder(child);
    of(child).orders.add(Order.TAKE_DOWN);
  }

  @Override
  public void end(Child child, StopReason reason) {
    ordered();
    note("stop", of(child));
    checkOrder(child);
    of(child).orders.add(Order.END);
  }

  /** When all are stopped, nobody is told to that has not failed, while one behind it lives. */
  private void checkOrder(Child child) {
    if (!stopBegan || of(child).state != State.UP && of(child).state != State.STARTING) return;
    for (Child other : loop.children())
      if (isBehind.test(other, child) && of(other).isLive())
        throw new AssertionError(
            of(child).name() + " is stopped before " + of(other).name() + ": " + diary);
  }

  @Override
  public void leaveOutEnd(Child child) {
    State state = of(child).state;
    if (state == State.UP || state == State.STARTING)
      throw new AssertionError(of(child).name() + " runs");
    of(child).beKilled();
  }

  @Override
  public void kill(Child child) {
    of(child).beKilled();
  }

  @Override
  public void schedule(Child child, Duration delay, int ticket) {
    timers.add(new Timer(now + delay.toNanos(), child, ticket));
  }

  @Override
  public void unschedule(Child child, int ticket) {
    timers.removeIf(timer -> timer.child == child && timer.ticket == ticket);
  }

  @Override
  public void fail(RuntimeException cause) {
    failure = cause;
  }

  @Override
  public void finish() {
    finished = true;
  }

  @Override
  public void breathe() {
    orders = 0;
  }

  @Override
  public long nanoTime() {
    return now;
  }

  @Override
  public double chance() {
    return random.nextDouble();
  }
}
