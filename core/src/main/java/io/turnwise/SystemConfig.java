package io.turnwise;

import io.turnwise.scheduling.SchedulingConfig;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Settings of a whole system.
 *
 * @param workers worker threads of the default dispatcher; one for each processor is what was
 *     measured best, more only adds context switches
 * @param scheduling how long actors may run at a time
 * @param callTimeout how long {@link ActorRef#call} waits where no timeout is given
 * @param closeDeadline how long {@link ActorSystem#close()} waits for actors to finish
 * @param dispatchers further dispatchers: name to number of workers
 * @param rootFailure what happens when a supervisor at the top has failed
 * @param closeOnShutdown whether a terminating JVM (SIGTERM, {@code System.exit}) closes the system
 * @param maxPendingTimers how many callbacks may be pending in {@link ActorSystem#timers()} at a
 *     time, give or take one for each thread that schedules in the same instant; more are refused.
 *     Each takes about 80 bytes. Timers of actors do not count
 */
public record SystemConfig(
    int workers,
    SchedulingConfig scheduling,
    Duration callTimeout,
    Duration closeDeadline,
    Map<String, Integer> dispatchers,
    boolean closeOnShutdown,
    RootFailure rootFailure,
    int maxPendingTimers) {

  /** More workers than any machine has processors is a mistake in the making. */
  public static final int MAX_WORKERS = 1024;

  public static final SystemConfig DEFAULT =
      new SystemConfig(
          Math.min(MAX_WORKERS, Runtime.getRuntime().availableProcessors()),
          SchedulingConfig.DEFAULT,
          Duration.ofSeconds(5),
          Duration.ofSeconds(5),
          Map.of(),
          true,
          RootFailure.CLOSE,
          1_000_000);

  public SystemConfig {
    checkWorkers("SystemConfig.workers", workers);
    Objects.requireNonNull(
        scheduling, "SystemConfig.scheduling is null; use SchedulingConfig.DEFAULT");
    if (scheduling.group() != null)
      throw new IllegalArgumentException(
          "SystemConfig.scheduling is in a ShareGroup, "
              + scheduling.group()
              + "; put it into the ActorSpec.withScheduling of the actors that share it");
    checkPositive("SystemConfig.callTimeout", callTimeout);
    checkPositive("SystemConfig.closeDeadline", closeDeadline);
    Objects.requireNonNull(dispatchers, "SystemConfig.dispatchers is null; use Map.of()");
    dispatchers.forEach(
        (name, count) -> {
          if (name == null || count == null)
            throw new IllegalArgumentException(
                "SystemConfig.dispatchers has "
                    + name
                    + "="
                    + count
                    + "; name it and give a count");
          if (name.equals(ActorSpec.DEFAULT_DISPATCHER) || name.isBlank())
            throw new IllegalArgumentException(
                "SystemConfig.dispatchers has the name '"
                    + name
                    + "'; give it one of its own, and set the default one by withWorkers");
          checkWorkers("SystemConfig.dispatchers[" + name + "]", count);
        });
    dispatchers = Map.copyOf(dispatchers);
    Objects.requireNonNull(rootFailure, "SystemConfig.rootFailure is null; use RootFailure.CLOSE");
    if (maxPendingTimers < 1)
      throw new IllegalArgumentException(
          "SystemConfig.maxPendingTimers is "
              + maxPendingTimers
              + "; use a positive number, as many as may wait at the same time");
  }

  static void checkWorkers(String what, int workers) {
    if (workers < 1 || workers > MAX_WORKERS)
      throw new IllegalArgumentException(
          what + " is " + workers + "; use 1 to " + MAX_WORKERS + ", usually one per processor");
  }

  private static void checkPositive(String what, Duration value) {
    if (value == null || value.isZero() || value.isNegative())
      throw new IllegalArgumentException(what + " is " + value + "; use a positive duration");
  }

  public SystemConfig withWorkers(int workers) {
    return new SystemConfig(
        workers,
        scheduling,
        callTimeout,
        closeDeadline,
        dispatchers,
        closeOnShutdown,
        rootFailure,
        maxPendingTimers);
  }

  public SystemConfig withScheduling(SchedulingConfig scheduling) {
    return new SystemConfig(
        workers,
        scheduling,
        callTimeout,
        closeDeadline,
        dispatchers,
        closeOnShutdown,
        rootFailure,
        maxPendingTimers);
  }

  public SystemConfig withQuantum(Duration quantum) {
    return withScheduling(scheduling.withQuantum(quantum));
  }

  public SystemConfig withThroughput(int throughput) {
    return withScheduling(scheduling.withThroughput(throughput));
  }

  public SystemConfig withCallTimeout(Duration callTimeout) {
    return new SystemConfig(
        workers,
        scheduling,
        callTimeout,
        closeDeadline,
        dispatchers,
        closeOnShutdown,
        rootFailure,
        maxPendingTimers);
  }

  public SystemConfig withCloseDeadline(Duration closeDeadline) {
    return new SystemConfig(
        workers,
        scheduling,
        callTimeout,
        closeDeadline,
        dispatchers,
        closeOnShutdown,
        rootFailure,
        maxPendingTimers);
  }

  /** Adds a dispatcher with its own workers, for actors whose spec names it. */
  public SystemConfig withDispatcher(String name, int workers) {
    var all = new LinkedHashMap<>(dispatchers);
    all.put(name, workers);
    return new SystemConfig(
        this.workers,
        scheduling,
        callTimeout,
        closeDeadline,
        all,
        closeOnShutdown,
        rootFailure,
        maxPendingTimers);
  }

  public SystemConfig withCloseOnShutdown(boolean closeOnShutdown) {
    return new SystemConfig(
        workers,
        scheduling,
        callTimeout,
        closeDeadline,
        dispatchers,
        closeOnShutdown,
        rootFailure,
        maxPendingTimers);
  }

  public SystemConfig withRootFailure(RootFailure rootFailure) {
    return new SystemConfig(
        workers,
        scheduling,
        callTimeout,
        closeDeadline,
        dispatchers,
        closeOnShutdown,
        rootFailure,
        maxPendingTimers);
  }

  public SystemConfig withMaxPendingTimers(int maxPendingTimers) {
    return new SystemConfig(
        workers,
        scheduling,
        callTimeout,
        closeDeadline,
        dispatchers,
        closeOnShutdown,
        rootFailure,
        maxPendingTimers);
  }
}
