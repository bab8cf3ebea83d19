package io.turnwise.internal.scheduler;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Simulates every scene for each number of workers and writes the plots and the figures of
 * docs/scale.md: {@code ./turnwise scale}. The same sources write the same files.
 */
final class ScaleReport {
  private static final int[] WORKERS = {1, 2, 4, 16, 64, 256};
  private static final int SEEDS = 5;
  private static final int MICROSECOND = Scale.MICROSECOND;

  /** What one figure was with each seed. */
  private record Spread(double[] sorted) {
    double median() {
      return sorted[sorted.length / 2];
    }

    double least() {
      return sorted[0];
    }

    double most() {
      return sorted[sorted.length - 1];
    }
  }

  private record Key(String scene, int workers, String figure) {}

  @FunctionalInterface
  private interface Scene {
    Scale.Row play(int workers, long seed);
  }

  private final Map<Key, double[]> values = new LinkedHashMap<>();

  private ScaleReport() {}

  public static void main(String... arguments) throws IOException {
    if (arguments.length != 1) {
      System.err.println("Usage: ./turnwise scale FOLDER");
      System.exit(2);
    }
    var report = new ScaleReport();
    for (int workers : WORKERS) report.simulate(workers);
    Path folder = Files.createDirectories(Path.of(arguments[0]));
    Files.writeString(folder.resolve("figures.tsv"), report.table());
    for (Map.Entry<String, LinePlot> plot : report.plots().entrySet())
      Files.writeString(folder.resolve(plot.getKey() + ".svg"), plot.getValue().svg());
    System.err.println("written to " + folder);
  }

  private void simulate(int workers) {
    List<Scene> scenes =
        List.of(
            (n, seed) -> Scale.loops("loops", n, 4 * n, seed),
            (n, seed) -> Scale.loops("loops, uneven", n, (5 * n + 1) / 2, seed),
            Scale::skewed,
            Scale::spawned,
            Scale::light,
            Scale::half,
            Scale::talkers,
            (n, seed) -> Scale.burst(n, 1, 20 * MICROSECOND, seed),
            (n, seed) -> Scale.burst(n, 1_000, MICROSECOND, seed),
            (n, seed) -> Scale.burst(n, 1_000, 20 * MICROSECOND, seed),
            (n, seed) -> Scale.burst(n, 1_000, 200 * MICROSECOND, seed));
    for (Scene scene : scenes)
      for (int seed = 0; seed < SEEDS; seed++) {
        Scale.Row row = scene.play(workers, seed + 1);
        int place = seed;
        row.figures()
            .forEach(
                (name, value) ->
                    values
                            .computeIfAbsent(
                                new Key(row.scene(), workers, name), _ -> new double[SEEDS])[
                            place] =
                        value);
      }
    System.err.println(workers + " workers: done");
  }

  private Spread spread(Key key) {
    double[] all = values.get(key);
    if (all == null) throw new IllegalArgumentException("nobody has counted " + key);
    double[] sorted = all.clone();
    Arrays.sort(sorted);
    return new Spread(sorted);
  }

  private String table() {
    var text = new StringBuilder("scene\tworkers\tfigure\tmedian of 5 seeds\tleast\tmost\n");
    for (Key key : values.keySet()) {
      Spread spread = spread(key);
      text.append(
          "%s\t%d\t%s\t%s\t%s\t%s%n"
              .formatted(
                  key.scene,
                  key.workers,
                  key.figure,
                  brief(spread.median()),
                  brief(spread.least()),
                  brief(spread.most())));
    }
    return text.toString();
  }

  private static String brief(double value) {
    if (Double.isNaN(value)) return "never";
    String text = String.format(Locale.ROOT, Math.abs(value) < 100 ? "%.4f" : "%.1f", value);
    return text.replaceAll("0+$", "").replaceAll("\\.$", "");
  }

  private Map<String, LinePlot> plots() {
    Map<String, LinePlot> plots = new LinkedHashMap<>();
    plots.put(
        "fairness",
        new LinePlot("Endless loops: how equal are their shares of a second?", "Jain's index")
            .linear(0.96, 1)
            .line("4 for each worker, first second", line("loops", "jain in the first second"))
            .line("4, next second", line("loops", "jain"))
            .line("2.5, first second", line("loops, uneven", "jain in the first second"))
            .line("2.5, next second", line("loops, uneven", "jain")));
    plots.put(
        "worst",
        new LinePlot("Endless loops: the worst served, in one second", "its share / mean")
            .linear(0, 1)
            .line("4 for each worker", line("loops", "worst/mean"))
            .line("2.5 for each worker", line("loops, uneven", "worst/mean"))
            .line("2 beside light actors", line("light", "worst/mean of the loops")));
    plots.put(
        "waits",
        new LinePlot("Light actors beside two loops for each worker: waits", "microseconds")
            .logarithmic(1, 1_000)
            .line("median", line("light", "median wait, us"))
            .line("99 of 100", line("light", "p99 wait, us"))
            .line("longest", line("light", "longest wait, us")));
    plots.put(
        "balance",
        new LinePlot("Four loops for each worker, all begun on one", "milliseconds")
            .logarithmic(0.1, 1_000)
            .line("crowd: all at work", line("skewed", "all at work after, ms"))
            .line("crowd: nobody has twice its part", line("skewed", "balanced after, ms"))
            .line("spawned: all at work", line("spawned", "all at work after, ms"))
            .line("spawned: nobody has twice", line("spawned", "balanced after, ms")));
    plots.put(
        "wakes",
        new LinePlot("A burst while all sleep: how many are woken?", "workers")
            .logarithmic(1, 256)
            .line("1 message", line("burst of 1, 20 us each", "workers woken"))
            .line("1,000 of 1 us", line("burst of 1000, 1 us each", "workers woken"))
            .line("1,000 of 20 us", line("burst of 1000, 20 us each", "workers woken"))
            .line("1,000 of 200 us", line("burst of 1000, 200 us each", "workers woken")));
    plots.put(
        "bursts",
        new LinePlot("The same: when is it done?", "milliseconds")
            .logarithmic(0.1, 1_000)
            .line("1,000 of 1 us", inMillis("burst of 1000, 1 us each"))
            .line("1,000 of 20 us", inMillis("burst of 1000, 20 us each"))
            .line("1,000 of 200 us", inMillis("burst of 1000, 200 us each")));
    plots.put(
        "moves",
        new LinePlot("Of one worker, in a second", "times")
            .logarithmic(1, 10_000)
            .line("loops: moved to another worker", line("loops", "moves/s per worker"))
            .line("loops: stopped", line("loops", "requests/s per worker"))
            .line("beside light actors: moved", line("light", "moves/s per worker"))
            .line("beside light actors: stopped", line("light", "requests/s per worker")));
    plots.put(
        "looks",
        new LinePlot("Other workers looked at, for one message", "looks")
            .logarithmic(1, 1_000)
            .line("beside loops", line("light", "looks per message"))
            .line("four workers in ten busy", line("half", "looks per message")));
    plots.put(
        "flag",
        new LinePlot("Share of time", "of 1")
            .linear(0, 0.4)
            .line(
                "polls find the flag up, beside light actors",
                line("light", "flag up, share of time"))
            .line("polls find it up, loops alone", line("loops", "flag up, share of time"))
            .line("a worker searches, four in ten busy", line("half", "searching, share of time")));
    return plots;
  }

  private List<LinePlot.Point> line(String scene, String figure) {
    List<LinePlot.Point> points = new ArrayList<>();
    for (int workers : WORKERS) {
      Spread spread = spread(new Key(scene, workers, figure));
      points.add(new LinePlot.Point(workers, spread.median(), spread.least(), spread.most()));
    }
    return points;
  }

  private List<LinePlot.Point> inMillis(String scene) {
    return line(scene, "done after, us").stream().map(point -> point.times(1e-3)).toList();
  }
}
