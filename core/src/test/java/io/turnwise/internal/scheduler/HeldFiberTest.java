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
}
