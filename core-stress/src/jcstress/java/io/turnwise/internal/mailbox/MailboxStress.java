package io.turnwise.internal.mailbox;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.turnwise.mailbox.Priority;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

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
  @Outcome(id = "1, 1", expect = FORBIDDEN, desc = "The message was lost beside the signal.")
  @Outcome(expect = FORBIDDEN, desc = "Queued twice or never, or a message is lost.")
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
}
