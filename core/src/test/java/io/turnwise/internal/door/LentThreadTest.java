package io.turnwise.internal.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.internal.door.LentThread.Came;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each thread here is run by the test's own, so nothing happens beside it. */
final class LentThreadTest {
  /** How often its scheduler was told that the thread may go on. */
  private int told;

  private final List<Object> seen = new ArrayList<>();

  @BeforeEach
  void theDoorIsOpen() {
    JdkDoor.open();
  }

  private LentThread started(Runnable body) {
    var lent = new LentThread(_ -> told++, "lent", null, body);
    lent.thread().start();
    told = 0;
    return lent;
  }

  @Test
  void aBodyThatHasReturnedIsRunAnewOnTheSameThread() {
    LentThread lent = started(() -> seen.add(Thread.currentThread()));
    assertThat(List.of(lent.run(), lent.run(), lent.run())).containsOnly(Came.BACK);
    assertThat(seen).hasSize(3).containsOnly(lent.thread());
    assertThat(told).isZero();
  }

  @Test
  void betweenTwoRunsItIsAliveAndHasNoStack() {
    LentThread lent = started(() -> seen.add(Thread.currentThread().getStackTrace().length));
    lent.run();
    assertThat(lent.thread().isAlive()).isTrue();
    assertThat(lent.thread().getState()).isEqualTo(Thread.State.RUNNABLE);
    assertThat(lent.thread().getStackTrace()).isEmpty();
    assertThat(told).as("to look at it is no reason to run it").isZero();
  }

  @Test
  void onceEndedItIsEndedForWhoeverJoinsIt() throws InterruptedException {
    LentThread lent = started(() -> {});
    lent.run();
    lent.end();
    assertThat(lent.thread().join(java.time.Duration.ofSeconds(30))).isTrue();
    assertThat(lent.run()).isEqualTo(Came.NOT_BACK);
  }

  @Test
  void whoGivesWayGoesOnWhereItWasAndNobodyIsTold() {
    LentThread lent =
        started(
            () -> {
              int local = seen.size();
              Thread.yield();
              seen.add(local);
            });
    assertThat(lent.run()).isEqualTo(Came.YIELDED);
    assertThat(told).isZero();
    seen.add("meanwhile");
    assertThat(lent.run()).isEqualTo(Came.BACK);
    assertThat(seen).containsExactly("meanwhile", 0);
    assertThat(lent.run()).as("and begins at its start").isEqualTo(Came.YIELDED);
  }

  @Test
  void whoParksIsToldOfOnceItMayGoOn() {
    LentThread lent = started(() -> LockSupport.park(this));
    assertThat(lent.run()).isEqualTo(Came.NOT_BACK);
    assertThat(lent.run()).as("it still waits").isEqualTo(Came.NOT_BACK);
    assertThat(told).isZero();
    LockSupport.unpark(lent.thread());
    assertThat(told).isEqualTo(1);
    assertThat(lent.run()).isEqualTo(Came.BACK);
    assertThat(lent.run()).as("its permit was used up").isEqualTo(Came.NOT_BACK);
  }

  @Test
  void aPermitThatCameBetweenTwoRunsIsForTheNextWait() {
    LentThread lent = started(() -> LockSupport.park(this));
    LockSupport.unpark(lent.thread());
    assertThat(told).isZero();
    assertThat(lent.run()).isEqualTo(Came.BACK);
  }

  @Test
  void whoWaitsForALockGetsIt() {
    var lock = new ReentrantLock();
    LentThread lent =
        started(
            () -> {
              lock.lock();
              seen.add("inside");
              lock.unlock();
            });
    lock.lock();
    assertThat(lent.run()).isEqualTo(Came.NOT_BACK);
    lock.unlock();
    assertThat(told).isEqualTo(1);
    assertThat(lent.run()).isEqualTo(Came.BACK);
    assertThat(seen).containsExactly("inside");
  }

  @Test
  void anInterruptOfAFreeThreadIsSeenByItsBodyAndNotByWhoRunsIt() {
    LentThread lent = started(() -> seen.add(Thread.currentThread().isInterrupted()));
    lent.run();
    lent.thread().interrupt();
    lent.run();
    assertThat(seen).containsExactly(false, true);
    assertThat(lent.thread().isInterrupted()).isTrue();
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void whoWantsAMonitorGetsIt() {
    var monitor = new Object();
    LentThread lent =
        started(
            () -> {
              synchronized (monitor) {
                seen.add("inside");
              }
            });
    // Not this thread: what it holds, whoever it runs enters as its owner.
    LentThread holder =
        started(
            () -> {
              synchronized (monitor) {
                Thread.yield();
              }
            });
    assertThat(holder.run()).isEqualTo(Came.YIELDED);
    assertThat(lent.run()).isEqualTo(Came.NOT_BACK);
    assertThat(seen).isEmpty();
    assertThat(holder.run()).isEqualTo(Came.BACK);
    while (lent.run() != Came.BACK) Thread.onSpinWait(); // the JVM's own thread lets it go on
    assertThat(seen).containsExactly("inside");
  }

  @Test
  @SuppressWarnings("WaitNotInLoop") // whatever wakes it will do
  void whoWaitsAtAMonitorIsNotifiedAndUsesUpNoPermit() {
    var monitor = new Object();
    LentThread lent =
        started(
            () -> {
              synchronized (monitor) {
                try {
                  monitor.wait();
                } catch (InterruptedException e) {
                  throw new AssertionError("nobody interrupts it", e);
                }
              }
              LockSupport.park(this);
              seen.add("parked no more");
            });
    assertThat(lent.run()).isEqualTo(Came.NOT_BACK);
    LockSupport.unpark(lent.thread());
    assertThat(lent.run()).as("a permit is nothing to who waits there").isEqualTo(Came.NOT_BACK);
    synchronized (monitor) {
      monitor.notifyAll();
    }
    while (lent.run() != Came.BACK) Thread.onSpinWait(); // the JVM's own thread lets it go on
    assertThat(seen).containsExactly("parked no more");
  }

  @Test
  void whoLooksAtTheStackOfOneThatGaveWayHarmsNothing() {
    LentThread lent =
        started(
            () -> {
              Thread.yield();
              seen.add("on");
            });
    assertThat(lent.run()).isEqualTo(Came.YIELDED);
    assertThat(lent.thread().getStackTrace()).isNotEmpty();
    assertThat(told).as("it may have been run in vain meanwhile, so it is said").isEqualTo(1);
    assertThat(lent.run()).isEqualTo(Came.BACK);
    assertThat(seen).containsExactly("on");
  }

  @Test
  void onAVirtualThreadItIsNotRun() throws InterruptedException {
    LentThread lent = started(() -> seen.add("run"));
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                lent.run();
              } catch (WrongThreadException e) {
                seen.add(e.getMessage().contains("[VIRTUAL-CARRIER]"));
              }
            })
        .join();
    assertThat(seen).containsExactly(true);
    assertThat(lent.run()).isEqualTo(Came.BACK);
  }

  @Test
  void itDoesNotEndWhileItRuns() {
    var self = new LentThread[1];
    self[0] = started(() -> self[0].end());
    assertThat(self[0].run()).isEqualTo(Came.BACK);
    assertThat(self[0].thread().isAlive()).isTrue();
  }

  @Test
  void aBodyThatThrowsComesBackAllTheSame() {
    LentThread lent =
        started(
            () -> {
              throw new IllegalStateException("as if");
            });
    lent.thread().setUncaughtExceptionHandler((_, e) -> seen.add(e.getMessage()));
    assertThat(lent.run()).isEqualTo(Came.BACK);
    assertThat(seen).containsExactly("as if");
  }

  @Test
  void whereEvenWhoIsToldOfAnErrorThrowsTheThreadEnds() {
    LentThread lent =
        started(
            () -> {
              throw new IllegalStateException("as if");
            });
    lent.thread()
        .setUncaughtExceptionHandler(
            (_, _) -> {
              throw new IllegalStateException("the handler as well");
            });
    assertThatThrownBy(lent::run).hasMessage("the handler as well");
    assertThat(lent.thread().isAlive()).isFalse();
  }

  /** The JDK asks a scheduler of this type for its timers. */
  private static final class Timers extends ForkJoinPool {
    private final Queue<Throwable> failures = new ArrayDeque<>();
    private Runnable due = () -> {};

    Timers() {
      super(1);
    }

    @Override
    public void execute(Runnable slice) {}

    @Override
    public ScheduledFuture<?> schedule(Runnable action, long delay, TimeUnit unit) {
      failNow();
      due = action;
      return new Timer();
    }

    private void failNow() {
      if (failures.poll() instanceof OutOfMemoryError none) throw none;
    }

    private final class Timer extends CompletableFuture<Object> implements ScheduledFuture<Object> {
      @Override
      public boolean cancel(boolean mayInterruptIfRunning) {
        failNow();
        return super.cancel(mayInterruptIfRunning);
      }

      @Override
      public long getDelay(TimeUnit unit) {
        return 0;
      }

      @Override
      public int compareTo(java.util.concurrent.Delayed other) {
        return 0;
      }
    }
  }

  @Test
  void whoGotNoTimerForWantOfMemoryGetsOneAsSoonAsThereIsSome() {
    try (var timers = new Timers()) {
      var lent = new LentThread(timers, "lent", null, () -> LockSupport.parkNanos(1_000_000));
      lent.thread().start();
      timers.failures.add(new OutOfMemoryError("as if"));
      timers.failures.add(new OutOfMemoryError("as if"));
      assertThat(lent.run()).isEqualTo(Came.NOT_BACK);
      Objects.requireNonNull(timers.due).run();
      assertThat(lent.run()).isEqualTo(Came.BACK);
    }
  }

  @Test
  void whoseTimerCouldNotBeEndedForWantOfMemoryGoesOnAsSoonAsThereIsSome() {
    try (var timers = new Timers()) {
      var lent =
          new LentThread(
              timers,
              "lent",
              null,
              () -> {
                LockSupport.parkNanos(1_000_000);
                seen.add("woken");
                LockSupport.park(this);
              });
      lent.thread().start();
      assertThat(lent.run()).isEqualTo(Came.NOT_BACK);
      LockSupport.unpark(lent.thread());
      timers.failures.add(new OutOfMemoryError("as if"));
      assertThat(lent.run())
          .as("its permit was used up by the first wait")
          .isEqualTo(Came.NOT_BACK);
      assertThat(seen).containsExactly("woken");
    }
  }
}
