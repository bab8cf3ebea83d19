package io.turnwise.benchmarks.jmh;

import java.util.List;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/** The door to JMH: its own command line, with the flags that the forked JVMs need. */
public final class MicroBenchmarks {
  private MicroBenchmarks() {}

  /** Runs what JMH's own command line would run with these arguments. */
  public static void run(List<String> arguments)
      throws RunnerException, CommandLineOptionException, java.io.IOException {
    CommandLineOptions given = new CommandLineOptions(arguments.toArray(String[]::new));
    if (given.shouldHelp()) {
      given.showHelp();
      return;
    }
    Options options =
        new OptionsBuilder()
            .parent(given)
            .jvmArgsPrepend("--add-opens=java.base/java.lang=ALL-UNNAMED")
            .build();
    if (given.shouldList()) {
      new Runner(options).list();
      return;
    }
    new Runner(options).run();
  }
}
