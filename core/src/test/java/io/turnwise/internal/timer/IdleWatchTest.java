package io.turnwise.internal.timer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** A thread that sleeps until the next deadline, on a clock that the test moves. */
class IdleWatchTest {
  private static final long MILLI = 1_000_000;

  private long now = 7 * MILLI;
  private int fired;
  private final Ticker ticker = new Ticker("watched", () -> now, () -> false, _ -> {}, this);
  private final IdleWatch watch = ticker.idleWatch();

  private class Alarm extends TimerEntry {
    Alarm(long deadline) {
      super(deadline);
    }

    @Override
    protected void fire() {
      fired++;
    }

    @Override
    protected boolean mayWait() {
      return false;
    }
  }

  private void due(long deadline) {
    ticker.schedule(new Alarm(deadline));
    ticker.beatOnce();
    assertThat(ticker.nextDeadline()).isEqualTo(deadline);
  }

  @Test
  void whoWatchesFiresWhatIsDueAndFindsTheNext() {
    assertThat(watch.isNeeded()).isFalse();
    due(now + 2 * MILLI);
    ticker.schedule(new Alarm(now + 3 * MILLI));
    assertThat(watch.isNeeded()).isTrue();
    now += 2 * MILLI;
    assertThat(watch.sleep(this, () -> true)).isTrue();
    watch.fireDue();
    assertThat(fired).isEqualTo(1);
    now += MILLI;
    assertThat(watch.sleep(this, () -> true)).isTrue();
    watch.fireDue();
    assertThat(fired).isEqualTo(2);
    assertThat(watch.isNeeded()).isFalse();
  }

  @Test
  void whoIsWokenBeforeTheTimeIsToldSo() {
    due(now + 2 * MILLI);
    LockSupport.unpark(Thread.currentThread());
    assertThat(watch.sleep(this, () -> true)).isFalse();
    now += 2 * MILLI - 1;
    assertThat(watch.sleep(this, () -> false)).as("for the last of it, it spins").isFalse();
    assertThat(fired).isZero();
  }

  /** Who tried again and again would keep from the processor whom it waits for. */
  @Test
  void aDeadlineThatComesWhileSomebodyIsAtTheWheelIsTheirs() throws Exception {
    due(now + MILLI);
    now += MILLI;
    var held = new CountDownLatch(1);
    var done = new CountDownLatch(1);
    Thread other =
        Thread.ofPlatform()
            .start(
                () ->
                    ticker
                        .wheel()
                        .settled(
                            () -> now,
                            () -> {
                              held.countDown();
                              awaitQuietly(done);
                            }));
    held.await();
    assertThat(watch.sleep(this, () -> true)).isTrue();
    watch.fireDue();
    assertThat(fired).isZero();
    assertThat(watch.isNeeded()).isFalse();
    done.countDown();
    other.join();
    ticker.beatOnce();
    assertThat(fired).isEqualTo(1);
    due(now + MILLI);
    assertThat(watch.isNeeded()).as("the next one").isTrue();
  }

  /** A worker that waited for a lock might wait for a fiber that only it could run. */
  @Test
  void whatTakesALockIsLeftToTheTickingThreadAndSoIsWhatComesAfterIt() {
    ticker.schedule(new Alarm(now + MILLI));
    ticker.schedule(
        new Alarm(now + MILLI + 1) {
          @Override
          protected boolean mayWait() {
            return true;
          }
        });
    ticker.schedule(new Alarm(now + MILLI + 2));
    ticker.schedule(new Alarm(now + 3 * MILLI));
    ticker.beatOnce();
    ticker.nextDeadline();
    now += 5 * MILLI;
    watch.fireDue();
    assertThat(fired).isEqualTo(1);
    assertThat(watch.isNeeded()).isFalse();
    watch.fireDue();
    assertThat(fired).isEqualTo(1);
    ticker.beatOnce();
    assertThat(fired).isEqualTo(4);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** What it could not tell waits on, and the ticking thread comes to it. */
  @Test
  void anErrorLeavesTheDeadlineToTheTickingThread() {
    boolean[] fails = {true};
    ticker.schedule(
        new Alarm(now + MILLI) {
          @Override
          protected void fire() {
            if (fails[0]) throw new OutOfMemoryError("for the test");
            super.fire();
          }
        });
    ticker.beatOnce();
    ticker.nextDeadline();
    now += MILLI;
    watch.fireDue();
    assertThat(watch.isNeeded()).isFalse();
    fails[0] = false;
    ticker.beatOnce();
    assertThat(fired).isEqualTo(1);
  }
}
