package io.turnwise.internal.scheduler;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Why no work is left lying while a worker sleeps, and nobody is kept from waking it. */
public class IdleWorkersStress {
  private IdleWorkersStress() {}

  @JCStressTest
  @Outcome(
      id = "-1, 1",
      expect = ACCEPTABLE,
      desc = "The work was left to the worker, which saw it before it slept.")
  @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "The worker slept and was woken.")
  @Outcome(
      id = "0, 1",
      expect = ACCEPTABLE,
      desc = "Both saw each other: the worker finds itself claimed.")
  @Outcome(
      id = "-1, 0",
      expect = FORBIDDEN,
      desc = "The worker sleeps, and nobody wakes it for the work.")
  @State
  public static class WorkMeetsSleeper {
    private final IdleWorkers idle = new IdleWorkers(1);
    private final TaskQueue injector = new TaskQueue();
    private final Task task = new StressTask(1);

    public WorkMeetsSleeper() {
      idle.beginSearch();
    }

    @Actor
    public void bringWork(II_Result r) {
      injector.push(task);
      r.r1 = idle.claimSearcher();
    }

    @Actor
    public void goToSleep(II_Result r) {
      idle.fallAsleep(0);
      idle.endSearch();
      r.r2 = injector.isEmpty() ? 0 : 1;
    }
  }

  @JCStressTest
  @Outcome(
      id = {"0, -1", "-1, 0"},
      expect = ACCEPTABLE,
      desc = "One of the two has woken the sleeper.")
  @Outcome(expect = FORBIDDEN, desc = "It was woken twice, or not at all.")
  @State
  public static class ClaimMeetsClaim {
    private final IdleWorkers idle = new IdleWorkers(1);

    public ClaimMeetsClaim() {
      idle.fallAsleep(0);
    }

    @Actor
    public void one(II_Result r) {
      r.r1 = idle.claimAsSearcher(0) ? 0 : -1;
    }

    @Actor
    public void other(II_Result r) {
      r.r2 = idle.claimSearcher();
    }
  }

  /** A worker that searches, and sees work as it goes to sleep. */
  private static class Sleeper {
    final IdleWorkers idle = new IdleWorkers(1);

    Sleeper() {
      idle.beginSearch();
    }

    /** Returns how many search afterwards. */
    int goToSleepAndSeeWork() {
      idle.fallAsleep(0);
      idle.endSearch();
      if (!idle.wakeSelf(0)) idle.endSearch(); // it is a searcher, and finds what it saw
      return idle.searching();
    }
  }

  @JCStressTest
  @Outcome(
      id = "1, 0",
      expect = ACCEPTABLE,
      desc = "The sleeper was woken as a searcher, and searches no more.")
  @Outcome(
      id = {"0, 0", "0, 1"},
      expect = ACCEPTABLE,
      desc = "It woke by itself: whoever wanted to wake it counts it no more, or not for long.")
  @Outcome(
      id = "1, -1",
      expect = FORBIDDEN,
      desc = "It searches no more before anybody has counted it: nobody can claim a searcher.")
  @State
  public static class WakeMeetsSleeper extends Sleeper {
    @Actor
    public void wake(II_Result r) {
      r.r1 = idle.claimAsSearcher(0) ? 1 : 0;
    }

    @Actor
    public void goToSleep(II_Result r) {
      r.r2 = goToSleepAndSeeWork();
    }
  }

  /** The same with the sleeper's fences taken away: plain writes instead of atomic steps. */
  @JCStressTest
  @Outcome(
      id = {"-1, 1", "0, 0", "0, 1"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(
      id = "-1, 0",
      expect = ACCEPTABLE_INTERESTING,
      desc = "Slept through: without the fence, WorkMeetsSleeper fails.")
  @State
  public static class WeakWorkMeetsSleeper {
    private int bit;
    private int work;

    @Actor
    public void bringWork(II_Result r) {
      work = 1;
      r.r1 = bit == 1 ? 0 : -1;
    }

    @Actor
    public void goToSleep(II_Result r) {
      bit = 1;
      r.r2 = work;
    }
  }

  /** The same with one step weakened: a sleeper is claimed by a look and a write. */
  @JCStressTest
  @Outcome(
      id = {"0, -1", "-1, 0"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "Woken twice: without the atomic step, ClaimMeetsClaim fails.")
  @State
  public static class WeakClaimMeetsClaim {
    private volatile int bit = 1;

    private int claim() {
      if (bit == 0) return -1;
      bit = 0; // weakened
      return 0;
    }

    @Actor
    public void one(II_Result r) {
      r.r1 = claim();
    }

    @Actor
    public void other(II_Result r) {
      r.r2 = claim();
    }
  }

  /** The same where the sleeper is claimed first and counted as a searcher afterwards. */
  @JCStressTest
  @Outcome(
      id = {"1, 0", "0, 0", "0, 1"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(
      id = "1, -1",
      expect = ACCEPTABLE_INTERESTING,
      desc = "Fewer than none search: in this order, WakeMeetsSleeper fails.")
  @State
  public static class WeakWakeMeetsSleeper extends Sleeper {
    @Actor
    public void wake(II_Result r) {
      boolean claimed = idle.claim(0);
      if (claimed) idle.beginSearch(); // weakened: after the bit
      r.r1 = claimed ? 1 : 0;
    }

    @Actor
    public void goToSleep(II_Result r) {
      r.r2 = goToSleepAndSeeWork();
    }
  }
}
