package io.turnwise.benchmarks.price;

import io.turnwise.agent.weaver.LoopWeaver;
import io.turnwise.agent.weaver.PollForm;
import io.turnwise.agent.weaver.PollTarget;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormat;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs every kernel unwoven and woven, one right after the other, each time in a JVM of its own.
 *
 * <p>Made for machines that do other things as well. Every call of a kernel is timed by itself, and
 * is so brief that few calls are interrupted: their median is a call that was not. Of all
 * iterations the fastest counts, because what disturbs only ever makes slower.
 */
public final class PriceRun {
  private static final String PACKAGE = PriceRun.class.getPackageName();

  private final Path agent;
  private final PriceEffort effort;
  private final List<String> kernels;

  private PriceRun(Path agent, PriceEffort effort, List<String> kernels) {
    this.agent = agent;
    this.effort = effort;
    this.kernels = kernels;
  }

  /**
   * @param agent the jar of the weaving agent
   * @param pattern a regular expression; of each kernel's name some part must match
   */
  public static PriceRun of(Path agent, PriceEffort effort, String pattern) {
    OutputFormat silent = OutputFormatFactory.createFormatInstance(System.out, VerboseMode.SILENT);
    Pattern wanted = Pattern.compile(pattern, Pattern.CASE_INSENSITIVE);
    List<String> kernels =
        BenchmarkList.defaultList().getAll(silent, List.of()).stream()
            .map(BenchmarkListEntry::getUsername)
            .filter(it -> it.startsWith(PACKAGE + ".") && wanted.matcher(nameOf(it)).find())
            .toList();
    return new PriceRun(agent, effort, kernels);
  }

  /** How many JVMs will be started. */
  public int steps() {
    return 2 * effort.rounds() * kernels.size();
  }

  /** What is told after each JVM's end. */
  public interface Progress {
    void done(int steps, String kernel, boolean woven, double nanos);
  }

  /** In the order of the kernels' groups and names. */
  public List<Price> run(Progress progress) throws RunnerException, IOException {
    Map<String, Double> unwoven = new TreeMap<>();
    Map<String, Double> woven = new TreeMap<>();
    int steps = 0;
    for (int round = 0; round < effort.rounds(); round++) {
      for (String kernel : kernels) {
        // The first in a pair may find the processor cooler, so they take turns.
        for (boolean weave : round % 2 == 0 ? List.of(false, true) : List.of(true, false)) {
          double nanos = measure(kernel, weave);
          (weave ? woven : unwoven).merge(kernel, nanos, Math::min);
          progress.done(++steps, nameOf(kernel), weave, nanos);
        }
      }
    }
    List<Price> prices = new ArrayList<>();
    for (String kernel : kernels)
      prices.add(
          new Price(
              nameOf(kernel),
              unwoven.getOrDefault(kernel, Double.NaN),
              woven.getOrDefault(kernel, Double.NaN),
              forms(kernel)));
    return Collections.unmodifiableList(prices);
  }

  private double measure(String kernel, boolean weave) throws RunnerException {
    // Unwoven with the agent too: it changes how the JVM starts, and that is not what is measured.
    String options =
        weave
            ? String.join(
                ",",
                "include=" + PACKAGE + ".**",
                "exclude=" + Kernel.class.getName(), // only prepares
                "exclude=**.jmh_generated.**")
            : "weave=off";
    ChainedOptionsBuilder builder =
        new OptionsBuilder()
            .include("^" + Pattern.quote(kernel) + "$")
            .forks(1)
            .warmupIterations(effort.warmups())
            .warmupTime(TimeValue.milliseconds(effort.warmupMillis()))
            .measurementIterations(effort.iterations())
            .measurementTime(TimeValue.milliseconds(effort.iterationMillis()))
            .verbosity(VerboseMode.SILENT)
            .shouldFailOnError(true)
            .jvmArgsPrepend(
                // As users run it: a kernel that had to wait for its compiler (-Xbatch) would be
                // compiled too early, with half a profile, and now and then much worse.
                "-Xms128m", "-javaagent:" + agent + "=" + options);
    // JMH itself calls it: a line of warning that is not about us.
    if (Runtime.version().feature() == 25)
      builder.jvmArgsAppend("--sun-misc-unsafe-memory-access=allow");
    RunResult result = new Runner(builder.build()).runSingle();
    return result.getAggregatedResult().getIterationResults().stream()
        .mapToDouble(it -> it.getPrimaryResult().getStatistics().getPercentile(50))
        .min()
        .orElse(Double.NaN);
  }

  /** The kernel's class: {@code io…price.ArrayKernels.IntSum.compute} is IntSum. */
  private static String nameOf(String benchmark) {
    String owner = benchmark.substring(0, benchmark.lastIndexOf('.'));
    return owner.substring(owner.lastIndexOf('.') + 1);
  }

  /** What the weaver makes of the kernel's own classes; those of the JDK it uses are woven too. */
  private static String forms(String benchmark) throws IOException {
    String owner = benchmark.substring(0, benchmark.lastIndexOf('.'));
    int nested = owner.lastIndexOf('.');
    String type = owner.substring(0, nested) + "$" + owner.substring(nested + 1);
    Map<PollForm, Integer> polls = new EnumMap<>(PollForm.class);
    try {
      count(Class.forName(type, false, PriceRun.class.getClassLoader()), polls);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException("JMH names a class that is not there", e);
    }
    return String.join(
        ", ",
        polls.entrySet().stream()
            .map(it -> it.getValue() + " " + it.getKey().name().toLowerCase(Locale.ROOT))
            .toList());
  }

  private static void count(Class<?> type, Map<PollForm, Integer> polls) throws IOException {
    String file = "/" + type.getName().replace('.', '/') + ".class";
    try (InputStream in = Objects.requireNonNull(type.getResourceAsStream(file))) {
      LoopWeaver.atRunTime(PollTarget.SAFEPOINT)
          .weave(type.getName(), in.readAllBytes())
          .polls()
          .forEach((form, count) -> polls.merge(form, count, Integer::sum));
    }
    for (Class<?> nested : type.getDeclaredClasses()) count(nested, polls);
  }
}
