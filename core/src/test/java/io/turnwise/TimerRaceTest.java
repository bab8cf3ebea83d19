package io.turnwise;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.time.TimerHandle;
import io.turnwise.time.TimerMetrics;
import io.turnwise.time.TimerService;
import io.turnwise.time.TimerState;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Timers on threads: whatever races, each is called or cancelled, and never both. */
class TimerRaceTest {
  private static final int THREADS = 4;

  private static void inParallel(java.util.function.IntConsumer body) throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      int own = t;
      threads.add(Thread.ofPlatform().start(() -> body.accept(own)));
    }
    for (Thread thread : threads) thread.join();
  }

  @Test
  void concurrentScheduleAndCancel() throws Exception {
    int all = 1_000_000;
    var calls = new AtomicIntegerArray(all);
    var handles = new AtomicReferenceArray<TimerHandle>(all);
    var early = new AtomicInteger();
    var cancelled = new AtomicLong();
    try (var system = ActorSystem.open("races")) {
      TimerService timers = system.timers();
      inParallel(
          thread -> {
            var random = new SplittableRandom(thread);
            for (int i = thread; i < all; i += THREADS) {
              int place = i;
              long delay = random.nextLong(2_000_000);
              long due = System.nanoTime() + delay;
              Runnable callback =
                  () -> {
                    if (System.nanoTime() - due < 0) early.incrementAndGet();
                    calls.incrementAndGet(place);
                  };
              handles.set(i, timers.scheduleDelayed(callback, Duration.ofNanos(delay)));
              // One of long ago or of just now, an own or another's: so it meets every state.
              int back = random.nextInt(Math.min(i + 1, 1 << random.nextInt(17)));
              TimerHandle victim = handles.get(i - back);
              if (victim != null && victim.cancel()) cancelled.incrementAndGet();
            }
          });
      Await.until("nothing is pending", () -> timers.metrics().pending() == 0);
      long called = 0;
      int wrong = 0;
      for (int i = 0; i < all; i++) {
        TimerHandle handle = handles.get(i);
        Await.until("it has ended", () -> handle.state() != TimerState.RUNNING);
        called += calls.get(i);
        if (calls.get(i) != (handle.state() == TimerState.CANCELLED ? 0 : 1)) wrong++;
      }
      TimerMetrics seen = timers.metrics();
      assertThat(wrong).isZero();
      assertThat(early).hasValue(0);
      assertThat(called + cancelled.get()).isEqualTo(all);
      assertThat(seen.executed()).isEqualTo(called);
      assertThat(seen.cancelled()).isEqualTo(cancelled.get());
      assertThat(seen.failed()).isZero();
    }
  }

  @Test
  void ofManyWhoCancelAPeriodicTimerOneIsToldYesAndItDoesNotBeginAgain() throws Exception {
    try (var system = ActorSystem.open("races")) {
      TimerService timers = system.timers();
      for (int i = 0; i < 2_000; i++) {
        var runs = new AtomicInteger();
        var begun = new CountDownLatch(1);
        var yes = new AtomicInteger();
        var begunAfterYes = new AtomicInteger();
        TimerHandle handle =
            timers.scheduleAtFixedRate(
                () -> {
                  runs.incrementAndGet();
                  begun.countDown();
                },
                Duration.ZERO,
                Duration.ofNanos(20_000));
        Await.latch(begun);
        inParallel(
            _ -> {
              if (!handle.cancel()) return;
              yes.incrementAndGet();
              begunAfterYes.set(runs.get());
            });
        assertThat(yes).hasValue(1);
        assertThat(handle.state()).isEqualTo(TimerState.CANCELLED);
        // One may have begun before it was cancelled, and come to its count afterwards.
        assertThat(runs.get()).isBetween(begunAfterYes.get(), begunAfterYes.get() + 1);
      }
      Await.until("nothing is pending", () -> timers.metrics().pending() == 0);
      assertThat(timers.metrics().cancelled()).isEqualTo(2_000);
    }
  }

  @Test
  void callbacksRunOnWorkersAndOneThatBlocksHoldsUpNobody() throws Exception {
    try (var system = ActorSystem.open("blocks", c -> c.withWorkers(1))) {
      var gate = new CountDownLatch(1);
      var blocked = new CountDownLatch(100);
      for (int i = 0; i < 100; i++)
        system
            .timers()
            .scheduleDelayed(
                () -> {
                  blocked.countDown();
                  try {
                    gate.await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                },
                Duration.ZERO);
      Await.latch(blocked);
      var after = new CountDownLatch(1);
      system.timers().scheduleDelayed(after::countDown, Duration.ofMillis(1));
      Await.latch(after);
      gate.countDown();
      Await.until("all have ended", () -> system.timers().metrics().pending() == 0);
    }
  }

  @Test
  void tenThousandThatAreDueAtOnceNeedNoThreadEach() throws Exception {
    int all = 10_000;
    Set<Thread> carriers = ConcurrentHashMap.newKeySet();
    var done = new CountDownLatch(all);
    try (var system = ActorSystem.open("burst", c -> c.withWorkers(2))) {
      for (int i = 0; i < all; i++)
        system
            .timers()
            .scheduleDelayed(
                () -> {
                  carriers.add(Thread.currentThread());
                  done.countDown();
                },
                Duration.ofMillis(50));
      Await.latch(done);
      assertThat(carriers).hasSizeLessThan(100).allMatch(Thread::isVirtual);
    }
  }

  @Test
  void aTimerNeverComesEarlyAndIsCountedWithItsLateness() throws Exception {
    try (var system = ActorSystem.open("exact")) {
      int all = 300;
      var early = new AtomicInteger();
      var done = new CountDownLatch(all);
      for (int i = 0; i < all; i++) {
        Duration delay = Duration.ofNanos(i * 137_001L);
        long due = System.nanoTime() + delay.toNanos();
        system
            .timers()
            .scheduleDelayed(
                () -> {
                  if (System.nanoTime() - due < 0) early.incrementAndGet();
                  done.countDown();
                },
                delay);
      }
      Await.latch(done);
      assertThat(early).hasValue(0);
      var lateness = system.timers().metrics().lateness();
      assertThat(lateness.count()).isEqualTo(all);
      assertThat(lateness.p50()).isPositive().isLessThanOrEqualTo(lateness.p99());
      assertThat(lateness.p99()).isLessThanOrEqualTo(lateness.maximum());
    }
  }

  /**
   * Senders from outside, ticks and the actor want the lock of a full mailbox. A worker that fired
   * ticks itself waited for it behind the actor's fiber, which only that worker could have run.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void ticksIntoAFullMailboxHoldNobodyUp(int workers) throws Exception {
    int enough = 500_000;
    var messages = new AtomicInteger();
    var ticks = new AtomicInteger();
    // Not closed where it hangs: that would hang as well.
    var system = ActorSystem.open("full", c -> c.withWorkers(workers));
    ActorRef<String> receiver =
        system.spawn(
            "receiver",
            ActorSpec.of(
                    () ->
                        new Actor<String>() {
                          @Override
                          public void init(Context<String> context) {
                            context.timers().atFixedRate("tick", Duration.ofMillis(1), "tick");
                          }

                          @Override
                          public void receive(String message, Context<String> context) {
                            (message.equals("tick") ? ticks : messages).incrementAndGet();
                          }
                        })
                .withMailbox(MailboxConfig.bounded(100, OverflowPolicy.WAIT)));
    for (int t = 0; t < THREADS; t++) {
      Thread.ofPlatform()
          .daemon()
          .start(
              () -> {
                for (int i = 0; messages.get() < enough; i++) {
                  receiver.cast("message");
                  if (i % 8 == 0) LockSupport.parkNanos(1_000);
                }
              });
    }
    Await.until("all are handled", () -> messages.get() >= enough);
    assertThat(ticks.get()).isPositive();
    system.close();
  }

  /** Ten million are scheduled and cancelled where a hundredth of them would fill the heap. */
  @Test
  void cancelledTimersAreNotKept() throws Exception {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx24m",
            "-XX:+UseSerialGC",
            "-XX:+ExitOnOutOfMemoryError",
            "--add-opens",
            "java.base/java.lang=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            Cancelling.class.getName());
    Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
    // A child that hangs fails the test instead of hanging it.
    CompletableFuture.delayedExecutor(120, TimeUnit.SECONDS).execute(child::destroyForcibly);
    String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(child.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(said).contains("cancelled 10000000, pending 0");
    assertThat(child.exitValue()).isZero();
  }

  /** The program of the child: some of them wait in the wheel for a while before they go. */
  static final class Cancelling {
    public static void main(String[] arguments) {
      try (var system = ActorSystem.open("small")) {
        TimerService timers = system.timers();
        TimerHandle[] held = new TimerHandle[1_000];
        for (int i = 0; i < 10_000_000; i++) {
          TimerHandle before = held[i % held.length];
          held[i % held.length] = timers.scheduleDelayed(() -> {}, Duration.ofHours(1));
          if (before != null) before.cancel();
        }
        for (TimerHandle handle : held) handle.cancel();
        TimerMetrics seen = timers.metrics();
        System.out.println("cancelled " + seen.cancelled() + ", pending " + seen.pending());
      }
    }
  }
}
