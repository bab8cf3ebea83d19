package io.turnwise.observation;

import java.time.Duration;

/**
 * What an actor or a worker has used so far. Always kept, and so cheap that most of it is sampled,
 * about once a millisecond: right on average, and rough for who has run for a few milliseconds
 * only.
 *
 * @param ran time on a thread: exact for slices of several messages, for turns that were stopped in
 *     the middle and for virtual threads that the actor started, sampled for the rest
 * @param cpu processor time; an estimate, from samples of one worker after another
 * @param allocatedBytes memory allocated; an estimate likewise
 * @param waited time runnable without a thread; a sample. Zero for a worker
 * @param preemptions how often a turn, or a thread that the actor started, was stopped in the
 *     middle; exact
 */
public record Usage(
    Duration ran, Duration cpu, long allocatedBytes, Duration waited, long preemptions) {
  /** Nothing yet. */
  public static final Usage NONE = new Usage(Duration.ZERO, Duration.ZERO, 0, Duration.ZERO, 0);
}
