package io.turnwise.internal.cell;

import io.turnwise.ActorSystem;
import io.turnwise.observation.DeadLetter;
import io.turnwise.observation.DeadLetterReason;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Counts every message that will not be handled, and shows it to who listens. The count is exact; a
 * listener that is slower than the flood misses some.
 */
final class DeadLetterOffice {
  private final Map<DeadLetterReason, LongAdder> counts = new EnumMap<>(DeadLetterReason.class);
  private final List<Listener<DeadLetter>> listeners = new CopyOnWriteArrayList<>();
  private final LocalActorSystem system;

  DeadLetterOffice(LocalActorSystem system) {
    this.system = system;
    for (DeadLetterReason reason : DeadLetterReason.values()) counts.put(reason, new LongAdder());
  }

  /**
   * Any thread, also in the middle of a send: counts and enqueues, nothing else. Once it is counted
   * its sender must not be told otherwise: without memory to show it, it is not shown.
   */
  void add(Object message, ActorCell<?> recipient, DeadLetterReason reason) {
    count(reason);
    try {
      show(message, recipient, reason);
    } catch (Throwable unshown) {
      // It is counted.
    }
  }

  private void show(Object message, ActorCell<?> recipient, DeadLetterReason reason) {
    Witness witness = system.witness;
    boolean wanted = witness != null || !listeners.isEmpty();
    if (!wanted && !system.reporter.wantsDeadLetter()) return;
    var letter = new DeadLetter(message, recipient.path(), reason);
    if (witness != null) witness.deadLetter(letter);
    for (Listener<DeadLetter> listener : listeners) listener.show(letter);
    system.reporter.deadLetter(letter);
  }

  void count(DeadLetterReason reason) {
    LongAdder adder = counts.get(reason);
    if (adder != null) adder.increment();
  }

  Map<DeadLetterReason, Long> counts() {
    Map<DeadLetterReason, Long> sums = new EnumMap<>(DeadLetterReason.class);
    counts.forEach((reason, adder) -> sums.put(reason, adder.sum()));
    return sums;
  }

  long total() {
    return counts.values().stream().mapToLong(LongAdder::sum).sum();
  }

  ActorSystem.Registration listen(Consumer<? super DeadLetter> consumer) {
    var listener = new Listener<DeadLetter>("dead letter listener", consumer, system);
    listeners.add(listener);
    return () -> {
      listeners.remove(listener);
      listener.close();
    };
  }
}
