package io.turnwise.internal.cell;

import io.turnwise.ActorRef;
import io.turnwise.internal.mailbox.BoundedStore;
import io.turnwise.internal.mailbox.Envelope;
import io.turnwise.internal.timer.Ticker;
import io.turnwise.mailbox.Priority;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Objects;

/** Breaks what an actor's cell keeps, and mends it. */
public final class BrokenCells {
  private BrokenCells() {}

  /** A message lies in the mailbox of an idle actor, which nobody wakes for it: the close does. */
  public static Runnable putUnseen(ActorRef<String> actor) {
    var cell = (ActorCell<String>) actor;
    BoundedStore store = Objects.requireNonNull(cell.bounded(), "its mailbox has no bound");
    store.force(new Envelope("unseen", null), Priority.NORMAL);
    return () -> {};
  }

  /** An actor that has ended has kept what it put aside. */
  public static void keepAfterItsEnd(ActorRef<String> actor) {
    try {
      Field belongings = ActorCell.class.getDeclaredField("belongings");
      belongings.setAccessible(true);
      var own = (Belongings) Objects.requireNonNull(belongings.get(actor), "it has none");
      own.asideOrNew().stash(new Envelope("kept", null));
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  /** A timer of an actor is with the ticker, and the actor has ended. */
  public static void leaveTimer(ActorRef<String> actor) {
    var cell = (ActorCell<String>) actor;
    Ticking.later(cell);
  }

  /** A message is said to have arisen that nobody ever handles. */
  public static Runnable countOneTooMany(ActorRef<String> actor) {
    var cell = (ActorCell<String>) actor;
    cell.kind.arises(cell);
    return () -> {};
  }

  private static final class Ticking {
    static void later(ActorCell<String> cell) {
      LocalActorSystem system = cell.kind.system;
      awaitEndOf(system.ticker);
      var timers = new KeyedTimers<>(cell);
      long due = system.tick.nanoTime() + Duration.ofDays(1).toNanos();
      system.ticker.schedule(new KeyedTimer.Once<>(timers, "key", "tick", due));
      if (system.isThreaded()) system.ticker.beatOnce();
    }

    /** A ticking thread that is about to end would empty the wheel once more. */
    private static void awaitEndOf(Ticker ticker) {
      try {
        while (!ticker.awaitStopped(1_000_000_000)) Thread.onSpinWait();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }
}
