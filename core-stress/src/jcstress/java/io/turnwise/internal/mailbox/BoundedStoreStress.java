package io.turnwise.internal.mailbox;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.MailboxFullException;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.mailbox.Priority;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A store with room for one, that holds message 1, and a sender that brings message 2. A sender
 * that waits for ever would hang the test.
 */
public class BoundedStoreStress {
  private static final Mailbox TARGET = new StressMailbox();

  private BoundedStoreStress() {}

  private static BoundedStore full(OverflowPolicy policy) {
    var store = new BoundedStore(MailboxConfig.bounded(1, policy), new WaitGraph());
    offer(store, 1);
    return store;
  }

  /** Returns 1 when it is in, -1 when the store is closed, 0 when it is refused. */
  private static int offer(BoundedStore store, int message) {
    try {
      BoundedStore.Offer offer =
          store.offer(StressMailbox.envelope(message), Priority.NORMAL, TARGET, null, null);
      return offer.outcome() == BoundedStore.Outcome.CLOSED ? -1 : 1;
    } catch (MailboxFullException full) {
      return 0;
    }
  }

  private static int number(@Nullable Envelope envelope) {
    return envelope == null ? 0 : (Integer) envelope.message();
  }

  @JCStressTest
  @Outcome(
      id = "1, 1, 2",
      expect = ACCEPTABLE,
      desc = "There was room already, or who took the first let the second in.")
  @Outcome(expect = FORBIDDEN, desc = "A message is lost, doubled or overtaken.")
  @State
  public static class OfferMeetsTake {
    private final BoundedStore store = full(OverflowPolicy.WAIT);

    @Actor
    public void send(III_Result r) {
      r.r1 = offer(store, 2);
    }

    @Actor
    public void owner(III_Result r) {
      r.r2 = number(store.take());
    }

    @Arbiter
    public void rest(III_Result r) {
      r.r3 = number(store.take());
    }
  }

  @JCStressTest
  @Outcome(id = "1, 1, 2", expect = ACCEPTABLE, desc = "There was room.")
  @Outcome(id = "0, 1, 0", expect = ACCEPTABLE, desc = "It was full, and its sender knows.")
  @Outcome(expect = FORBIDDEN, desc = "A message is lost, doubled, or in although it was refused.")
  @State
  public static class RefusalMeetsTake {
    private final BoundedStore store = full(OverflowPolicy.FAIL);

    @Actor
    public void send(III_Result r) {
      r.r1 = offer(store, 2);
    }

    @Actor
    public void owner(III_Result r) {
      r.r2 = number(store.take());
    }

    @Arbiter
    public void rest(III_Result r) {
      r.r3 = number(store.take());
    }
  }

  @JCStressTest
  @Outcome(id = "1, 2", expect = ACCEPTABLE, desc = "It waited, and was buried with the first.")
  @Outcome(id = "-1, 1", expect = ACCEPTABLE, desc = "It came too late: its sender has it.")
  @Outcome(expect = FORBIDDEN, desc = "It is buried twice, or by nobody.")
  @State
  public static class OfferMeetsClose {
    private final BoundedStore store = full(OverflowPolicy.WAIT);

    @Actor
    public void send(II_Result r) {
      r.r1 = offer(store, 2);
    }

    @Actor
    public void close(II_Result r) {
      int[] buried = {0};
      store.close(_ -> buried[0]++);
      r.r2 = buried[0];
    }
  }

  /** A store without its lock: how many it holds, and who waits. Nobody really waits. */
  private static final class WeakStore {
    final AtomicInteger size = new AtomicInteger(1);
    final AtomicInteger waiters = new AtomicInteger();
    volatile boolean closed;

    /** Returns 1 when it is in or waits, -1 when it is closed. */
    int offer() {
      if (closed) return -1;
      if (size.get() == 0) size.incrementAndGet();
      else waiters.incrementAndGet(); // weakened
      return 1;
    }

    void take() {
      size.decrementAndGet();
      if (waiters.get() > 0) {
        waiters.decrementAndGet();
        size.incrementAndGet();
      }
    }
  }

  @JCStressTest
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "As it should be.")
  @Outcome(
      id = "0, 1",
      expect = ACCEPTABLE_INTERESTING,
      desc = "Waits beside an empty store: without the lock, OfferMeetsTake hangs.")
  @State
  public static class WeakOfferMeetsTake {
    private final WeakStore store = new WeakStore();

    @Actor
    public void send() {
      store.offer();
    }

    @Actor
    public void owner() {
      store.take();
    }

    @Arbiter
    public void rest(II_Result r) {
      r.r1 = store.size.get();
      r.r2 = store.waiters.get();
    }
  }

  /** A store without its lock, where owner and sender write the size by a look and a write. */
  @JCStressTest
  @Outcome(
      id = {"1, 1", "0, 0"},
      expect = ACCEPTABLE,
      desc = "In, or refused.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "The count is wrong: without the lock, RefusalMeetsTake fails.")
  @State
  public static class WeakRefusalMeetsTake {
    private volatile int size = 2;

    @Actor
    public void send(II_Result r) {
      int now = size;
      if (now == 3) return;
      size = now + 1; // weakened
      r.r1 = 1;
    }

    @Actor
    public void owner() {
      size = size - 1; // weakened
    }

    @Arbiter
    public void rest(II_Result r) {
      r.r2 = size - 1;
    }
  }

  @JCStressTest
  @Outcome(
      id = {"1, 2", "-1, 1"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "Waits in a closed store: without the lock, OfferMeetsClose hangs.")
  @State
  public static class WeakOfferMeetsClose {
    private final WeakStore store = new WeakStore();

    @Actor
    public void send(II_Result r) {
      r.r1 = store.offer();
    }

    @Actor
    public void close(II_Result r) {
      store.closed = true;
      r.r2 = store.size.getAndSet(0) + store.waiters.getAndSet(0);
    }
  }
}
