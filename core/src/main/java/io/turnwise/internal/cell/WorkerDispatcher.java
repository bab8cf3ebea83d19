package io.turnwise.internal.cell;

import io.turnwise.Dispatcher;
import io.turnwise.SystemConfig;
import io.turnwise.internal.scheduler.Scheduler;
import io.turnwise.internal.scheduler.Share;
import io.turnwise.observation.WorkerLoad;
import io.turnwise.scheduling.SchedulingConfig;
import io.turnwise.scheduling.ShareGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A scheduler with its settings, as users see it. */
public final class WorkerDispatcher implements Dispatcher {
  final Scheduler scheduler;
  private final String name;
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
    scheduling =
        java.util.Objects.requireNonNull(change.apply(scheduling), "the new scheduling is null");
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

  @Override
  public List<WorkerLoad> loads() {
    List<WorkerLoad> loads = new ArrayList<>();
    scheduler.eachLoad(
        (worker, queued, wheelTurn, asleep, usage) ->
            loads.add(new WorkerLoad(worker, queued, Duration.ofNanos(wheelTurn), asleep, usage)));
    return List.copyOf(loads);
  }
}
