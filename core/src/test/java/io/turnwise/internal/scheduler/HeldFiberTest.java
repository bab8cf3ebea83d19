package io.turnwise.internal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.internal.door.JdkDoor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Who wants a suspended turn to end holds it for a moment, and lets go of it whatever happens. */
class HeldFiberTest {
  private final Scheduler scheduler =
      new Scheduler("held", 1, 1, new Tick(System::nanoTime), false, () -> {}, _ -> {});
  private final AtomicBoolean over = new AtomicBoolean();
  private final Waiting waiting = new Waiting();

  @BeforeAll
  static void open() {
    JdkDoor.open();
  }

  @AfterEach
  void stop() {
    scheduler.stop();
    scheduler.letGo();
  }

  /** In a handler that waits until the test says that it is over. */
  private final class Waiting extends Task {
    boolean ended;

    @Override
    protected boolean runSlice(Seat seat) {
      seat.beginTurn();
      seat.enterHandler();
      ((Fiber) seat).await(over::get);
      seat.leaveHandler();
      seat.charge(this);
      ended = true;
      return false;
    }

    @Override
    protected Runner runner() {
      return scheduler;
    }

    @Override
    protected int quantum() {
      return 10_000_000;
    }
  }

  private Fiber suspended() {
    if (scheduler.enqueue(waiting, null)) scheduler.rouse(waiting);
    scheduler.runUntilIdle(_ -> {});
    Fiber fiber = waiting.suspended;
    assertThat(fiber).isNotNull();
    return fiber;
  }

  private static boolean noMemory() {
    throw new OutOfMemoryError("as if");
  }

  @Test
  void aTurnThatCouldNotBeTakenForWantOfMemoryCanBeTakenLater() {
    Fiber fiber = suspended();
    assertThatThrownBy(() -> fiber.abandonSuspended(waiting, HeldFiberTest::noMemory))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(waiting.suspended).isSameAs(fiber);
    assertThat(fiber.abandonSuspended(waiting, () -> true)).isNotNull();
    assertThat(waiting.suspended).isNull();
  }

  @Test
  void aTurnThatCouldNotBeTakenForWantOfMemoryGoesOn() {
    Fiber fiber = suspended();
    assertThatThrownBy(() -> fiber.abandonSuspended(waiting, HeldFiberTest::noMemory))
        .isInstanceOf(OutOfMemoryError.class);
    over.set(true);
    fiber.resume();
    scheduler.runUntilIdle(_ -> {});
    assertThat(waiting.ended).isTrue();
  }

  /** Leaves its turn behind by itself, and blocks while it sees to its actor. */
  private final class Leaving extends Task {
    private int looks;
    boolean hasSeenToItsActor;

    @Override
    protected boolean runSlice(Seat seat) {
      seat.beginTurn();
      seat.enterHandler();
      assertThat(seat.claimHere()).isTrue();
      var fiber = (Fiber) seat;
      fiber.resume(); // the lock is free before the worker has seen that it was waited for
      fiber.await(() -> looks++ > 0);
      hasSeenToItsActor = true;
      seat.abandonHere();
      return false;
    }

    @Override
    protected Runner runner() {
      return scheduler;
    }

    @Override
    protected int quantum() {
      return 10_000_000;
    }
  }

  /** It was dropped in the middle, and its actor was in nobody's hands, for ever. */
  @Test
  void whoLeavesItsTurnBehindIsRunOnWhileItSeesToItsActor() {
    var leaving = new Leaving();
    if (scheduler.enqueue(leaving, null)) scheduler.rouse(leaving);
    scheduler.runUntilIdle(_ -> {});
    assertThat(leaving.hasSeenToItsActor).isTrue();
  }
}
