package io.turnwise.scheduling;

/**
 * Counts steps of a long computation and lets others run when the budget is used up: for code in
 * which the runtime cannot stop by itself. Belongs to one thread.
 *
 * {@snippet file="ApiSnippets.java" region="budget"}
 */
public final class YieldBudget {
  private final int limit;
  private int used;

  public YieldBudget(int limit) {
    if (limit < 1)
      throw new IllegalArgumentException(
          "YieldBudget.limit is " + limit + "; use 1 to yield at every step, or more");
    this.limit = limit;
  }

  /** Counts one step; yields, and begins anew, when the budget is used up. */
  public void tick() {
    used++;
    if (shouldYield()) yieldNow();
  }

  /** Counts one step without yielding: ask {@link #shouldYield} and call {@link #yieldNow}. */
  public void count() {
    used++;
  }

  /** Whether the budget is used up. Stays true until {@link #yieldNow} or a yielding tick. */
  public boolean shouldYield() {
    return used >= limit;
  }

  /** Lets other actors run, then begins a new budget. */
  public void yieldNow() {
    used = 0;
    letOthersRun();
  }

  /** Yields at every {@code every}-th step: {@code YieldBudget.yieldEvery(i, 100)} in a loop. */
  public static void yieldEvery(long step, int every) {
    if (every < 1)
      throw new IllegalArgumentException(
          "YieldBudget.yieldEvery: every is " + every + "; use 1 up");
    if (step % every == 0) letOthersRun();
  }

  /** To yield takes memory; where there is none, the caller goes on. */
  private static void letOthersRun() {
    try {
      Thread.yield();
    } catch (OutOfMemoryError e) {
      // Others run when this turn ends.
    }
  }
}
