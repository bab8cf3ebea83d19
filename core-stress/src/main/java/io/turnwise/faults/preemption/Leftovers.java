package io.turnwise.faults.preemption;

import io.turnwise.faults.trial.Broken;
import java.lang.management.ManagementFactory;
import java.util.concurrent.locks.LockSupport;
import javax.management.JMException;
import javax.management.ObjectName;

/** Threads and fibers of the runtime that are still there. */
record Leftovers(long fibers, long threads) {
  private static final String FIBER = "io.turnwise.internal.scheduler.Fiber";

  /** Collects garbage first: what nobody can reach is not left over. */
  static Leftovers count() {
    return new Leftovers(fibersAlive(), threadsAlive());
  }

  /** Waits until no more than these are left: threads take a moment to end. */
  static Leftovers await(long mostFibers, long mostThreads, String when) {
    long began = System.nanoTime();
    while (true) {
      Leftovers now = count();
      if (now.fibers <= mostFibers && now.threads <= mostThreads) return now;
      if (System.nanoTime() - began > 60_000_000_000L)
        throw new Broken(
            when + " there are " + now + ", of " + new Leftovers(mostFibers, mostThreads));
      LockSupport.parkNanos(50_000_000);
    }
  }

  private static long threadsAlive() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("turnwise-"))
        .count();
  }

  private static long fibersAlive() {
    try {
      var histogram =
          (String)
              ManagementFactory.getPlatformMBeanServer()
                  .invoke(
                      new ObjectName("com.sun.management:type=DiagnosticCommand"),
                      "gcClassHistogram",
                      new Object[] {new String[0]},
                      new String[] {String[].class.getName()});
      return histogram
          .lines()
          .map(line -> line.strip().split("\\s+"))
          .filter(words -> words.length >= 4 && words[3].equals(FIBER))
          .mapToLong(words -> Long.parseLong(words[1]))
          .sum();
    } catch (JMException e) {
      throw new Broken("this JVM does not count its objects: " + e);
    }
  }
}
