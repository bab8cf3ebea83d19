package io.turnwise.benchmarks;

import io.turnwise.benchmarks.jmh.MicroBenchmarks;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

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

  @Option(
      names = "--help",
      usageHelp = true,
      description = "show this and end; -h shows JMH's own options")
  private boolean help;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    try {
      MicroBenchmarks.run(arguments);
    } catch (CommandLineOptionException unknown) {
      throw new ParameterException(spec.commandLine(), "JMH: " + unknown.getMessage());
    }
    return 0;
  }
}
