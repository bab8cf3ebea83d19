package io.turnwise.internal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.Await;
import io.turnwise.internal.door.JdkDoor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Memory is out just when the scheduler has a task in its hands. */
class NoMemoryTest {
  private final Scheduler scheduler =
      new Scheduler("no-memory", 1, 1, new Tick(System::nanoTime), false, () -> {}, _ -> {});
  private final AtomicBoolean over = new AtomicBoolean();
  private boolean memoryIsOut;

  @BeforeAll
  static void open() {
    JdkDoor.open();
  }

  @AfterEach
  void stop() {
    scheduler.stop();
    scheduler.letGo();
  }

  /** Waits in its turn until the test says that it is over. */
  private class Waiting extends Task {
    final List<String> done = new ArrayList<>();

    @Override
    protected boolean runSlice(Seat seat) {
      seat.beginTurn();
      seat.beginTiming(this);
      code((Fiber) seat);
      seat.charge(this);
      done.add("turn");
      return false;
    }

    void code(Fiber fiber) {
      memoryIsOut = true;
      fiber.await(over::get);
    }

    @Override
    protected Runner runner() {
      return scheduler;
    }

    @Override
    protected int quantum() {
      if (memoryIsOut) throw new OutOfMemoryError("as if");
      return 10_000_000;
    }
  }

  private void run(Task task) {
    if (scheduler.enqueue(task, null)) scheduler.rouse(task);
    scheduler.runUntilIdle(_ -> {});
  }

  @Test
  void aTurnWhoseTimeCouldNotBeBookedIsSuspendedAndGoesOn() {
    var waiting = new Waiting();
    run(waiting);
    Fiber fiber = waiting.suspended;
    assertThat(fiber).as("who resumes it must find it").isNotNull();
    memoryIsOut = false;
    over.set(true);
    fiber.resume();
    scheduler.runUntilIdle(_ -> {});
    assertThat(waiting.done).containsExactly("turn");
  }

  /** Refuses what it is given once. */
  private static final class Scarce implements Runner {
    final List<Task> queued = new CopyOnWriteArrayList<>();
    private boolean refused;

    @Override
    public boolean enqueue(Task task, Fiber here) {
      if (!refused) {
        refused = true;
        throw new OutOfMemoryError("as if");
      }
      queued.add(task);
      return true;
    }

    @Override
    public void rouse(Task task) {
      throw new OutOfMemoryError("as if");
    }
  }

  private static final class Elsewhere extends Task {
    private final Runner runner;

    Elsewhere(Runner runner) {
      this.runner = runner;
    }

    @Override
    protected boolean runSlice(Seat seat) {
      return false;
    }

    @Override
    protected Runner runner() {
      return runner;
    }

    @Override
    protected int quantum() {
      return 10_000_000;
    }
  }

  @Test
  void ofThoseThatWereStrandedNoneIsLost() throws Exception {
    var scarce = new Scarce();
    var first = new Elsewhere(scarce);
    var second = new Elsewhere(scarce);
    run(
        new Waiting() {
          @Override
          void code(Fiber fiber) {
            second.queueNext = null;
            first.queueNext = second;
            fiber.stranded = first;
          }
        });
    assertThat(scarce.queued).as("the other does not wait for it").contains(second);
    Await.until(
        "the first is queued",
        () -> {
          StrandedTasks.rescue(); // or the ticker of any system
          return scarce.queued.contains(first);
        });
    assertThat(scarce.queued).containsExactly(second, first);
  }
}
