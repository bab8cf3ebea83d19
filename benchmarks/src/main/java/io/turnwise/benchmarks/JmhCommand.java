package io.turnwise.benchmarks;

import io.turnwise.benchmarks.jmh.MicroBenchmarks;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The small costs one by one, with JMH. */
@Command(
    name = "jmh",
    description = {
      "Measures the small costs of Turnwise one by one, with JMH.",
      "Takes a regular expression that chooses benchmarks, and JMH's own options."
    })
final class JmhCommand implements Callable<Integer> {
  @Parameters(paramLabel = "REGEX|OPTION", description = "as JMH's own command line takes them")
  private List<String> arguments = new ArrayList<>();

  @Override
  public Integer call() throws Exception {
    MicroBenchmarks.run(arguments);
    return 0;
  }
}
