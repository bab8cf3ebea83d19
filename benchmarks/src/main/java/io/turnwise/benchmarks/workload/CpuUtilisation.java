package io.turnwise.benchmarks.workload;

import com.sun.management.OperatingSystemMXBean;
import io.turnwise.benchmarks.peer.Behavior;
import io.turnwise.benchmarks.peer.Next;
import io.turnwise.benchmarks.peer.Self;
import io.turnwise.benchmarks.result.Measurement;
import java.lang.management.ManagementFactory;

/** Ten thousand actors that each compute something: do the workers keep all cores busy? */
final class CpuUtilisation implements Workload {
  private static final int ACTORS = 10_000;
  private static final int FIBONACCI_OF = 25;
  private static final int FIBONACCI = 75_025;

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    int actors = stage.scaled(ACTORS, 10);
    Finish finish = stage.finish(actors);
    A parent = stage.runtime().spawn(parent(actors, new Calculator<>(finish)));

    long cpuBefore = cpuNanos();
    long start = System.nanoTime();
    stage.runtime().send(parent, Cue.GO);
    finish.await();
    long nanos = System.nanoTime() - start;
    double utilisation = (cpuNanos() - cpuBefore) / ((double) nanos * stage.cores());

    stage.runtime().stop(parent);
    return Measurement.perSecond(actors, actors, nanos)
        .with("util", utilisation)
        .with("workers", stage.workers() == 0 ? "default" : "" + stage.workers());
  }

  private static <A> Behavior<A> parent(int actors, Behavior<A> calculator) {
    return (message, self) -> {
      for (int i = 0; i < actors; i++) {
        self.send(self.spawn(calculator), Cue.WORK);
      }
      return Next.CONTINUE;
    };
  }

  private static long cpuNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  /** The naive recursion, on purpose. */
  private static int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
  }

  private record Calculator<A>(Finish finish) implements Behavior<A> {
    @Override
    public Next receive(Object message, Self<A> self) {
      WrongResultException.unlessEqual("fibonacci", FIBONACCI, fibonacci(FIBONACCI_OF));
      finish.crossed();
      return Next.STOP;
    }
  }
}
