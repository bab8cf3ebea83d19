package io.turnwise.internal.scheduler;

import java.util.ArrayDeque;
import java.util.Deque;

/** An actor whose code is a length of time, and at its end some messages. */
class SimulatedActor extends Task {
  static final int QUANTUM_NANOS = 10_000_000;
  static final int THROUGHPUT = 100;

  /** A turn that never ends. */
  static final long ENDLESS = Long.MAX_VALUE;

  private record Message(long sentAt, long turnNanos) {}

  private final Scheduler scheduler;
  private final Deque<Message> mailbox = new ArrayDeque<>();
  private boolean idle = true;

  /** The worker that ran its last slice, or -1. */
  int ranOn = -1;

  /** Messages handled in the slice in hand. */
  int handled;

  /** What is left of its turn in the middle; 0 between two turns. */
  private long left;

  private long ranNanos;
  private long goesOnSince = -1;

  /** What it had run when counting began. */
  long ranBefore;

  long messagesHandled;

  /** Without being stopped. */
  long longestRun;

  long longestWait;

  SimulatedActor(SimulatedMachine machine) {
    this.scheduler = machine.scheduler;
  }

  /** Returns whether it was idle: then the sender queues it. */
  boolean receive(long now, long turnNanos) {
    mailbox.add(new Message(now, turnNanos));
    boolean was = idle;
    idle = false;
    return was;
  }

  boolean hasMessages() {
    return !mailbox.isEmpty();
  }

  boolean isInTurn() {
    return left > 0;
  }

  boolean isIdle() {
    return idle;
  }

  /** With an empty mailbox. */
  void becomeIdle() {
    phase = Phase.IDLE_CODE;
    idle = true;
  }

  /** Begins its next turn, or goes on with one that was stopped. Returns how long it takes. */
  long go(long now) {
    if (left == 0) {
      Message next = mailbox.remove();
      left = next.turnNanos;
      waited(now - next.sentAt);
    }
    goesOnSince = now;
    return left;
  }

  /** The turn stops here, or ends. */
  void stop(long now) {
    long ran = now - goesOnSince;
    longestRun = Math.max(longestRun, ran);
    ranNanos += ran;
    goesOnSince = -1;
    if (left != ENDLESS) left -= Math.min(left, ran);
  }

  /** How long its turns have run, up to now. */
  long ran(long now) {
    return ranNanos + (goesOnSince < 0 ? 0 : Math.max(0, now - goesOnSince));
  }

  /** So long a message waited for its turn to begin. */
  void waited(long nanos) {
    longestWait = Math.max(longestWait, nanos);
  }

  /** How long it takes until its code comes past a poll. */
  long untilPoll(long usual) {
    return usual;
  }

  /** At the end of a turn. */
  void turnEnded(SimulatedWorker on) {
    messagesHandled++;
  }

  @Override
  protected boolean runSlice(Seat seat) {
    throw new AssertionError("a simulated actor has no code");
  }

  @Override
  protected Runner runner() {
    return scheduler;
  }

  @Override
  protected int quantum() {
    return QUANTUM_NANOS;
  }
}
