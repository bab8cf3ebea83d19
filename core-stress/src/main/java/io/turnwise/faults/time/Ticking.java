package io.turnwise.faults.time;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.faults.trial.Broken;
import io.turnwise.time.TimerHandle;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A periodic timer of the service and one of an actor, held to their rule: no time comes early, and
 * each time since the start was either called or counted as missed.
 */
final class Ticking {
  private final ActorSystem system;
  private final long period;
  private final long began;
  private final AtomicLong calls = new AtomicLong();
  private final AtomicLong ticks = new AtomicLong();
  private final AtomicBoolean early = new AtomicBoolean();
  private final TimerHandle timer;
  private final ActorRef<String> actor;

  Ticking(ActorSystem system, Duration period) {
    this.system = system;
    this.period = period.toNanos();
    this.began = System.nanoTime();
    this.timer = system.timers().scheduleAtFixedRate(() -> count(calls), period, period, "ticking");
    this.actor =
        system.spawn(
            "ticking",
            () ->
                (message, context) -> {
                  switch (message) {
                    case "begin" -> context.timers().atFixedRate("tick", period, "tick");
                    case "end" -> context.stop();
                    default -> count(ticks);
                  }
                });
    actor.cast("begin");
  }

  /** The n-th time is not before n periods have passed, missed ones apart. */
  private void count(AtomicLong times) {
    long n = times.incrementAndGet();
    if (System.nanoTime() - (began + n * period) < 0) early.set(true);
  }

  /**
   * @param stood how long the process stood still meanwhile: at least that must have been missed
   */
  void stopAndCheck(Duration stood) throws Exception {
    boolean cancelled = timer.cancel();
    actor.cast("end");
    actor.whenStopped().toCompletableFuture().get(30, TimeUnit.SECONDS);
    long passed = (System.nanoTime() - began) / period;
    long missed = system.timers().metrics().missedTicks();
    if (!cancelled) throw new Broken("a periodic timer ended by itself");
    if (early.get()) throw new Broken("a periodic timer came early");
    long seen = calls.get() + ticks.get();
    // Both together; the last time of each may be on its way, and the ends of both are not one.
    if (seen + missed > 2 * passed)
      throw new Broken(seen + " times came and " + missed + " were missed, of " + 2 * passed);
    long lag = Math.max(10, 200_000_000 / period);
    if (seen + missed < 2 * passed - 2 * lag)
      throw new Broken(
          seen
              + " times came and "
              + missed
              + " were missed, of "
              + 2 * passed
              + ": some are lost");
    long least = 2 * (stood.toNanos() / period) - 2 * lag;
    if (missed < least)
      throw new Broken(
          missed + " times were missed, and " + stood + " of standing still hold " + least);
  }

  String sums() {
    return calls.get()
        + " calls and "
        + ticks.get()
        + " ticks, "
        + system.timers().metrics().missedTicks()
        + " missed";
  }
}
