package io.turnwise.benchmarks.harness;

import io.turnwise.benchmarks.peer.ActorRuntime;
import io.turnwise.benchmarks.peer.RuntimeSettings;
import io.turnwise.benchmarks.result.Json;
import io.turnwise.benchmarks.result.Measurement;
import io.turnwise.benchmarks.workload.Failures;
import io.turnwise.benchmarks.workload.Stage;
import java.io.PrintStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The program of a peer of the JVM: warms up, repeats one workload and prints each repetition as a
 * line of JSON. A failure is a line too.
 */
public final class PeerProcess {
  private static final Duration WARM_UP = Duration.ofSeconds(8);

  private final RunOrder order;
  private final PrintStream out;

  PeerProcess(RunOrder order, PrintStream out) {
    this.order = order;
    this.out = out;
  }

  /** Ends the JVM when it is done: nobody waits for a peer to take its threads down. */
  @SuppressWarnings("CatchAndPrintStackTrace")
  public static void main(String... arguments) {
    PeerProcess process = new PeerProcess(RunOrder.parse(arguments), System.out);
    int status = 0;
    try {
      process.run();
    } catch (Throwable failure) {
      failure.printStackTrace();
      process.reportFailure(failure);
      status = 1;
    }
    System.out.flush();
    Runtime.getRuntime().halt(status);
  }

  void run() throws Exception {
    Failures failures = new Failures();
    ActorRuntime<?> runtime = order.peer().open(new RuntimeSettings(order.workers(), failures));
    System.err.println(order.peer().label() + ": " + runtime.describe());
    repeat(new Stage<>(order.peer(), runtime, order.workers(), order.scale(), failures));
  }

  /**
   * At least one repetition is reported, even if the budget was spent while warming up. Short ones
   * warm up for some seconds, however many that are: compilers need time, not repetitions.
   */
  private void repeat(Stage<?> stage) throws Exception {
    long begin = System.nanoTime();
    long budget = order.budget().toNanos();
    long warm = order.warmups() == 0 ? 0 : Math.min(WARM_UP.toNanos(), budget / 2);
    int warmups = 0;
    int reported = 0;
    long passed = 0;
    while (reported < order.reps() && (passed < budget || reported == 0)) {
      boolean counts = warmups >= order.warmups() && passed >= warm || passed >= budget;
      Measurement measurement = order.workload().workload().run(stage);
      passed = System.nanoTime() - begin;
      String line = lineOf(measurement);
      if (counts || passed >= budget) {
        out.println(line);
        reported++;
      } else {
        warmups++;
      }
    }
  }

  /**
   * Made for warm-ups as well: the first one loads classes and makes the JVM throw compiled code
   * away, and the compilers then take cores from whatever is measured next.
   */
  private String lineOf(Measurement measurement) {
    return measurement.toLine(
        order.peer().label(), order.workload().name(), order.workload().metric().unit());
  }

  private void reportFailure(Throwable failure) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("peer", order.peer().label());
    fields.put("workload", order.workload().name());
    fields.put("failed", failure.toString());
    out.println(Json.write(fields));
  }
}
