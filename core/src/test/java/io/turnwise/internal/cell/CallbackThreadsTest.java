package io.turnwise.internal.cell;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.Await;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Few threads for much that is quick, more for what blocks, and never more than there may be. */
class CallbackThreadsTest {
  private static final int FEW = 2;
  private static final int MOST = 5;
  private static final int BURST = 20_000;

  private final List<Thread> started = Collections.synchronizedList(new ArrayList<>());
  private final AtomicInteger refusals = new AtomicInteger();
  private final CountDownLatch release = new CountDownLatch(1);
  private final CountDownLatch done = new CountDownLatch(BURST);

  private final CallbackThreads threads = new CallbackThreads(FEW, MOST, counting());

  private ThreadFactory counting() {
    return code -> {
      if (refusals.getAndUpdate(n -> Math.max(0, n - 1)) > 0)
        throw new OutOfMemoryError("no thread, says the test");
      Thread thread = Thread.ofPlatform().daemon().unstarted(code);
      started.add(thread);
      return thread;
    };
  }

  @AfterEach
  void end() {
    release.countDown();
    threads.close();
  }

  private void bringBurstThatBlocks() {
    for (int i = 0; i < BURST; i++)
      threads.execute(
          () -> {
            await(release);
            done.countDown();
          });
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError("nobody interrupts it", e);
    }
  }

  private void beat(int times) {
    for (int i = 0; i < times; i++) threads.beat(Runnable::run);
  }

  @Test
  void aBurstThatBlocksGetsAnotherThreadNowAndThenUpToABound() throws Exception {
    bringBurstThatBlocks();
    assertThat(started).hasSize(FEW);
    beat(CallbackThreads.PATIENT_BEATS - 1);
    assertThat(started).hasSize(FEW);
    beat(1);
    assertThat(started).hasSize(FEW + 1);
    beat(100 * CallbackThreads.PATIENT_BEATS);
    assertThat(started).hasSize(MOST);
    assertThat(threads.isBusy()).isTrue();
    release.countDown();
    Await.latch(done);
    Await.until("nothing is under way", () -> !threads.isBusy());
    assertThat(started).hasSize(MOST);
  }

  @Test
  void aThreadThatIsFreeTakesTheNext() throws Exception {
    for (int i = 0; i < 100; i++) {
      var ran = new CompletableFuture<Thread>();
      threads.execute(() -> ran.complete(Thread.currentThread()));
      assertThat(started).contains(Await.result(ran));
      Await.until("it is free again", () -> !threads.isBusy());
    }
    assertThat(started).hasSizeLessThanOrEqualTo(FEW);
  }

  @Test
  void whereNoThreadCanBeHadABeatTriesAgain() throws Exception {
    refusals.set(2);
    var ran = new CompletableFuture<Thread>();
    threads.execute(() -> ran.complete(Thread.currentThread()));
    beat(1);
    assertThat(ran).isNotDone();
    assertThat(threads.isBehind()).isTrue();
    beat(1);
    assertThat(Await.result(ran)).isNotSameAs(Thread.currentThread());
  }

  @Test
  void codeThatThrowsAndAnInterruptAreForNobodyElse() throws Exception {
    for (int i = 0; i < 10; i++) {
      threads.execute(
          () -> {
            Thread own = Thread.currentThread();
            own.setUncaughtExceptionHandler((_, _) -> {});
            own.interrupt();
            throw new IllegalStateException("on purpose");
          });
      threads.execute(() -> Thread.currentThread().interrupt());
    }
    var ran = new CompletableFuture<Boolean>();
    threads.execute(() -> ran.complete(Thread.currentThread().isInterrupted()));
    assertThat(Await.result(ran)).isFalse();
  }

  @Test
  void afterTheCloseWhatBlocksHoldsUpNobodyAndNoThreadStays() throws Exception {
    for (int i = 0; i < FEW; i++) threads.execute(() -> await(release));
    var before = new CompletableFuture<Thread>();
    threads.execute(() -> before.complete(Thread.currentThread()));
    threads.close();
    Await.result(before);
    var after = new CompletableFuture<Thread>();
    threads.execute(() -> after.complete(Thread.currentThread()));
    assertThat(Await.result(after)).isNotSameAs(Thread.currentThread());
    release.countDown();
    Await.until("all have ended", () -> started.stream().noneMatch(Thread::isAlive));
  }

  @Test
  void afterTheCloseWhatGetsNoThreadRunsHere() {
    threads.close();
    refusals.set(Integer.MAX_VALUE);
    var ran = new CompletableFuture<Thread>();
    threads.execute(() -> ran.complete(Thread.currentThread()));
    assertThat(ran).isCompletedWithValue(Thread.currentThread());
  }
}
