package io.turnwise.observation;

import java.time.Duration;

/**
 * What an actor or a worker has used so far. Always kept, and so cheap that on workers some of it
 * is sampled, about once a millisecond: to read the clock for each message would cost as much as
 * the message.
 *
 * <p>On {@code Backend.BLOCKING} and {@code THREAD} an actor's time, processor time and memory are
 * measured slice by slice, and a handler that runs shows what it has used up to the moment of the
 * look. What code uses after its actor has gone on without it is nobody's.
 *
 * <p>On workers:
 *
 * @param ran time on a thread. Exact, to the nanosecond: for an actor from the second message of a
 *     slice on, after a turn was stopped in the middle, and for virtual threads that the actor
 *     started. Sampled: the first message of a slice, which is mostly its only one, the first
 *     sixty-four if the slice before took less than 20 µs and no tick has passed, and workers.
 *     Whoever runs at a tick pays for the time since the last one; so a handler of many
 *     milliseconds is right to about a tick, short ones are right on average, and who has run for a
 *     few milliseconds in all may show nothing. One that lasts is seen while it runs, as of the
 *     last tick
 * @param cpu processor time. For a worker that of its thread, as of a few ticks ago; for an actor
 *     an estimate: at each tick the actor in hand pays for what one of the workers has used since
 *     that was last looked at
 * @param allocatedBytes memory allocated; likewise
 * @param waited time runnable without a thread, on any backend: each wait to a millisecond, so that
 *     waits below one are right on average. A wait is added when it is over; for the one under way
 *     see {@link ActorSnapshot#since}. For a worker: what the actors had waited that it took up, in
 *     whichever queue; not threads that they started
 * @param preemptions how often a turn, or a thread that the actor started, was stopped in the
 *     middle; exact
 */
public record Usage(
    Duration ran, Duration cpu, long allocatedBytes, Duration waited, long preemptions) {
  /** Nothing yet. */
  public static final Usage NONE = new Usage(Duration.ZERO, Duration.ZERO, 0, Duration.ZERO, 0);
}
