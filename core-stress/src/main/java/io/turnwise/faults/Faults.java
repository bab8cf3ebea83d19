package io.turnwise.faults;

import io.turnwise.faults.error.InterruptRow;
import io.turnwise.faults.error.OutOfMemoryRow;
import io.turnwise.faults.error.SendWithoutMemoryRow;
import io.turnwise.faults.error.StackOverflowRow;
import io.turnwise.faults.error.ThreadDeathRow;
import io.turnwise.faults.error.ThrowableRow;
import io.turnwise.faults.life.ExitRow;
import io.turnwise.faults.life.LateReplyRow;
import io.turnwise.faults.life.ListenerRow;
import io.turnwise.faults.life.ShutdownRow;
import io.turnwise.faults.life.WatchRow;
import io.turnwise.faults.load.ChurnRow;
import io.turnwise.faults.load.DeadLetterRow;
import io.turnwise.faults.load.FanRow;
import io.turnwise.faults.load.FloodRow;
import io.turnwise.faults.load.IdleRow;
import io.turnwise.faults.load.StarvationRow;
import io.turnwise.faults.load.UnboundedFloodRow;
import io.turnwise.faults.preemption.AbandonedLockRow;
import io.turnwise.faults.preemption.CollisionRow;
import io.turnwise.faults.preemption.ExactRow;
import io.turnwise.faults.preemption.InitialiserRow;
import io.turnwise.faults.preemption.LockHolderRow;
import io.turnwise.faults.preemption.LoopRow;
import io.turnwise.faults.preemption.MaskRow;
import io.turnwise.faults.preemption.NativeRow;
import io.turnwise.faults.preemption.PinnedWaitersRow;
import io.turnwise.faults.preemption.SharedJdkRow;
import io.turnwise.faults.preemption.SwallowRow;
import io.turnwise.faults.preemption.UnwindRow;
import io.turnwise.faults.property.PropertyRow;
import io.turnwise.faults.simulation.DayRow;
import io.turnwise.faults.simulation.SeedsRow;
import io.turnwise.faults.start.LaunchRow;
import io.turnwise.faults.supervision.HangingStartRow;
import io.turnwise.faults.supervision.HierarchyRow;
import io.turnwise.faults.supervision.ManyChildrenRow;
import io.turnwise.faults.supervision.PoisonRow;
import io.turnwise.faults.supervision.RestartStormRow;
import io.turnwise.faults.supervision.SupervisorEndsRow;
import io.turnwise.faults.time.ClockJumpRow;
import io.turnwise.faults.time.StandstillRow;
import io.turnwise.faults.time.TimerRaceRow;
import io.turnwise.faults.trial.QuietLog;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Trial;
import io.turnwise.faults.weaving.HostileClassRow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** {@code ./turnwise faults}: runs rows of the fault table and prints what became of them. */
public final class Faults {
  private static final String USAGE =
      """
      Usage: ./turnwise faults [ROW ...] [--size ci|full] [--seed N] [--workers N] [--minutes M] [--resume]

        ROW          rows to run; all of them if none is named
        --size       full, the sizes that count (default); or ci, the small ones of every build
        --seed       where chance comes from; printed with each result, so that it can be repeated
        --workers    run on that many workers; 1 and then 2 by default
        --minutes    F41 and F42, which have many seeds, end after that time
        --resume     F41 and F42 go on with the seeds that the run before has left

      Rows:
      """;

  private Faults() {}

  /** Every row, in the order in which they run. */
  public static Map<String, Row> rows() {
    var rows = new LinkedHashMap<String, Row>();
    for (Row row :
        List.of(
            new HierarchyRow(),
            new SupervisorEndsRow(),
            new PoisonRow(),
            new RestartStormRow(),
            new HangingStartRow(),
            new ManyChildrenRow(),
            new WatchRow(),
            new LateReplyRow(),
            new ListenerRow(),
            new ShutdownRow(),
            new ExitRow(),
            new StackOverflowRow(),
            new OutOfMemoryRow(),
            new SendWithoutMemoryRow(),
            new ThrowableRow(),
            new InterruptRow(),
            new ThreadDeathRow(),
            new TimerRaceRow(),
            new ClockJumpRow(),
            new StandstillRow(),
            new FloodRow(),
            new UnboundedFloodRow(),
            new ChurnRow(),
            new IdleRow(),
            new FanRow(),
            new DeadLetterRow(),
            new StarvationRow(),
            new PropertyRow(),
            new ExactRow(),
            new LoopRow(),
            new SwallowRow(),
            new UnwindRow(),
            new InitialiserRow(),
            new SharedJdkRow(),
            new NativeRow(),
            new AbandonedLockRow(),
            new LockHolderRow(),
            new PinnedWaitersRow(),
            new MaskRow(),
            new CollisionRow(),
            new HostileClassRow(),
            new SeedsRow(),
            new LaunchRow(),
            new DayRow())) rows.put(row.id().toLowerCase(Locale.ROOT), row);
    return rows;
  }

  public static void main(String[] arguments) {
    System.exit(run(arguments));
  }

  /** A line of the table. */
  private record Result(
      Row row, String size, @org.jspecify.annotations.Nullable Throwable failure, double seconds) {}

  static int run(String... arguments) {
    QuietLog.install();
    Map<String, Row> rows = rows();
    List<Row> chosen = new ArrayList<>();
    boolean full = true;
    long seed = System.nanoTime() & 0xFFFFFF;
    int workers = 0;
    int minutes = 0;
    boolean resumes = false;
    List<String> words = spread(arguments);
    try {
      for (int i = 0; i < words.size(); i++) {
        String word = words.get(i);
        switch (word) {
          case "--size" -> full = isFull(words.get(++i));
          case "--seed" -> seed = Long.parseLong(words.get(++i));
          case "--workers" -> workers = Integer.parseInt(words.get(++i));
          case "--minutes" -> minutes = Integer.parseInt(words.get(++i));
          case "--resume" -> resumes = true;
          case "--help", "-h" -> {
            System.out.println(usage(rows));
            return 0;
          }
          default -> {
            Row row = rows.get(word.toLowerCase(Locale.ROOT));
            if (row == null) throw new IllegalArgumentException("there is no row " + word);
            chosen.add(row);
          }
        }
      }
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      System.err.println("faults: " + e.getMessage() + "\n\n" + usage(rows));
      return 2;
    }
    if (chosen.isEmpty()) chosen.addAll(rows.values());
    var trial =
        new Trial(full, seed, workers, text -> System.out.println("    " + text), minutes, resumes);
    return report(runAll(chosen, trial), seed);
  }

  private static List<String> spread(String... arguments) {
    var words = new ArrayList<String>();
    for (String argument : arguments) words.addAll(List.of(argument.split("=", 2)));
    return words;
  }

  private static boolean isFull(String size) {
    return switch (size) {
      case "full" -> true;
      case "ci" -> false;
      default -> throw new IllegalArgumentException("--size is " + size + "; use ci or full");
    };
  }

  private static String usage(Map<String, Row> rows) {
    var text = new StringBuilder(USAGE);
    rows.values().forEach(row -> text.append(String.format("  %-11s %s%n", row.id(), row.what())));
    return text.toString();
  }

  private static List<Result> runAll(List<Row> chosen, Trial trial) {
    List<Result> results = new ArrayList<>();
    for (Row row : chosen) {
      System.out.println(row.id() + "  " + row.what() + " (seed " + trial.seed() + ")");
      long began = System.nanoTime();
      String size = "";
      Throwable failure = null;
      try {
        size = row.run(trial);
      } catch (Throwable e) { // whatever it was, it is this row's result
        failure = e;
        e.printStackTrace(System.out);
      }
      results.add(new Result(row, size, failure, (System.nanoTime() - began) / 1e9));
    }
    return results;
  }

  private static int report(List<Result> results, long seed) {
    System.out.printf("%n%-10s %-44s %-40s %-6s %8s  %s%n", "row", "what", "size", "", "s", "seed");
    int failures = 0;
    for (Result result : results) {
      boolean held = result.failure == null;
      if (!held) failures++;
      System.out.printf(
          Locale.ROOT,
          "%-10s %-44s %-40s %-6s %8.1f  %d%n",
          result.row.id(),
          result.row.what(),
          held ? result.size : "",
          held ? "held" : "BROKEN",
          result.seconds,
          seed);
      if (!held) System.out.println("           " + firstLine(result.failure));
    }
    return failures == 0 ? 0 : 1;
  }

  private static String firstLine(@org.jspecify.annotations.Nullable Throwable failure) {
    String text = String.valueOf(failure);
    int end = text.indexOf('\n');
    return end < 0 ? text : text.substring(0, end);
  }
}
