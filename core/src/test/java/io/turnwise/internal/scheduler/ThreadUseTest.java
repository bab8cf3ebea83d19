package io.turnwise.internal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.Await;
import io.turnwise.observation.Usage;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What tasks use on platform threads of their own, on a clock that the tests move. */
class ThreadUseTest {
  private final AtomicLong now = new AtomicLong(Duration.ofDays(3).toNanos());

  /** Nobody ticks: the coarse clock stands still. */
  private final Tick tick = new Tick(now::get);

  private final CountDownLatch idle = new CountDownLatch(1);
  private Runnable end = () -> {};

  enum Threads {
    ELASTIC,
    OWN
  }

  @AfterEach
  void endThreads() {
    end.run();
  }

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  /** Runs one of these in each slice, and is idle after the last. */
  private final class Sliced extends Task {
    private final Deque<Consumer<Seat>> slices;

    Sliced(List<Consumer<Seat>> slices) {
      this.slices = new ArrayDeque<>(slices);
    }

    @Override
    protected boolean runSlice(Seat seat) {
      slices.remove().accept(seat);
      seat.charge(this);
      if (!slices.isEmpty()) return true;
      idle.countDown();
      return false;
    }

    @Override
    protected Runner runner() {
      throw new AssertionError("nobody wakes it");
    }

    @Override
    protected int quantum() {
      return 1_000_000;
    }
  }

  private @Nullable Task task;

  private Usage usage() {
    return task == null ? Usage.NONE : task.usage(tick);
  }

  /** Wakes it, lets it wait for a thread, and returns when it is idle. */
  private void run(Threads threads, Duration wait, Task queued) throws Exception {
    task = queued;
    switch (threads) {
      case ELASTIC -> {
        var runner = new ElasticRunner("test", tick, _ -> {});
        end = runner::stop;
        runner.enqueue(queued, null);
        pass(wait);
        runner.rouse(queued);
      }
      case OWN -> {
        var runner = new ThreadRunner("test", queued, tick, _ -> {});
        end = runner::end;
        runner.enqueue(queued, null);
        pass(wait);
        runner.start();
      }
    }
    Await.latch(idle);
  }

  @ParameterizedTest
  @EnumSource
  void eachSliceIsMeasuredAndNoneIsTakenForAWait(Threads threads) throws Exception {
    Consumer<Seat> slice = _ -> pass(Duration.ofNanos(5_234_567));
    run(threads, Duration.ofMillis(7), new Sliced(List.of(slice, slice, slice)));
    assertThat(usage().ran()).isEqualTo(Duration.ofNanos(3 * 5_234_567));
    assertThat(usage().waited()).isEqualTo(Duration.ofMillis(7));
  }

  @ParameterizedTest
  @EnumSource
  void aSliceMayLastForSeconds(Threads threads) throws Exception {
    run(threads, Duration.ZERO, new Sliced(List.of(_ -> pass(Duration.ofSeconds(10)))));
    assertThat(usage().ran()).isEqualTo(Duration.ofSeconds(10));
  }

  @ParameterizedTest
  @EnumSource
  void whatHasRunSoFarIsSeenWhileItRuns(Threads threads) throws Exception {
    var seen = new Usage[2];
    run(
        threads,
        Duration.ZERO,
        new Sliced(
            List.of(
                _ -> {
                  pass(Duration.ofSeconds(4));
                  seen[0] = usage();
                },
                seat -> {
                  pass(Duration.ofSeconds(1));
                  seat.charge(seat.task()); // it might have gone idle
                  seat.goesOn(seat.task());
                  pass(Duration.ofSeconds(2));
                  seen[1] = usage();
                })));
    assertThat(seen[0].ran()).isEqualTo(Duration.ofSeconds(4));
    assertThat(seen[1].ran()).isEqualTo(Duration.ofSeconds(7));
    assertThat(usage().ran()).isEqualTo(Duration.ofSeconds(7));
  }

  @ParameterizedTest
  @EnumSource
  void whatAThreadDoesAfterItWasLeftIsNotItsTasks(Threads threads) throws Exception {
    run(
        threads,
        Duration.ZERO,
        new Sliced(
            List.of(
                seat -> {
                  pass(Duration.ofSeconds(3));
                  seat.task().leaveThread(tick);
                  pass(Duration.ofSeconds(5));
                })));
    assertThat(usage().ran()).isEqualTo(Duration.ofSeconds(3));
  }

  /** Real ones: the meters of a thread are the JVM's. */
  @ParameterizedTest
  @EnumSource
  void memoryAndProcessorTimeAreThoseOfTheThread(Threads threads) throws Exception {
    var seen = new Usage[1];
    var kept = new byte[1][];
    run(
        threads,
        Duration.ZERO,
        new Sliced(
            List.of(
                _ -> {
                  while (usage().cpu().compareTo(Duration.ofMillis(3)) < 0) Thread.onSpinWait();
                  kept[0] = new byte[5_000_000];
                  seen[0] = usage();
                })));
    assertThat(seen[0].allocatedBytes()).isBetween(5_000_000L, 100_000_000L);
    assertThat(usage().allocatedBytes()).isGreaterThanOrEqualTo(seen[0].allocatedBytes());
    assertThat(usage().cpu()).isBetween(seen[0].cpu(), Duration.ofSeconds(30));
    assertThat(kept[0]).hasSize(5_000_000);
  }
}
