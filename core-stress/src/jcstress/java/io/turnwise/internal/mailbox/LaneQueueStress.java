package io.turnwise.internal.mailbox;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** The high and the low lane. Messages are shown as digits, in the order they came out. */
public class LaneQueueStress {
  private LaneQueueStress() {}

  private static int number(@Nullable Envelope envelope) {
    return envelope == null ? 0 : (Integer) envelope.message();
  }

  private static int drain(LaneQueue queue) {
    int digits = 0;
    Envelope envelope;
    while ((envelope = queue.poll()) != null) digits = digits * 10 + number(envelope);
    return digits;
  }

  @JCStressTest
  @Outcome(
      id = "1, 2",
      expect = ACCEPTABLE,
      desc = "The owner has the last message; the new one waits.")
  @Outcome(
      id = "0, 12",
      expect = ACCEPTABLE,
      desc = "The owner came between swap and link: both wait, in order.")
  @Outcome(expect = FORBIDDEN, desc = "A message is lost, doubled or overtaken.")
  @State
  public static class PushMeetsLastPoll {
    private final LaneQueue queue = new LaneQueue();
    private final Envelope second = StressMailbox.envelope(2);

    public PushMeetsLastPoll() {
      queue.push(StressMailbox.envelope(1));
    }

    @Actor
    public void push() {
      queue.push(second);
    }

    @Actor
    public void poll(II_Result r) {
      r.r1 = number(queue.poll());
    }

    @Arbiter
    public void rest(II_Result r) {
      r.r2 = drain(queue);
    }
  }

  @JCStressTest
  @Outcome(
      id = {"12", "21"},
      expect = ACCEPTABLE,
      desc = "Both wait, in the order of their swaps.")
  @Outcome(expect = FORBIDDEN, desc = "A message is lost or doubled.")
  @State
  public static class PushMeetsPush {
    private final LaneQueue queue = new LaneQueue();
    private final Envelope first = StressMailbox.envelope(1);
    private final Envelope second = StressMailbox.envelope(2);

    @Actor
    public void one() {
      queue.push(first);
    }

    @Actor
    public void other() {
      queue.push(second);
    }

    @Arbiter
    public void rest(I_Result r) {
      r.r1 = drain(queue);
    }
  }

  /** The lane with one step weakened: the swap of the tail is a look and a write. */
  @JCStressTest
  @Outcome(
      id = {"12", "21"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "Lost: without the swap, PushMeetsPush fails.")
  @State
  public static class WeakPushMeetsPush {
    private final Envelope first = StressMailbox.envelope(1);
    private final Envelope second = StressMailbox.envelope(2);
    private volatile @Nullable Envelope tail;
    private volatile @Nullable Envelope head;

    private void push(Envelope envelope) {
      Envelope before = tail;
      tail = envelope; // weakened
      if (before == null) head = envelope;
      else before.next = envelope;
    }

    @Actor
    public void one() {
      push(first);
    }

    @Actor
    public void other() {
      push(second);
    }

    @Arbiter
    public void rest(I_Result r) {
      for (Envelope e = head; e != null; e = e.next) r.r1 = r.r1 * 10 + number(e);
    }
  }

  /** The lane with one step weakened: the last is taken by a look and a write. */
  @JCStressTest
  @Outcome(
      id = {"1, 2", "0, 12"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "Lost: without the compare-and-set, PushMeetsLastPoll fails.")
  @State
  public static class WeakPushMeetsLastPoll {
    private final Envelope first = StressMailbox.envelope(1);
    private final Envelope second = StressMailbox.envelope(2);
    private final AtomicReference<@Nullable Envelope> tail = new AtomicReference<>(first);
    private volatile @Nullable Envelope head = first;

    private @Nullable Envelope take() {
      Envelope at = head;
      if (at == null) return null;
      Envelope next = at.next;
      if (next != null) {
        head = next;
        return at;
      }
      if (tail.get() != at) return null; // one is on its way
      head = null;
      tail.set(null); // weakened
      return at;
    }

    @Actor
    public void push() {
      Envelope before = tail.getAndSet(second);
      if (before == null) head = second;
      else before.next = second;
    }

    @Actor
    public void poll(II_Result r) {
      r.r1 = number(take());
    }

    @Arbiter
    public void rest(II_Result r) {
      Envelope envelope;
      while ((envelope = take()) != null) r.r2 = r.r2 * 10 + number(envelope);
    }
  }
}
