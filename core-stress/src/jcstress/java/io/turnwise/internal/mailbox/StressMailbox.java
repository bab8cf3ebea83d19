package io.turnwise.internal.mailbox;

import io.turnwise.internal.scheduler.Fiber;
import io.turnwise.internal.scheduler.Runner;
import io.turnwise.internal.scheduler.Seat;
import io.turnwise.internal.scheduler.Task;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A mailbox without an actor. Counts how often it is queued; messages are numbers. */
final class StressMailbox extends Mailbox implements Runner {
  final AtomicInteger queued = new AtomicInteger();
  final AtomicInteger tooLate = new AtomicInteger();
  volatile boolean signal;
  private final Hand hand = new Hand();

  static Envelope envelope(int number) {
    return new Envelope(number, null);
  }

  /** One whose owner has it in hand, with nothing left but the message 1 that it is done with. */
  static StressMailbox ownedAndEmpty() {
    var mailbox = new StressMailbox();
    mailbox.put(envelope(1));
    mailbox.take();
    mailbox.putDown();
    mailbox.queued.set(0);
    return mailbox;
  }

  /** What is in it, as digits, in order. By its owner. */
  int drain() {
    int digits = 0;
    Object item;
    while ((item = take()) != null) {
      digits = digits * 10 + (Integer) Envelope.messageOf(item);
      putDown();
    }
    return digits;
  }

  /** Lets go of it if there is nothing left. Returns 0 when it is idle, 1 when there is more. */
  int letGo() {
    return tryIdle() ? 0 : 1;
  }

  void signalAndWake() {
    signal = true;
    wake();
  }

  /** Returns how many were left in it. */
  int closeAndCount() {
    int[] left = {0};
    close(_ -> left[0]++);
    return left[0];
  }

  @Override
  public boolean enqueue(Task task, @Nullable Fiber here) {
    queued.incrementAndGet();
    return false;
  }

  @Override
  public void rouse(Task task) {}

  @Override
  protected Hand hand() {
    return hand;
  }

  @Override
  protected @Nullable Hand handIfAny() {
    return hand;
  }

  @Override
  protected @Nullable BoundedStore bounded() {
    return null;
  }

  @Override
  protected boolean hasSignals() {
    return signal;
  }

  @Override
  protected boolean holdsBack() {
    return false;
  }

  @Override
  protected void onTooLate(Object item) {
    tooLate.incrementAndGet();
  }

  @Override
  protected Runner runner() {
    return this;
  }

  @Override
  protected boolean runSlice(Seat seat) {
    throw new AssertionError("nobody runs it");
  }

  @Override
  protected int quantum() {
    return Integer.MAX_VALUE;
  }
}
