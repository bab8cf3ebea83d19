package io.turnwise.internal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Turns that are taken from their threads. */
class SeatTest {
  private static final StackTraceElement[] IN_A_HANDLER = {
    new StackTraceElement("shop.Cart", "receive", "Cart.java", 7),
    new StackTraceElement("io.turnwise.internal.cell.ActorCell", "turn", "ActorCell.java", 1),
  };

  /** A thread whose stack is what the test says. */
  private static final class Posing extends Thread {
    private final Supplier<StackTraceElement[]> stack;

    Posing(Supplier<StackTraceElement[]> stack) {
      this.stack = stack;
    }

    @Override
    public StackTraceElement[] getStackTrace() {
      return stack.get();
    }
  }

  private final Task task = new Idle(1);
  private final Seat seat =
      new Seat(new Counters(), new Tick(System::nanoTime)) {
        @Override
        boolean isHere(Task receiver) {
          return true;
        }
      };

  private AbandonedTurn taken(Supplier<StackTraceElement[]> stack) {
    var thread = new Posing(stack);
    return seat.abandonRunning(task, thread, thread, null, () -> true);
  }

  @Test
  void aTurnThatCouldNotBeTakenForWantOfMemoryCanBeTakenLater() {
    seat.task = task;
    seat.enterHandler();
    assertThatThrownBy(
            () ->
                taken(
                    () -> {
                      throw new OutOfMemoryError("for the test");
                    }))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(taken(() -> IN_A_HANDLER)).as("where the turn was").isNotNull();
  }

  @Test
  void aTurnThatIsNotInItsHandlersCodeIsLeftAlone() {
    seat.task = task;
    seat.enterHandler();
    assertThat(taken(() -> new StackTraceElement[] {IN_A_HANDLER[1]})).isNull();
    assertThat(seat.isAbandoned()).isFalse();
    seat.leaveHandler();
    assertThat(taken(() -> IN_A_HANDLER)).as("after its handler").isNull();
  }

  @Test
  void whatATaskSendsToItselfIsNoPartOfAStream() {
    var receiver = new Idle(2);
    receiver.home = 3;
    seat.task = task;
    seat.begin(task);
    seat.sends(receiver);
    seat.sends(receiver);
    seat.sends(task);
    assertThat(seat.sentTo()).isEqualTo(3);
    assertThat(seat.sends()).as("counted all the same").isEqualTo(3);
  }
}
