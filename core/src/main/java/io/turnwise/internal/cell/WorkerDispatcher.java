package io.turnwise.internal.cell;

import io.turnwise.Dispatcher;
import io.turnwise.SystemConfig;
import io.turnwise.internal.scheduler.Scheduler;
import io.turnwise.internal.scheduler.Share;
import io.turnwise.observation.WorkerLoad;
import io.turnwise.scheduling.SchedulingConfig;
import io.turnwise.scheduling.ShareGroup;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A scheduler with its settings, as users see it. */
public final class WorkerDispatcher implements Dispatcher {
  private static final VarHandle SCHEDULING;

  static {
    try {
      SCHEDULING =
          MethodHandles.lookup()
              .findVarHandle(WorkerDispatcher.class, "scheduling", SchedulingConfig.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final Scheduler scheduler;
  private final String name;

  /** Replaced by compare-and-set, so that of two changes at a time none is lost. */
  private volatile SchedulingConfig scheduling;

  private final Map<String, ShareGroup> groups = new ConcurrentHashMap<>();
  private final Map<String, Share> shares = new ConcurrentHashMap<>();

  WorkerDispatcher(String name, Scheduler scheduler, SchedulingConfig scheduling) {
    this.name = name;
    this.scheduler = scheduler;
    this.scheduling = scheduling;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int workers() {
    return scheduler.workerCount();
  }

  @Override
  public void resize(int workers) {
    if (workers < 1 || workers > SystemConfig.MAX_WORKERS)
      throw new IllegalArgumentException(
          "Dispatcher.resize of "
              + name
              + ": workers is "
              + workers
              + "; use 1 to "
              + SystemConfig.MAX_WORKERS);
    scheduler.resize(workers);
  }

  @Override
  public SchedulingConfig scheduling() {
    return scheduling;
  }

  @Override
  public void configure(UnaryOperator<SchedulingConfig> change) {
    Objects.requireNonNull(
        change, "Dispatcher.configure: the change is null; return the given scheduling, changed");
    if (scheduler.isStopped())
      throw new IllegalStateException(
          "The dispatcher "
              + name
              + " is closed, and runs nobody whose scheduling could change. [DISPATCHER-CLOSED]\n"
              + "  next:  configure it before close, or open another system");
    SchedulingConfig now;
    SchedulingConfig next;
    do { // no lock: the change is a user's code
      now = scheduling;
      next =
          Objects.requireNonNull(
              change.apply(now),
              "Dispatcher.configure: the new scheduling is null; return the given one, changed");
      refuseGroup(next);
    } while (!SCHEDULING.compareAndSet(this, now, next));
  }

  private void refuseGroup(SchedulingConfig next) {
    if (next.group() == null) return;
    throw new IllegalArgumentException(
        "Dispatcher.configure of "
            + name
            + ": a dispatcher is in no ShareGroup, and was given "
            + next.group()
            + "; put it into the ActorSpec.withScheduling of the actors that share it");
  }

  /** The share of a group; the first spec that names a group makes it. */
  @Nullable Share share(@Nullable ShareGroup group) {
    if (group == null) return null;
    ShareGroup first = groups.computeIfAbsent(group.name(), _ -> group);
    if (!first.equals(group))
      throw new IllegalArgumentException(
          "The share group "
              + group.name()
              + " is "
              + first
              + " already, and now "
              + group
              + ". [SHARE-GROUP]\n  next:  use one ShareGroup, or another name");
    return shares.computeIfAbsent(
        group.name(), _ -> scheduler.newShare(group.weight(), group.ceiling()));
  }

  /** Whether anybody works, or waits for the ticking thread to let it. */
  boolean isBusy() {
    if (scheduler.isBusy()) return true;
    for (Share share : shares.values()) if (share.hasPutOff()) return true;
    return false;
  }

  @Override
  public List<WorkerLoad> loads() {
    List<WorkerLoad> loads = new ArrayList<>();
    scheduler.eachLoad(
        (worker, queued, wheelTurn, asleep, usage) ->
            loads.add(new WorkerLoad(worker, queued, Duration.ofNanos(wheelTurn), asleep, usage)));
    return List.copyOf(loads);
  }
}
