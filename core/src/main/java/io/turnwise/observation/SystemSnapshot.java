package io.turnwise.observation;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * Counters of a system since it was opened.
 *
 * @param actorsLive actors that have not ended
 * @param actorsSpawned actors ever started
 * @param messagesHandled messages whose handler returned
 * @param messagesFailed messages whose handler threw
 * @param signalsHandled signals of the runtime that were handled
 * @param slices times a worker took up an actor
 * @param suspensions times a turn was suspended in the middle
 * @param steals actors that an idle worker took from another
 * @param parks times a worker went to sleep
 * @param foreignSlices slices of virtual threads that handlers started themselves
 * @param preemptions slices that were stopped in the middle of a handler
 * @param masksOverrun sections in {@code Masked} that ended after their limit; one whose handler
 *     had to be left behind never ends, and counts there
 * @param crashes handlers that threw, each the end of a life of its actor
 * @param restarts times that an actor was started again
 * @param workersReplaced times that an error ended a worker's loop, which began anew on the same
 *     thread
 * @param workersRelieved times that a spare thread took over what waited behind a handler that
 *     could not be stopped
 * @param handlersAbandoned handlers that could not be ended, so that their actors went on without:
 *     of messages, signals, the start and the end
 * @param handlersLeftBehind those of them that run or wait even now, and may hold a thread or locks
 * @param listenerFailures listeners that threw
 * @param deadLetters dead letters by reason; reasons without any are present with 0
 */
public record SystemSnapshot(
    long actorsLive,
    long actorsSpawned,
    long messagesHandled,
    long messagesFailed,
    long signalsHandled,
    long slices,
    long suspensions,
    long steals,
    long parks,
    long foreignSlices,
    long preemptions,
    long masksOverrun,
    long crashes,
    long restarts,
    long workersReplaced,
    long workersRelieved,
    long handlersAbandoned,
    long handlersLeftBehind,
    long listenerFailures,
    Map<DeadLetterReason, Long> deadLetters) {

  public SystemSnapshot {
    var inOrder = new EnumMap<DeadLetterReason, Long>(DeadLetterReason.class);
    inOrder.putAll(deadLetters);
    deadLetters = Collections.unmodifiableMap(inOrder);
  }

  /** Dead letters of every reason together. */
  public long deadLettersTotal() {
    return deadLetters.values().stream().mapToLong(Long::longValue).sum();
  }
}
