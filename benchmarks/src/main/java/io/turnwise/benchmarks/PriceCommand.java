package io.turnwise.benchmarks;

import io.turnwise.agent.RuntimeAgent;
import io.turnwise.benchmarks.harness.Machine;
import io.turnwise.benchmarks.price.Price;
import io.turnwise.benchmarks.price.PriceEffort;
import io.turnwise.benchmarks.price.PriceRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What the weaver's polls cost. */
@Command(
    name = "price",
    description = {
      "Measures what the weaver's polls cost: kernels of every kind of loop and recursion, unwoven and woven.",
      "Exit status 1 says that a kernel, or their mean, is above its bar."
    })
final class PriceCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Parameters(
      arity = "0..1",
      paramLabel = "REGEX",
      description = "kernels whose name has a part that matches; all if none is given")
  private String pattern = "";

  @Option(names = "--quick", description = "two minutes instead of ten: a look, not a result")
  private boolean quick;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "JVMs per kernel, unwoven and woven (2)")
  private @Nullable Integer rounds;

  @Option(names = "--out", paramLabel = "FILE", description = "append the JSON lines to a file")
  private @Nullable Path out;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "show this and end")
  private boolean help;

  @Override
  public Integer call() throws Exception {
    Path jar = jarOf(RuntimeAgent.class);
    if (!Files.isRegularFile(jar))
      throw new ParameterException(
          spec.commandLine(), jar + " is no jar; ./turnwise bench price builds one.");
    PriceEffort effort = quick ? PriceEffort.QUICK : PriceEffort.USUAL;
    if (rounds != null) effort = effort.withRounds(rounds);
    PriceRun run = PriceRun.of(jar.toAbsolutePath(), effort, pattern);
    if (run.steps() == 0)
      throw new ParameterException(spec.commandLine(), "No kernel's name matches " + pattern);
    PrintWriter err = spec.commandLine().getErr();
    List<Price> prices =
        run.run(
            (steps, kernel, woven, nanos) -> {
              err.printf(
                  Locale.ROOT,
                  "%3d of %d: %s, %s: %,.0f ns%n",
                  steps,
                  run.steps(),
                  kernel,
                  woven ? "woven" : "unwoven",
                  nanos);
              err.flush();
            });
    if (out != null) {
      file(prices, out);
    }
    return print(prices, spec.commandLine().getOut());
  }

  /** A line about the run, and one for each kernel. */
  private void file(List<Price> prices, Path path) throws IOException {
    List<String> command = new ArrayList<>(List.of("bench")); // the rest has "price" in it
    command.addAll(spec.commandLine().getParseResult().originalArgs());
    List<String> lines = new ArrayList<>();
    lines.add(Machine.here().toJson(command, Optional.empty()));
    prices.forEach(price -> lines.add(price.toJson()));
    Files.write(path, lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private static Path jarOf(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  private static int print(List<Price> prices, PrintWriter out) {
    out.printf("%-18s %14s %14s %7s  %s%n", "kernel", "unwoven, ns", "woven, ns", "ratio", "polls");
    for (Price price : prices)
      out.printf(
          Locale.ROOT,
          "%-18s %,14.0f %,14.0f %7.3f  %s%s%n",
          price.kernel(),
          price.unwoven(),
          price.woven(),
          price.ratio(),
          price.forms(),
          price.holds() ? "" : "  ABOVE THE BAR");
    double mean = Price.mean(prices);
    long above = prices.stream().filter(it -> !it.holds()).count();
    boolean holds = mean <= Price.MEAN_BAR && above == 0;
    out.printf(
        Locale.ROOT,
        "%d kernels, geometric mean %.3f (bar %.2f), %d above %.2f: %s%n",
        prices.size(),
        mean,
        Price.MEAN_BAR,
        above,
        Price.KERNEL_BAR,
        holds ? "holds" : "DOES NOT HOLD");
    out.flush();
    return holds ? 0 : 1;
  }
}
