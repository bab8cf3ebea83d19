package io.turnwise.internal.scheduler;

/**
 * What one thread has counted. Written by that thread alone, so plainly; whoever adds them up from
 * outside reads whole longs, at most a moment old, and exact once the system is quiet.
 */
public final class Counters {
  public long messagesHandled;
  public long messagesFailed;
  public long signalsHandled;
  public long spawned;
  public long stopped;
  public long crashes;
  public long slices;
  public long suspensions;
  public long steals;
  public long parks;
  public long foreignSlices;

  /** Slices that stopped in the middle of a handler because they were asked to. */
  public long preemptions;

  /** Masked sections that were longer than their limit. */
  public long masksOverrun;

  /** Turns whose actors had gone on without them, and that have ended since. */
  public long abandonedEnded;

  /** How long those waited whose slices it began, in ticks. */
  long waitedTicks;

  /** Adds what another has counted. */
  public void add(Counters other) {
    messagesHandled += other.messagesHandled;
    messagesFailed += other.messagesFailed;
    signalsHandled += other.signalsHandled;
    spawned += other.spawned;
    stopped += other.stopped;
    crashes += other.crashes;
    slices += other.slices;
    suspensions += other.suspensions;
    steals += other.steals;
    parks += other.parks;
    foreignSlices += other.foreignSlices;
    preemptions += other.preemptions;
    masksOverrun += other.masksOverrun;
    abandonedEnded += other.abandonedEnded;
    waitedTicks += other.waitedTicks;
  }
}
