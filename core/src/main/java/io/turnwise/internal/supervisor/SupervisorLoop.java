package io.turnwise.internal.supervisor;

import io.turnwise.StopReason;
import io.turnwise.supervision.AutoShutdown;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.ChildState;
import io.turnwise.supervision.FailureAction;
import io.turnwise.supervision.Recovery;
import io.turnwise.supervision.RestartLimit;
import io.turnwise.supervision.RestartType;
import io.turnwise.supervision.SupervisorGaveUpException;
import io.turnwise.supervision.SupervisorSpec;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a supervisor, as a machine of events and orders. It never waits: each event is
 * answered with orders to the {@link Nursery}, and the next event finds the state they left.
 *
 * <p>All shapes are graphs: a row is one in which each child depends on the one before it. So a
 * start goes along the arrows, a stop against them; "one for all" is a recovery of ALL, "rest for
 * one" one of DOWNSTREAM. What differs: in a row a child waits only for those that start together
 * with it; in a graph for all that it depends on, whatever keeps those.
 *
 * <p>Children that are started again together form the wave. Its members stop in their order; when
 * the last is down and the delays of those that failed have passed, they start in their order. A
 * failure meanwhile adds its own to the wave. Each event costs what the child's arrows cost, not
 * what all children do. Where that is much, as it is to start or stop all of a hundred thousand,
 * other actors are let run in between; events are not.
 */
public final class SupervisorLoop {
  private final SupervisorSpec spec;
  private final Nursery nursery;
  private final RestartWindow window;
  private final Siblings children = new Siblings();
  private final Map<String, Child> byName = new LinkedHashMap<>();

  /** Those that start together; where each is started again alone, nobody looks for them here. */
  private final Set<Child> wave = new LinkedHashSet<>();

  /**
   * In a graph, by the name of one that was forgotten: those that depend on it, should it return.
   */
  private final Map<String, Set<Child>> missing = new LinkedHashMap<>();

  /** The last of the row, which the next one is to follow. */
  private @Nullable Child last;

  /** Members of the wave that wait for their delay. */
  private int waveTimers;

  /** One of the wave could start, but for the others of it. */
  private boolean waveHeldUp;

  /** How many children were looked at for the sake of one, ever. */
  long looks;

  /** Children that are to be stopped and are not down yet. */
  private int stopsLeft;

  /** Significant children that have not ended. */
  private int significant;

  /** How many there are in each state. */
  private final int[] counts = new int[ChildState.values().length];

  private boolean stopping;
  private boolean forGood;
  private boolean gaveUp;

  public SupervisorLoop(SupervisorSpec spec, Nursery nursery) {
    this.spec = spec;
    this.nursery = nursery;
    this.window = new RestartWindow(spec.limit());
  }

  public Collection<Child> children() {
    return children;
  }

  /** Whether it is one of these children: not of an earlier life's, and not forgotten. */
  public boolean has(Child child) {
    return child.of == this;
  }

  public @Nullable Child child(String name) {
    return byName.get(name);
  }

  /** Whether no child is to be started any more. */
  public boolean isUp() {
    if (gaveUp || stopping) return false; // all of them end, and that is not what was waited for
    return count(ChildState.WAITING) + count(ChildState.STARTING) + count(ChildState.STOPPING) == 0;
  }

  // ---- the supervisor's own life ---------------------------------------------------------------

  /**
   * Makes all children and starts them in their order. Where that fails in the middle, nobody is
   * started any more, and those that were made so far can be stopped.
   */
  public void startAll() {
    boolean done = false;
    try {
      for (ChildSpec<?> child : spec.children()) {
        Child added = addChild(child);
        added.listed = true;
        join(added);
        nursery.breathe();
      }
      if (spec.shape() == SupervisorSpec.Shape.GRAPH)
        for (Child child : children) {
          connect(child);
          nursery.breathe();
        }
      for (Child child : children) {
        tryStart(child);
        nursery.breathe();
      }
      done = true;
    } finally {
      if (!done) gaveUp = true;
    }
  }

  /**
   * Stops all children in their order. Called again while it goes on, it does nothing, unless it is
   * for good and was not before.
   *
   * @return whether all of them are down: ended, if it is for good
   */
  public boolean stopAll(boolean endThem) {
    boolean more = endThem && !forGood;
    forGood |= endThem;
    if (!stopping || more) {
      boolean first = !stopping;
      stopping = true;
      if (first) {
        for (Child child : children) {
          leaveWave(child);
          nursery.breathe();
        }
        stopInOrder(children);
      }
      for (Child child : List.copyOf(children)) {
        if (child.state == ChildState.WAITING && isToEnd(child)) end(child, BY_SUPERVISOR);
        nursery.breathe();
      }
    }
    return isAllDown();
  }

  private boolean isAllDown() {
    if (stopsLeft > 0) return false;
    return count(ChildState.ENDED) + (forGood ? 0 : count(ChildState.WAITING)) == children.size();
  }

  /** Whether it ends when all are stopped: the next life knows those that were listed alone. */
  private boolean isToEnd(Child child) {
    return forGood || !child.listed;
  }

  private int count(ChildState state) {
    return counts[state.ordinal()];
  }

  private void move(Child child, ChildState next) {
    counts[child.state.ordinal()]--;
    counts[next.ordinal()]++;
    child.state = next;
    update(child);
  }

  // ---- orders from people ----------------------------------------------------------------------

  /**
   * @throws IllegalArgumentException when it does not fit here
   */
  public Child add(ChildSpec<?> child) {
    spec.check(child);
    Child there = child.name() == null ? null : byName.get(child.name());
    if (there != null)
      throw new IllegalArgumentException(
          "ChildSpec '"
              + child.name()
              + "': name is taken by a child that is "
              + there.state
              + ". [NAME-TAKEN]\n  next:  "
              + (there.state == ChildState.ENDED
                  ? "restart or remove that one, or choose another name"
                  : "choose another name"));
    for (String other : child.dependsOn())
      if (!byName.containsKey(other))
        throw new IllegalArgumentException(
            "ChildSpec '" + child.name() + "': dependsOn has '" + other + "', which is no child");
    checkCircle(child);
    Child added = addChild(child);
    if (spec.shape() == SupervisorSpec.Shape.GRAPH) {
      connect(added);
      takeBack(added);
    }
    startBehind(added);
    return added;
  }

  /** Whether one that others have depended on all along would depend on one of these. */
  private void checkCircle(ChildSpec<?> added) {
    Set<Child> waiting = missing.getOrDefault(added.name(), Set.of());
    if (waiting.isEmpty()) return;
    Map<Child, @Nullable Child> cameFrom = new LinkedHashMap<>();
    for (String other : added.dependsOn()) cameFrom.put(byName.get(other), null);
    var open = new ArrayDeque<>(cameFrom.keySet());
    for (Child next; (next = open.poll()) != null; ) {
      if (waiting.contains(next)) throw circle(added, next, cameFrom);
      for (Child other : next.dependsOn)
        if (!cameFrom.containsKey(other)) {
          cameFrom.put(other, next);
          open.add(other);
        }
    }
  }

  private static IllegalArgumentException circle(
      ChildSpec<?> added, Child last, Map<Child, @Nullable Child> cameFrom) {
    var path = new ArrayDeque<String>(List.of(Objects.requireNonNull(added.name())));
    for (Child at = last; at != null; at = cameFrom.get(at))
      path.addFirst(Objects.requireNonNull(at.spec.name()));
    path.addFirst(Objects.requireNonNull(added.name()));
    return new IllegalArgumentException(
        "ChildSpec '"
            + added.name()
            + "': dependsOn leads back to it: "
            + String.join(" -> ", path)
            + ". [DEPENDENCY-CIRCLE]\n  next:  take one of these out of its dependsOn");
  }

  /** Those that name it depend on it again. */
  private void takeBack(Child added) {
    Set<Child> waiting = missing.remove(added.spec.name());
    if (waiting == null) return;
    for (Child child : waiting) {
      link(child, added);
      update(child); // one that has ended stands for those it depends on
    }
  }

  /** Ends a child for good. Returns false if it has ended. */
  public boolean stop(Child child, boolean forget) {
    child.forget |= forget;
    switch (child.state) {
      case ENDED -> {
        if (forget) forget(child);
        return false;
      }
      case WAITING, STARTING, UP, STOPPING -> end(child, BY_SUPERVISOR);
      case ENDING -> {
        // on its way
      }
    }
    return true;
  }

  /** Starts a child again that has ended, or that runs. */
  public void restart(Child child) {
    switch (child.state) {
      case ENDED -> {
        nursery.create(child); // first: where it cannot be made, it stays ended
        child.failures = 0;
        child.endedByItself = false;
        child.lastReason = null;
        child.started = false;
        if (child.spec.significant()) significant++;
        move(child, ChildState.WAITING);
        startBehind(child);
      }
      case WAITING -> {
        untime(child);
        tryStart(child);
        startWave();
      }
      case UP, STARTING -> takeDown(child, true);
      case STOPPING, ENDING -> {
        // on its way
      }
    }
  }

  /** Lets a child end that waits for its restart. Returns how many restarts that cancels. */
  public int cancelRestarts(Child child) {
    boolean pending =
        switch (child.state) {
          case STOPPING -> !stopping; // it failed, and is being taken down
          case WAITING -> child.started;
          case STARTING, UP, ENDING, ENDED -> false;
        };
    if (!pending) return 0;
    end(child, null);
    return 1;
  }

  private static final StopReason BY_SUPERVISOR = new StopReason.ShutDown("its supervisor");

  // ---- events ----------------------------------------------------------------------------------

  /** A child has started. */
  public void up(Child child) {
    if (child.state != ChildState.STARTING) return; // told to stop meanwhile
    child.wasUp = true;
    child.upSince = nursery.nanoTime();
    move(child, ChildState.UP);
    if (!child.inStop) leaveWave(child); // else it is about to be stopped, and starts with the wave
  }

  /**
   * A child's life is over, and it waits for a verdict.
   *
   * @param resumable whether it could go on where it was
   */
  public void asks(Child child, StopReason reason, boolean resumable) {
    asks(child, reason, resumable, true);
  }

  /**
   * A child was asked to stop while it was down, or about to be; it may have been started since.
   */
  public void asksWhileDown(Child child, StopReason reason) {
    asks(child, reason, false, false);
  }

  private void asks(Child child, StopReason reason, boolean resumable, boolean isOver) {
    switch (child.state) {
      case STARTING, UP -> {
        boolean judged = !child.inStop && !gaveUp; // else all are stopped soon
        if (judged && resumable && actionFor(child, reason) == FailureAction.RESUME) {
          nursery.resume(child); // it has not ended
          return;
        }
        child.asked |= isOver;
        child.lastReason = reason;
        if (judged) judge(child, reason);
        else if (child.inStop) {
          // It was to be stopped; now nobody needs to go before it.
          if (isDone(child, reason)) endByItself(child);
          else tell(child);
        }
      }
      case STOPPING -> { // our order is on its way
        child.lastReason = reason;
        if (isDone(child, reason)) endByItself(child);
      }
      case ENDING -> child.lastReason = reason;
      case WAITING -> {
        if (isDone(child, reason)) end(child, reason);
      }
      case ENDED -> {
        // too late
      }
    }
  }

  /** Whether such a child does not come back after it has ended so. */
  private boolean isDone(Child child, StopReason reason) {
    return reason.orderly() && child.spec.restart() != RestartType.PERMANENT && !stopping;
  }

  private void endByItself(Child child) {
    child.endedByItself = true;
    end(child, null);
  }

  /**
   * A child is down, and can be started again.
   *
   * @param reason why its life has ended: by itself, or by our order
   */
  public void down(Child child, StopReason reason) {
    if (child.state != ChildState.STOPPING) return;
    child.lastReason = reason;
    dropDeadline(child);
    move(child, ChildState.WAITING);
    if (child.inStop && !stopping) join(child); // those behind it go first, then all start
    settle(child);
    if (stopping) {
      if (isToEnd(child)) end(child, BY_SUPERVISOR);
      return;
    }
    tryStart(child);
    startWave();
  }

  /** A child has ended for good. */
  public void ended(Child child, StopReason reason) {
    if (child.state == ChildState.ENDED) return;
    dropDeadline(child);
    child.lastReason = reason;
    leaveWave(child);
    move(child, ChildState.ENDED);
    settle(child);
    if (child.spec.significant()) significant--;
    boolean itself = child.endedByItself;
    if (child.forget
        || child.spec.restart() == RestartType.TEMPORARY
        || spec.shape() == SupervisorSpec.Shape.DYNAMIC) forget(child);
    if (stopping) return;
    startWave();
    if (!itself || !child.spec.significant()) return;
    if (spec.autoShutdown() == AutoShutdown.ANY_SIGNIFICANT || significant == 0) nursery.finish();
  }

  /** The time of a child has come: to start, or to be killed. */
  public void due(Child child, int ticket) {
    if (ticket == child.stopTicket) {
      nursery.kill(child);
    } else if (child.timed && ticket == child.delayTicket) {
      untime(child);
      tryStart(child);
      startWave();
    }
  }

  // ---- verdicts --------------------------------------------------------------------------------

  private static FailureAction actionFor(Child child, StopReason reason) {
    return switch (reason) {
      case StopReason.Finished _, StopReason.ShutDown _ ->
          child.spec.restart() == RestartType.PERMANENT
              ? FailureAction.RESTART
              : FailureAction.STOP;
      case StopReason.Killed _ -> FailureAction.RESTART;
      case StopReason.Crashed(Throwable cause) -> child.spec.actionFor(cause);
    };
  }

  private void judge(Child child, StopReason reason) {
    FailureAction action = actionFor(child, reason);
    if (action == FailureAction.ESCALATE) {
      giveUp(child, reason, "which is its supervisor's to answer");
      return;
    }
    if (action == FailureAction.STOP || child.spec.restart() == RestartType.TEMPORARY) {
      endByItself(child);
      return;
    }
    recover(child, reason);
  }

  private void giveUp(Child child, StopReason reason, String why) {
    gaveUp = true;
    Throwable cause = reason instanceof StopReason.Crashed(Throwable crash) ? crash : null;
    nursery.fail(
        new SupervisorGaveUpException(
            "Child " + nameOf(child) + " ended (" + describe(reason) + "), " + why, cause));
  }

  private static String moreThan(RestartLimit limit) {
    String many =
        "more than " + limit.restarts() + (limit.restarts() == 1 ? " restart" : " restarts");
    Duration window = limit.window();
    if (window == null) return many;
    return many + " within " + window.toString().substring(2).toLowerCase(Locale.ROOT); // PT5S
  }

  private static String nameOf(Child child) {
    String name = child.spec.name();
    return name == null ? String.valueOf(child.body()) : "'" + name + "'";
  }

  private static String describe(StopReason reason) {
    return switch (reason) {
      case StopReason.Finished _ -> "it stopped itself";
      case StopReason.ShutDown(String by) -> "stopped by " + by;
      case StopReason.Killed(String by) -> "killed by " + by;
      case StopReason.Crashed(Throwable cause) -> "crashed with " + cause.getClass().getName();
    };
  }

  private void recover(Child failed, StopReason reason) {
    long now = nursery.nanoTime();
    if (!window.allows(now)) {
      giveUp(failed, reason, "and there were " + moreThan(spec.limit()));
      return;
    }
    noteHealth(failed, now);
    if (failed.failures < Integer.MAX_VALUE) failed.failures++;
    Duration delay = failed.spec.backoff().delayAfter(failed.failures, nursery.chance());
    if (delay.isPositive()) time(failed, now, delay);
    List<Child> together = affected(failed);
    if (together.size() > 1 || failed.inWave)
      for (Child child : together) {
        join(child);
        nursery.breathe();
      }
    takeDown(failed, true); // it has failed already: nobody needs to stop before it
    if (spec.recovery() != Recovery.ONE) stopInOrder(together);
  }

  /**
   * A child is up no more. Looked at then, and not when it fails next: the time that it is down
   * meanwhile, because of others, is no healthy one.
   */
  private static void noteHealth(Child child, long now) {
    if (child.wasUp && now - child.upSince >= child.spec.backoff().resetAfter().toNanos())
      child.failures = 0;
    child.wasUp = false;
  }

  /** The child and those that are started again with it. */
  private List<Child> affected(Child failed) {
    if (spec.recovery() == Recovery.ONE) return List.of(failed);
    if (spec.recovery() == Recovery.ALL) return List.copyOf(children);
    Set<Child> found = new LinkedHashSet<>(Set.of(failed));
    var open = new ArrayDeque<>(Set.of(failed));
    for (Child next; (next = open.poll()) != null; )
      for (Child other : spec.recovery() == Recovery.DOWNSTREAM ? next.dependents : next.dependsOn)
        if (found.add(other)) open.add(other);
    return new ArrayList<>(found);
  }

  // ---- starting --------------------------------------------------------------------------------

  private Child addChild(ChildSpec<?> childSpec) {
    var child = new Child(childSpec, this);
    nursery.create(child); // first: a child that cannot be made is none
    children.add(child);
    if (childSpec.name() != null) byName.put(childSpec.name(), child);
    if (spec.shape() == SupervisorSpec.Shape.ROW) {
      if (last != null) link(child, last);
      last = child;
    }
    if (childSpec.significant()) significant++;
    counts[child.state.ordinal()]++;
    update(child);
    return child;
  }

  private void connect(Child child) {
    for (String other : child.spec.dependsOn())
      link(child, Objects.requireNonNull(byName.get(other)));
  }

  private static void link(Child child, Child to) {
    child.dependOn(to);
    if (!to.met) child.unmet++;
  }

  /** Lets those that depend on a child know when it has come, or gone. */
  private void update(Child child) {
    if (isMet(child) == child.met) return;
    var open = new ArrayDeque<>(List.of(child));
    for (Child changed; (changed = open.poll()) != null; ) {
      boolean met = isMet(changed);
      if (met == changed.met) continue;
      changed.met = met;
      for (Child next : List.copyOf(changed.dependents)) {
        next.unmet += met ? -1 : 1;
        if (next.state == ChildState.ENDED) open.add(next);
        else if (met) tryStart(next);
        nursery.breathe();
      }
    }
  }

  /** Who has ended is nothing to wait for; those that it depended on are, in its place. */
  private boolean isMet(Child child) {
    if (child.state == ChildState.ENDED) return child.unmet == 0;
    return spec.shape() == SupervisorSpec.Shape.GRAPH
        ? child.state == ChildState.UP
        : !child.inWave;
  }

  /**
   * Starts a child that came alone. In a row it is one of those that start, if it waits for one.
   */
  private void startBehind(Child child) {
    if (child.inStop || spec.shape() == SupervisorSpec.Shape.ROW && child.unmet > 0) join(child);
    tryStart(child);
  }

  private void join(Child child) {
    if (child.inWave || child.state == ChildState.ENDED || child.state == ChildState.ENDING) return;
    if (child.spec.restart() == RestartType.TEMPORARY && child.isLive())
      return; // it will not come back
    child.inWave = true;
    if (spec.recovery() != Recovery.ONE) wave.add(child); // else nobody is held up by the others
    if (child.timed) waveTimers++;
    update(child);
  }

  private void leaveWave(Child child) {
    untime(child);
    if (!child.inWave) return;
    child.inWave = false;
    if (spec.recovery() != Recovery.ONE) wave.remove(child);
    update(child);
  }

  /**
   * Starts those of the wave that wait for nobody, once all are down and no delay is left. Only
   * where somebody was held up by that: who becomes able to start otherwise is tried by itself.
   */
  private void startWave() {
    if (!waveHeldUp || stopping || isHeldUp()) return;
    waveHeldUp = false;
    for (Child child : List.copyOf(wave)) {
      looks++;
      tryStart(child);
      nursery.breathe();
    }
  }

  private void tryStart(Child child) {
    if (stopping || gaveUp || child.state != ChildState.WAITING || child.timed) return;
    if (child.unmet > 0) return;
    if (child.inWave && isHeldUp()) {
      waveHeldUp = true;
      return;
    }
    child.started = true;
    child.asked = false;
    move(child, ChildState.STARTING);
    nursery.start(child);
  }

  /** Who is started again alone waits for no others. */
  private boolean isHeldUp() {
    return spec.recovery() != Recovery.ONE && (stopsLeft > 0 || waveTimers > 0);
  }

  private void time(Child child, long now, Duration delay) {
    untime(child);
    child.timed = true;
    if (child.inWave) waveTimers++;
    child.dueAt = now + delay.toNanos();
    child.delayTicket = ++child.tickets;
    nursery.schedule(child, delay, child.delayTicket);
  }

  private void untime(Child child) {
    if (!child.timed) return;
    child.timed = false;
    nursery.unschedule(child, child.delayTicket);
    if (child.inWave) waveTimers--;
  }

  // ---- stopping --------------------------------------------------------------------------------

  private void takeDown(Child child, boolean toRestart) {
    child.told = true;
    noteHealth(child, nursery.nanoTime());
    move(child, ChildState.STOPPING);
    if (isWithoutEnd(child)) nursery.leaveOutEnd(child);
    nursery.takeDown(child, toRestart);
    setDeadline(child);
  }

  /** For good. */
  private void end(Child child, @Nullable StopReason reason) {
    child.told = true;
    leaveWave(child);
    move(child, ChildState.ENDING);
    if (isWithoutEnd(child)) nursery.leaveOutEnd(child);
    nursery.end(child, reason);
    setDeadline(child);
  }

  /** There is nothing to kill where it has ended by itself; only its last turn is left out. */
  private static boolean isWithoutEnd(Child child) {
    return child.asked && child.spec.stopDeadline().isZero();
  }

  private void setDeadline(Child child) {
    Duration deadline = child.spec.stopDeadline();
    dropDeadline(child);
    if (deadline.isZero()) {
      if (!child.asked) nursery.kill(child);
    } else if (deadline.compareTo(ChildSpec.FOREVER) < 0) {
      child.stopTicket = ++child.tickets;
      nursery.schedule(child, deadline, child.stopTicket);
    }
  }

  private void dropDeadline(Child child) {
    if (child.stopTicket == 0) return;
    nursery.unschedule(child, child.stopTicket);
    child.stopTicket = 0;
  }

  /**
   * Stops these, each after all of them that depend on it, directly or through others. So those
   * that are down already count as well: each passes on that the ones behind it are down.
   */
  private void stopInOrder(Collection<Child> set) {
    List<Child> added = new ArrayList<>();
    for (Child child : set)
      if (!child.inStop) {
        await(child);
        added.add(child);
        nursery.breathe();
      }
    for (int i = added.size() - 1; i >= 0; i--) {
      settle(added.get(i));
      nursery.breathe();
    }
  }

  private void await(Child child) {
    child.inStop = true;
    child.told = child.state == ChildState.STOPPING || child.state == ChildState.ENDING;
    stopsLeft++;
    child.before = 0;
    for (Child next : child.dependents) if (next.inStop) child.before++;
    for (Child other : child.dependsOn) if (other.inStop) other.before++;
  }

  private void tell(Child child) {
    if (child.told) return;
    if (stopping ? isToEnd(child) : child.spec.restart() == RestartType.TEMPORARY)
      end(child, BY_SUPERVISOR);
    else takeDown(child, !stopping);
  }

  /** Goes on with a stop as far as this child, and those that wait for it, let it. */
  private void settle(Child child) {
    if (!child.inStop || child.before > 0) return;
    var open = new ArrayDeque<>(List.of(child));
    for (Child next; (next = open.poll()) != null; ) {
      nursery.breathe();
      if (next.isLive()) {
        tell(next);
        continue;
      }
      next.inStop = false;
      next.told = false;
      stopsLeft--;
      for (Child other : next.dependsOn) if (other.inStop && --other.before == 0) open.add(other);
    }
  }

  /** It is no child any more; those around it in a row close ranks. */
  private void forget(Child child) {
    if (!has(child)) return;
    children.takeOut(child);
    child.of = null;
    counts[child.state.ordinal()]--;
    if (child.spec.name() != null) byName.remove(child.spec.name(), child);
    for (Child next : child.dependents) {
      next.dependsOn.remove(child);
      if (!child.met) next.unmet--;
    }
    for (Child other : child.dependsOn) other.dependents.remove(child);
    if (spec.shape() == SupervisorSpec.Shape.ROW) closeRanks(child);
    if (spec.shape() == SupervisorSpec.Shape.GRAPH) noteMissing(child);
    if (child.inStop) { // those behind it are not down yet
      child.inStop = false;
      stopsLeft--;
      for (Child other : child.dependsOn) if (other.inStop && --other.before == 0) settle(other);
    }
    for (Child next : child.dependents) {
      update(next);
      tryStart(next);
    }
  }

  private void noteMissing(Child child) {
    if (!child.dependents.isEmpty())
      missing.put(Objects.requireNonNull(child.spec.name()), new LinkedHashSet<>(child.dependents));
    for (String other : child.spec.dependsOn())
      missing.computeIfPresent(
          other,
          (_, waiting) -> {
            waiting.remove(child);
            return waiting.isEmpty() ? null : waiting;
          });
  }

  private void closeRanks(Child child) {
    Child previous = child.dependsOn.isEmpty() ? null : child.dependsOn.getFirst();
    if (last == child) last = previous;
    if (previous == null) return;
    for (Child next : child.dependents) {
      link(next, previous);
      if (next.inStop && previous.inStop) previous.before++;
    }
  }
}
