package io.turnwise.woven;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.KillReport;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Handlers that are killed clean up, wherever the poll is that ends them. */
class UnwoundTest {
  private static final int KILLS = 100;
  private static volatile long sink;

  private final LongAdder opened = new LongAdder();
  private final LongAdder closed = new LongAdder();
  private ActorSystem system;

  @BeforeEach
  void open() {
    system = ActorSystem.open("unwound", it -> it.withWorkers(1).withCloseOnShutdown(false));
  }

  @AfterEach
  void close() {
    system.close();
  }

  private final class Resource implements AutoCloseable {
    Resource() {
      opened.increment();
    }

    @Override
    public void close() {
      closed.increment();
    }

    void release() {
      closed.increment();
    }
  }

  /** The poll before the call of {@code close} must not be the one that throws. */
  @Test
  void resourcesAreClosed() throws Exception {
    for (int i = 0; i < KILLS; i++) {
      kill(
          () -> {
            while (true) {
              try (var resource = new Resource()) {
                work(resource);
              }
            }
          });
    }
    assertThat(closed.sum()).isEqualTo(opened.sum());
  }

  /** Nor may the poll before the first call of a {@code finally} be. */
  @Test
  void whatFinallyCallsIsCalled() throws Exception {
    for (int i = 0; i < KILLS; i++) {
      kill(
          () -> {
            while (true) {
              var resource = new Resource();
              try {
                work(resource);
              } finally {
                resource.release();
              }
            }
          });
    }
    assertThat(closed.sum()).isEqualTo(opened.sum());
  }

  /** Nor, in a recursion, the one before what a {@code finally} calls. */
  @Test
  void eachLevelOfARecursionIsClosed() throws Exception {
    for (int i = 0; i < KILLS; i++) kill(() -> walk(60));
    assertThat(closed.sum()).isEqualTo(opened.sum());
  }

  private void walk(int depth) {
    if (depth == 0) return;
    try (var resource = new Resource()) {
      walk(depth - 1);
      walk(depth - 1);
      work(resource);
    }
  }

  /** Nor may it stand where a loop is left, after what the last round took. */
  @Test
  void whatALoopTookIsGivenBack() throws Exception {
    for (int i = 0; i < KILLS; i++) {
      var semaphore = new Semaphore(1);
      kill(
          () -> {
            while (true) {
              boolean taken;
              do taken = semaphore.tryAcquire();
              while (!taken);
              try {
                work(semaphore);
              } finally {
                semaphore.release();
              }
            }
          });
      assertThat(semaphore.availablePermits()).isEqualTo(1);
    }
  }

  /** A {@code finally} may throw something of its own before. */
  @Test
  void whatIsCalledBehindAnAssertionIsCalled() throws Exception {
    for (int i = 0; i < KILLS; i++) kill(() -> climb(60));
    assertThat(closed.sum()).isEqualTo(opened.sum());
  }

  private void climb(int depth) {
    if (depth == 0) return;
    var resource = new Resource();
    try {
      climb(depth - 1);
      climb(depth - 1);
      work(resource);
    } finally {
      assert depth > 0 : "it only goes down";
      resource.release();
    }
  }

  private static void work(Object with) {
    long x = with.hashCode() | 1;
    for (int i = 0; i < 10_000; i++) x = x * 31 + i;
    sink = x;
  }

  private KillReport kill(Runnable code) throws Exception {
    var begun = new CountDownLatch(1);
    ActorRef<String> actor =
        system.spawn(
            () ->
                (message, context) -> {
                  begun.countDown();
                  code.run();
                });
    actor.cast("begin");
    assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
    Thread.sleep(2);
    return actor.kill().toCompletableFuture().get(20, TimeUnit.SECONDS);
  }
}
