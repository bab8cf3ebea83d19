package io.turnwise.internal.scheduler;

/** What a scheduler keeps of the virtual threads that handlers started. */
public final class KnownThreads {
  private KnownThreads() {}

  /** How many it knows the owner of. */
  public static int of(Scheduler scheduler) {
    return scheduler.foreignOwners.tidy();
  }

  /** How many of this actor's run or wait to be run. */
  public static int runnable(Task actor) {
    ForeignThreads threads = actor.account().threads();
    return threads == null ? 0 : threads.runnable();
  }
}
