package io.turnwise.scheduling;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How much an actor may do before others get their turn. A slice ends when the mailbox is empty,
 * when {@code throughput} messages are done, or when {@code quantum} is used up; and between two
 * messages when it is older than 0.05 ms and somebody waits. An actor whose slices take only
 * microseconds, and that is behind with its work, may get up to four slices before the next one.
 *
 * @param throughput messages handled and sent in one slice, at most. 1 is fairest; more saves
 *     hand-overs between actors. The default of 100 was measured to be within a few percent of
 *     unlimited
 * @param quantum time in a row, at most. Shorter lets others in sooner; an actor that uses its
 *     whole quantum waits until every other busy actor has had one. A longer one is a larger share
 * @param preemptible whether its handlers may be stopped in the middle; between messages they give
 *     way in any case
 * @param group with whom it shares its time, or null for all the others. Only an actor has one, by
 *     its spec or by itself: the scheduling of a system or a dispatcher is refused with one
 */
public record SchedulingConfig(
    int throughput, Duration quantum, boolean preemptible, @Nullable ShareGroup group) {
  private static final Duration SHORTEST = Duration.ofNanos(100_000);
  private static final Duration LONGEST = Duration.ofSeconds(1);

  /** 100 messages or 10 ms. */
  public static final SchedulingConfig DEFAULT = new SchedulingConfig(100, Duration.ofMillis(10));

  /** One message at a time, 1 ms: for actors that must never make others wait. */
  public static final SchedulingConfig LATENCY = new SchedulingConfig(1, Duration.ofMillis(1));

  /** Long slices: for batch work that nobody waits for. */
  public static final SchedulingConfig BATCH = new SchedulingConfig(1_000, Duration.ofMillis(50));

  public SchedulingConfig {
    if (throughput < 1)
      throw new IllegalArgumentException(
          "SchedulingConfig.throughput is " + throughput + "; use 1 for the fairest, or more");
    if (quantum == null || quantum.compareTo(SHORTEST) < 0 || quantum.compareTo(LONGEST) > 0)
      throw new IllegalArgumentException(
          "SchedulingConfig.quantum is " + quantum + "; use 0.1 ms to 1 s, usually 10 ms");
  }

  /** Preemptible. */
  public SchedulingConfig(int throughput, Duration quantum) {
    this(throughput, quantum, true, null);
  }

  public SchedulingConfig withThroughput(int throughput) {
    return new SchedulingConfig(throughput, quantum, preemptible, group);
  }

  public SchedulingConfig withQuantum(Duration quantum) {
    return new SchedulingConfig(throughput, quantum, preemptible, group);
  }

  public SchedulingConfig withPreemptible(boolean preemptible) {
    return new SchedulingConfig(throughput, quantum, preemptible, group);
  }

  public SchedulingConfig withGroup(ShareGroup group) {
    return new SchedulingConfig(throughput, quantum, preemptible, group);
  }
}
