package io.turnwise.internal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.Await;
import io.turnwise.internal.door.JdkDoor;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** An idle worker that looks out for a time while it sleeps. */
class LookoutTest {
  private static final long PATIENCE_SECONDS = 30;

  private final Scheduler scheduler =
      new Scheduler("watch", 2, 2, new Tick(System::nanoTime), true, () -> {}, _ -> {});
  private final LinkedBlockingQueue<String> ran = new LinkedBlockingQueue<>();

  @BeforeAll
  static void open() {
    JdkDoor.open();
  }

  @AfterEach
  void stop() throws Exception {
    scheduler.stop();
    assertThat(scheduler.awaitStopped(TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS))).isTrue();
    scheduler.letGo();
  }

  private final class Noted extends Task {
    private final String name;

    Noted(String name) {
      this.name = name;
    }

    @Override
    protected boolean runSlice(Seat seat) {
      seat.beginTurn();
      ran.add(name);
      seat.charge(this);
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

  private void bring(String name) {
    Task task = new Noted(name);
    if (scheduler.enqueue(task, null)) scheduler.rouse(task);
  }

  /** Whoever looks out sleeps until the test says that the time has come. */
  private final class Bell implements Lookout {
    private final AtomicInteger prepared = new AtomicInteger();
    private final AtomicBoolean hasCome = new AtomicBoolean();
    private final AtomicInteger watching = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final CountDownLatch begun = new CountDownLatch(1);
    private volatile Thread watcher = Thread.currentThread();

    @Override
    public void prepare() {
      prepared.incrementAndGet();
    }

    @Override
    public boolean isNeeded() {
      return true;
    }

    @Override
    public boolean sleep(Object parkReason, BooleanSupplier asleep) {
      most.accumulateAndGet(watching.incrementAndGet(), Math::max);
      watcher = Thread.currentThread();
      begun.countDown();
      LockSupport.park(parkReason);
      watching.decrementAndGet();
      return hasCome.getAndSet(false);
    }

    @Override
    public void ring() {
      bring("rung on " + Thread.currentThread().getName());
    }
  }

  @Test
  void itBringsTheWorkItselfWhenTheTimeHasCome() throws Exception {
    var bell = new Bell();
    scheduler.lookOutFor(bell);
    bring("first"); // who has handled it lies down, and sees that there is something to look for
    assertThat(ran.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo("first");
    assertThat(bell.begun.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < 3; i++) assertThat(rung(bell)).startsWith("rung on turnwise-watch");
    assertThat(bell.prepared.get()).isBetween(1, 2); // once each
  }

  /** Again and again: who looks out may just be claimed for other work, and another takes over. */
  private String rung(Bell bell) throws Exception {
    Await.until(
        "the bell is heard",
        () -> {
          bell.hasCome.set(true);
          LockSupport.unpark(bell.watcher);
          return !ran.isEmpty();
        });
    return ran.take();
  }

  @Test
  void whatComesMeanwhileIsDoneAndOneLooksOutAtATime() throws Exception {
    var bell = new Bell();
    scheduler.lookOutFor(bell);
    for (int i = 0; i < 20_000; i++) {
      bring("task " + i);
      assertThat(ran.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo("task " + i);
    }
    assertThat(bell.most.get()).isEqualTo(1);
  }
}
