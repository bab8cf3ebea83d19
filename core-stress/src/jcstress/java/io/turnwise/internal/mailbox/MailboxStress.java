package io.turnwise.internal.mailbox;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

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
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * The word that tells whether an actor is scheduled. In each result first what its owner saw (0:
 * let it go idle, 1: there was more), then how often a sender queued it.
 */
public class MailboxStress {
  private MailboxStress() {}

  @JCStressTest
  @Outcome(
      id = "0, 1, 2",
      expect = ACCEPTABLE,
      desc = "It went idle; the sender saw that and queued it.")
  @Outcome(id = "1, 0, 2", expect = ACCEPTABLE, desc = "The owner saw that there is more.")
  @Outcome(expect = FORBIDDEN, desc = "The message is stranded, or the actor is in two hands.")
  @State
  public static class SendMeetsIdle {
    private final StressMailbox mailbox = StressMailbox.ownedAndEmpty();
    private final Envelope message = StressMailbox.envelope(2);

    @Actor
    public void send() {
      mailbox.put(message);
    }

    @Actor
    public void owner(III_Result r) {
      r.r1 = mailbox.letGo();
    }

    @Arbiter
    public void rest(III_Result r) {
      r.r2 = mailbox.queued.get();
      r.r3 = mailbox.drain();
    }
  }

  @JCStressTest
  @Outcome(
      id = "0, 1, 2",
      expect = ACCEPTABLE,
      desc = "It went idle; the sender saw that and queued it.")
  @Outcome(id = "1, 0, 2", expect = ACCEPTABLE, desc = "The owner saw the other lane and went on.")
  @Outcome(expect = FORBIDDEN, desc = "The message is stranded, or the actor is in two hands.")
  @State
  public static class UrgentSendMeetsIdle {
    private final StressMailbox mailbox = StressMailbox.ownedAndEmpty();
    private final Envelope message = StressMailbox.envelope(2);

    @Actor
    public void send() {
      mailbox.put(message, Priority.HIGH);
    }

    @Actor
    public void owner(III_Result r) {
      r.r1 = mailbox.letGo();
    }

    @Arbiter
    public void rest(III_Result r) {
      r.r2 = mailbox.queued.get();
      r.r3 = mailbox.drain();
    }
  }

  @JCStressTest
  @Outcome(
      id = "0, 1",
      expect = ACCEPTABLE,
      desc = "It went idle; who signalled saw that and queued it.")
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "The owner saw the signal and went on.")
  @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "The signal is stranded in a sleeping actor.")
  @Outcome(id = "1, 1", expect = FORBIDDEN, desc = "The actor is in two hands.")
  @State
  public static class SignalMeetsIdle {
    private final StressMailbox mailbox = StressMailbox.ownedAndEmpty();

    @Actor
    public void signal() {
      mailbox.signalAndWake();
    }

    @Actor
    public void owner(II_Result r) {
      r.r1 = mailbox.letGo();
    }

    @Arbiter
    public void rest(II_Result r) {
      r.r2 = mailbox.queued.get();
    }
  }

  @JCStressTest
  @Outcome(
      id = {"1, 12", "1, 21"},
      expect = ACCEPTABLE,
      desc = "One of the two senders queued it; both messages are there.")
  @Outcome(expect = FORBIDDEN, desc = "Queued twice or never, or a message is lost.")
  @State
  public static class SendMeetsSend {
    private final StressMailbox mailbox = new StressMailbox();
    private final Envelope first = StressMailbox.envelope(1);
    private final Envelope second = StressMailbox.envelope(2);

    @Actor
    public void one() {
      mailbox.put(first);
    }

    @Actor
    public void other() {
      mailbox.put(second);
    }

    @Arbiter
    public void rest(II_Result r) {
      r.r1 = mailbox.queued.get();
      r.r2 = mailbox.drain();
    }
  }

  @JCStressTest
  @Outcome(
      id = "1, 12",
      expect = ACCEPTABLE,
      desc = "Queued once, for the message or for the signal.")
  @Outcome(
      expect = FORBIDDEN,
      desc = "Queued twice or never, or a message is lost beside the signal.")
  @State
  public static class SendMeetsSignal {
    private final StressMailbox mailbox = new StressMailbox();
    private final Envelope first = StressMailbox.envelope(1);
    private final Envelope second = StressMailbox.envelope(2);

    @Actor
    public void send() {
      mailbox.put(first);
      mailbox.put(second);
    }

    @Actor
    public void signal() {
      mailbox.signalAndWake();
    }

    @Arbiter
    public void rest(II_Result r) {
      r.r1 = mailbox.queued.get();
      r.r2 = mailbox.drain();
    }
  }

  @JCStressTest
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "It was in: who closes has it.")
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "It came too late: its sender has it.")
  @Outcome(expect = FORBIDDEN, desc = "It is buried twice, or by nobody.")
  @State
  public static class SendMeetsClose {
    private final StressMailbox mailbox = StressMailbox.ownedAndEmpty();
    private final Envelope message = StressMailbox.envelope(2);

    @Actor
    public void send() {
      mailbox.put(message);
    }

    @Actor
    public void close(II_Result r) {
      r.r1 = mailbox.closeAndCount();
    }

    @Arbiter
    public void rest(II_Result r) {
      r.r2 = mailbox.tooLate.get();
    }
  }

  @JCStressTest
  @Outcome(
      id = {"1, 0", "0, 1"},
      expect = ACCEPTABLE,
      desc = "Buried once, by who closes or by its sender.")
  @Outcome(expect = FORBIDDEN, desc = "It is buried twice, or by nobody.")
  @State
  public static class UrgentSendMeetsClose {
    private final StressMailbox mailbox = StressMailbox.ownedAndEmpty();
    private final Envelope message = StressMailbox.envelope(2);

    @Actor
    public void send() {
      mailbox.put(message, Priority.HIGH);
    }

    @Actor
    public void close(II_Result r) {
      r.r1 = mailbox.closeAndCount();
    }

    @Arbiter
    public void rest(II_Result r) {
      r.r2 = mailbox.tooLate.get();
    }
  }

  @JCStressTest
  @Outcome(
      id = "1, 12",
      expect = ACCEPTABLE,
      desc = "Both are in; the actor is queued once, and takes the urgent one first.")
  @Outcome(expect = FORBIDDEN, desc = "A lane was made twice, and a message went into the other.")
  @State
  public static class FirstUrgentMeetsFirstLow {
    private final StressMailbox mailbox = new StressMailbox();
    private final Envelope urgent = StressMailbox.envelope(1);
    private final Envelope low = StressMailbox.envelope(2);

    @Actor
    public void urgent() {
      mailbox.put(urgent, Priority.HIGH);
    }

    @Actor
    public void low() {
      mailbox.put(low, Priority.LOW);
    }

    @Arbiter
    public void rest(II_Result r) {
      r.r1 = mailbox.queued.get();
      r.r2 = mailbox.drain();
    }
  }

  /** The word with one step weakened: to go idle is a look and a write. */
  @JCStressTest
  @Outcome(
      id = {"0, 1", "1, 0"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "Stranded: without the compare-and-set, SendMeetsIdle fails.")
  @State
  public static class WeakSendMeetsIdle {
    private static final int IDLE = 0;
    private final AtomicInteger tail = new AtomicInteger(1);

    @Actor
    public void send(II_Result r) {
      r.r2 = tail.getAndSet(2) == IDLE ? 1 : 0;
    }

    @Actor
    public void owner(II_Result r) {
      r.r1 = 1;
      if (tail.get() == 1) {
        tail.set(IDLE); // weakened
        r.r1 = 0;
      }
    }
  }

  /** The signal with one fence taken away: published by a plain write. */
  @JCStressTest
  @Outcome(
      id = {"0, 1", "1, 0", "1, 1"},
      expect = ACCEPTABLE,
      desc = "One of them saw the other.")
  @Outcome(
      id = "0, 0",
      expect = ACCEPTABLE_INTERESTING,
      desc = "Stranded: without the fence, SignalMeetsIdle fails.")
  @State
  public static class WeakSignalMeetsIdle {
    private int signal;
    private int idle;

    @Actor
    public void signal(II_Result r) {
      signal = 1;
      r.r2 = idle;
    }

    @Actor
    public void owner(II_Result r) {
      idle = 1;
      r.r1 = signal;
    }
  }

  /** The word with one step weakened: both wake the actor by a look and a write. */
  @JCStressTest
  @Outcome(
      id = {"0, 1", "1, 0"},
      expect = ACCEPTABLE,
      desc = "One of them has it.")
  @Outcome(
      id = "1, 1",
      expect = ACCEPTABLE_INTERESTING,
      desc = "In two hands: without the compare-and-set, SignalMeetsIdle fails.")
  @State
  public static class WeakSignalMeetsIdleTwice {
    private static final int IDLE = 0;
    private static final int WAKE = 1;
    private volatile int signal;
    private volatile int word = WAKE;

    private int wake() {
      if (word != IDLE) return 0;
      word = WAKE; // weakened
      return 1;
    }

    @Actor
    public void signal(II_Result r) {
      signal = 1;
      r.r2 = wake();
    }

    @Actor
    public void owner(II_Result r) {
      word = IDLE;
      r.r1 = signal == 1 ? wake() : 0;
    }
  }

  /** Going idle with one step left out: the lanes are looked at before, and not once more. */
  @JCStressTest
  @Outcome(
      id = {"0, 1", "1, 0", "1, 1"},
      expect = ACCEPTABLE,
      desc = "Somebody has it.")
  @Outcome(
      id = "0, 0",
      expect = ACCEPTABLE_INTERESTING,
      desc = "Stranded: without the second look, UrgentSendMeetsIdle fails.")
  @State
  public static class WeakUrgentSendMeetsIdle {
    private static final int IDLE = 0;
    private final AtomicInteger lane = new AtomicInteger();
    private final AtomicInteger word = new AtomicInteger(1);

    @Actor
    public void send(II_Result r) {
      lane.set(1);
      r.r2 = word.compareAndSet(IDLE, 1) ? 1 : 0;
    }

    @Actor
    public void owner(II_Result r) {
      r.r1 = lane.get(); // weakened: before, and not afterwards
      if (r.r1 == 0) word.set(IDLE);
    }
  }

  /** The word with one step weakened: a sender swaps it by a look and a write. */
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "As it should be.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "Queued twice: without the swap, SendMeetsSend fails.")
  @State
  public static class WeakSendMeetsSend {
    private final AtomicInteger queued = new AtomicInteger();
    private volatile int word;

    private void send(int message) {
      int before = word;
      word = message; // weakened
      if (before == 0) queued.incrementAndGet();
    }

    @Actor
    public void one() {
      send(1);
    }

    @Actor
    public void other() {
      send(2);
    }

    @Arbiter
    public void rest(I_Result r) {
      r.r1 = queued.get();
    }
  }

  /** The word with one step weakened: a signal wakes the actor by a look and a write. */
  @JCStressTest
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "As it should be.")
  @Outcome(
      id = "2, 0",
      expect = ACCEPTABLE_INTERESTING,
      desc = "Queued twice, and the message overwritten: SendMeetsSignal fails.")
  @State
  public static class WeakSendMeetsSignal {
    private static final int WAKE = 1;
    private static final int MESSAGE = 2;
    private final AtomicInteger word = new AtomicInteger();
    private final AtomicInteger queued = new AtomicInteger();
    private volatile boolean linked;

    @Actor
    public void send() {
      int before = word.getAndSet(MESSAGE);
      if (before == 0) queued.incrementAndGet();
      else linked = true;
    }

    @Actor
    public void signal() {
      if (word.get() != 0) return;
      word.set(WAKE); // weakened
      queued.incrementAndGet();
    }

    @Arbiter
    public void rest(II_Result r) {
      r.r1 = queued.get();
      r.r2 = linked || word.get() == MESSAGE ? 1 : 0;
    }
  }

  /** The end with two steps exchanged: what is inside is taken first, and then it is closed. */
  @JCStressTest
  @Outcome(
      id = {"1, 0", "0, 1"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "Buried by nobody: without one step for both, SendMeetsClose fails.")
  @State
  public static class WeakSendMeetsClose {
    private static final int CLOSED = -1;
    private final AtomicInteger word = new AtomicInteger();

    @Actor
    public void send(II_Result r) {
      if (!word.compareAndSet(0, 2)) r.r2 = 1;
    }

    @Actor
    public void close(II_Result r) {
      r.r1 = word.get() == 2 ? 1 : 0;
      word.set(CLOSED); // weakened
    }
  }

  /** The end with one step left out: who finds it closed does not sweep the lane again. */
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "As it should be.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "Buried by nobody: without the second sweep, UrgentSendMeetsClose fails.")
  @State
  public static class WeakUrgentSendMeetsClose {
    private final AtomicInteger lane = new AtomicInteger();
    private final AtomicInteger buried = new AtomicInteger();
    private volatile boolean closed;

    private void sweep() {
      if (lane.getAndSet(0) == 1) buried.incrementAndGet();
    }

    @Actor
    public void send() {
      boolean tooLate = closed; // weakened: before it is in, and not afterwards
      lane.set(1);
      if (tooLate) sweep();
    }

    @Actor
    public void close() {
      closed = true;
      sweep();
    }

    @Arbiter
    public void rest(I_Result r) {
      r.r1 = buried.get();
    }
  }

  /** Lanes that are made by a look and a write. */
  @JCStressTest
  @Outcome(id = "2", expect = ACCEPTABLE, desc = "As it should be.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "Lost: without the compare-and-set, FirstUrgentMeetsFirstLow fails.")
  @State
  public static class WeakFirstUrgentMeetsFirstLow {
    private volatile @Nullable AtomicInteger lanes;

    private void put() {
      AtomicInteger now = lanes;
      if (now == null) {
        now = new AtomicInteger();
        lanes = now; // weakened
      }
      now.incrementAndGet();
    }

    @Actor
    public void urgent() {
      put();
    }

    @Actor
    public void low() {
      put();
    }

    @Arbiter
    public void rest(I_Result r) {
      AtomicInteger now = lanes;
      r.r1 = now == null ? 0 : now.get();
    }
  }
}
