package io.turnwise.internal.cell;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.Context;
import io.turnwise.observation.DeadLetter;
import io.turnwise.observation.MailboxGrowth;
import io.turnwise.time.TimerHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Says what a person must know, through {@link System.Logger}: crashes and the first dead letters.
 * At most {@link #LINES_A_MINUTE} lines a minute of each; the rest are counted and summed up. What
 * is in a message is not written, and no line is longer than {@link Shortened} says. Writing a log
 * may block, so an actor on the internal dispatcher does it.
 */
final class Reporter {
  static final int LINES_A_MINUTE = 10;
  private static final System.Logger LOG = System.getLogger("io.turnwise");

  private final LocalActorSystem system;
  private final Allowance crashes = new Allowance();
  private final Allowance letters = new Allowance();
  private volatile @org.jspecify.annotations.Nullable ActorRef<Entry> writer;

  private sealed interface Entry {}

  /** What is written. */
  private record Line(
      System.Logger.Level level, String text, @org.jspecify.annotations.Nullable Throwable cause)
      implements Entry {}

  /** All before it has been written. */
  private record Mark(CompletableFuture<Void> reached) implements Entry {}

  private static final class Writer implements Actor<Entry> {
    @Override
    public void receive(Entry entry, Context<Entry> context) {
      switch (entry) {
        case Line line -> write(line);
        case Mark(CompletableFuture<Void> reached) -> reached.complete(null);
      }
    }

    private static void write(Line line) {
      try {
        if (line.cause == null) LOG.log(line.level, line.text);
        else LOG.log(line.level, line.text, Shortened.of(line.cause));
      } catch (Throwable broken) { // a logger, or an exception that cannot be printed
        System.err.println(
            "Turnwise could not log (" + broken.getClass().getName() + "): " + line.text);
      }
    }
  }

  /** So many lines a minute, by the tick. */
  private final class Allowance {
    private final AtomicInteger used = new AtomicInteger();
    private volatile int since;

    boolean spend() {
      int now = system.tick.now();
      if (now - since > 60_000) {
        since = now;
        int passedOver = used.getAndSet(0) - LINES_A_MINUTE;
        if (passedOver > 0)
          write(System.Logger.Level.WARNING, passedOver + " similar lines were left out", null);
      }
      return used.incrementAndGet() <= LINES_A_MINUTE;
    }

    boolean isLeft() {
      return used.get() < LINES_A_MINUTE || system.tick.now() - since > 60_000;
    }
  }

  Reporter(LocalActorSystem system) {
    this.system = system;
  }

  void open() {
    writer = system.spawnInternal("log", Writer::new);
  }

  /** The result is done when all that was said so far has been written. */
  CompletableFuture<Void> flush() {
    var written = new CompletableFuture<Void>();
    ActorRef<Entry> to = writer;
    if (to != null) to.cast(new Mark(written));
    else written.complete(null);
    return written;
  }

  void crashed(ActorCell<?> actor, String doing, Throwable cause) {
    Witness witness = system.witness;
    if (witness != null) witness.crashed(actor, doing, cause);
    if (crashes.spend())
      write(
          System.Logger.Level.WARNING,
          "Actor "
              + actor.path()
              + " crashed in "
              + doing
              + actor.whatFollows(cause)
              + ". [ACTOR-CRASHED]",
          cause);
  }

  void timerFailed(TimerHandle timer, Throwable cause) {
    if (crashes.spend())
      write(
          System.Logger.Level.WARNING,
          "The callback of timer "
              + timer.id()
              + " threw; a periodic one goes on. [TIMER-FAILED]\n"
              + "  next:  let the callback catch what it can go on from",
          cause);
  }

  /** Each time: it cannot be often, and explains what was late. */
  void stoodStill(long nanos) {
    announce(
        "The process stood still for "
            + nanos / 1_000_000
            + " ms. Deadlines that passed meanwhile come now; handler timeouts leave that time out."
            + " [STOOD-STILL]\n  next:  look for what stopped it: a signal, a debugger, a machine"
            + " that slept, a long garbage collection, too many processes");
  }

  void grows(MailboxGrowth growth) {
    say(
        "Actor "
            + growth.path()
            + " has "
            + growth.queued()
            + " messages queued, and "
            + Math.round(100 * growth.heapUsed())
            + " % of the heap is in use. [MAILBOX-GROWS]\n"
            + "  next:  bound its mailbox (ActorSpec.withMailbox), or let less be sent to it");
  }

  /** It protects no more then, and a kill or a timeout had to wait for it. */
  void maskOverran(ActorCell<?> actor, long nanos, long limitNanos) {
    say(
        "A masked section of "
            + actor.path()
            + " lasted "
            + nanos / 1_000_000
            + " ms; its limit is "
            + limitNanos / 1_000_000
            + " ms, and beyond that it can be cancelled in the middle. [MASK-OVERRUN]\n"
            + "  next:  mask only what belongs together, and wait for nothing in it");
  }

  boolean wantsDeadLetter() {
    return letters.isLeft();
  }

  void deadLetter(DeadLetter letter) {
    if (letters.spend())
      write(
          System.Logger.Level.INFO,
          "Dead letter for "
              + letter.recipient()
              + ": "
              + letter.message().getClass().getName()
              + " ("
              + letter.reason()
              + "). [DEAD-LETTER]",
          null);
  }

  void say(String text) {
    if (crashes.spend()) write(System.Logger.Level.WARNING, text, null);
  }

  /**
   * Says what is said once and explains all the rest: it must not be left out for the lines about
   * crashes that came before it.
   */
  void announce(String text) {
    write(System.Logger.Level.WARNING, text, null);
  }

  private void write(
      System.Logger.Level level, String whole, @org.jspecify.annotations.Nullable Throwable cause) {
    String text = Shortened.cut(whole, Shortened.LINE);
    if (system.turnWitness != null) {
      system.turnWitness.says(text);
      return;
    }
    ActorRef<Entry> to = writer;
    if (to != null) to.cast(new Line(level, text, cause));
    else LOG.log(level, text);
  }
}
