package io.turnwise.weavecheck;

import io.turnwise.agent.weaver.PollForm;
import io.turnwise.agent.weaver.SkipReason;
import io.turnwise.agent.weaver.TightWeaver;
import io.turnwise.agent.weaver.WovenClass;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./turnwise weave-check}. */
@Command(
    name = "./turnwise weave-check",
    description = {
      "Weaves every class of a corpus of public jars, lets the JVM verify each, and runs programs woven and unwoven.",
      "Maven fetches the jars. Exit status 1 says that a class did not verify, or that a program said something else."
    })
public final class WeaveCheck implements Callable<Integer> {
  private static final int ERRORS_SHOWN = 20;

  @Parameters(
      arity = "0..1",
      paramLabel = "REGEX",
      description = "only jars whose name has a part that matches; programs still get all")
  private String pattern = "";

  @Option(names = "--maven", paramLabel = "COMMAND", description = "the Maven to use (mvn)")
  private String maven = "mvn";

  @Option(names = "--no-programs", description = "only weave and verify")
  private boolean noPrograms;

  @Option(names = "--program", paramLabel = "NAME", description = "run only this program")
  private List<String> chosenPrograms = new ArrayList<>();

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "show this and end")
  private boolean help;

  private final PrintStream out = System.out;

  private WeaveCheck() {}

  public static void main(String... arguments) {
    System.exit(new CommandLine(new WeaveCheck()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (!Linking.findsBrokenClasses()) {
      out.println("This JVM takes broken classes without a word: the check would mean nothing.");
      return 1;
    }
    List<Artifact> corpus = Artifact.corpus();
    out.println("Fetching " + corpus.size() + " jars through Maven ...");
    Map<Artifact, Path> jars = new MavenFetch(maven).fetch(corpus);
    boolean holds = chosenPrograms.isEmpty() ? verify(jars) : true;
    if (!noPrograms) holds &= compare(List.copyOf(jars.values()));
    out.println(holds ? "holds" : "DOES NOT HOLD");
    return holds ? 0 : 1;
  }

  private boolean verify(Map<Artifact, Path> jars) throws IOException {
    Pattern wanted = Pattern.compile(pattern);
    var total = new Verification.Tally();
    int checked = 0;
    long began = System.nanoTime();
    try (ClassFiles files = ClassFiles.of(List.copyOf(jars.values()))) {
      var verification = new Verification(files);
      out.println(Line.HEADER);
      for (Map.Entry<Artifact, Path> jar : jars.entrySet()) {
        if (!wanted.matcher(jar.getKey().fileName()).find()) continue;
        Verification.Tally tally = verification.check(jar.getValue());
        out.println(Line.of(jar.getKey().language(), jar.getKey().fileName(), tally));
        tally.errors().stream().limit(ERRORS_SHOWN).forEach(it -> out.println("  ERROR " + it));
        total.add(tally);
        checked++;
      }
      out.println(Line.of("all", checked + " jars", total));
      out.printf(
          Locale.ROOT,
          "%.0f s, of these %.1f s weaving (%.2f ms a class); %,d classes link neither way,"
              + " because jars are missing that they would need%n",
          (System.nanoTime() - began) / 1e9,
          verification.nanosWeaving() / 1e9,
          verification.nanosWeaving() / 1e6 / Math.max(1, total.classes().size()),
          total.unlinkable());
    }
    printSkipped(total);
    boolean failedItself = total.classes().stream().anyMatch(WeaveCheck::sayIfFailed);
    return total.errors().isEmpty() && !failedItself;
  }

  private void printSkipped(Verification.Tally total) {
    Map<SkipReason, Integer> reasons = new EnumMap<>(SkipReason.class);
    for (WovenClass one : total.classes())
      one.skipped().forEach(it -> reasons.merge(it.reason(), 1, Integer::sum));
    reasons.forEach(
        (reason, count) ->
            out.printf("  left as it was: %,d x %s (%s)%n", count, reason, reason.explanation()));
  }

  /** The weaver never throws; that it would have is a defect all the same. */
  private static boolean sayIfFailed(WovenClass one) {
    boolean failed = false;
    for (var skipped : one.skipped()) {
      if (skipped.reason() != SkipReason.FAILED) continue;
      System.out.println("  ERROR the weaver failed: " + skipped);
      failed = true;
    }
    return failed;
  }

  /** A line of the table. */
  private record Line() {
    static final String HEADER =
        "%-8s %-46s %7s %7s %8s %8s %7s %7s %7s %7s %7s %8s %6s"
            .formatted(
                "language",
                "jar",
                "classes",
                "woven",
                "methods",
                "woven",
                "plain",
                "strip",
                "budget",
                "call",
                "skipped",
                "verified",
                "errors");

    static String of(String language, String jar, Verification.Tally tally) {
      Map<PollForm, Integer> polls = new EnumMap<>(PollForm.class);
      int woven = 0;
      int methods = 0;
      int wovenMethods = 0;
      int skipped = 0;
      for (WovenClass one : tally.classes()) {
        if (one.bytes() != null) woven++;
        methods += one.methods();
        wovenMethods += one.wovenMethods();
        skipped += one.skipped().size();
        one.polls().forEach((form, count) -> polls.merge(form, count, Integer::sum));
      }
      return "%-8s %-46s %7d %7d %8d %8d %7d %7d %7d %7d %7d %8d %6d"
          .formatted(
              language,
              jar,
              tally.classes().size() + tally.unread(),
              woven,
              methods,
              wovenMethods,
              polls.getOrDefault(PollForm.PLAIN, 0),
              polls.getOrDefault(PollForm.STRIP, 0),
              polls.getOrDefault(PollForm.BUDGET, 0),
              polls.getOrDefault(PollForm.CALL, 0),
              skipped,
              tally.linked(),
              tally.errors().size());
    }
  }

  private boolean compare(List<Path> jars) throws IOException, InterruptedException {
    List<Program> programs =
        Program.all().stream()
            .filter(it -> chosenPrograms.isEmpty() || chosenPrograms.contains(it.name()))
            .toList();
    Path compiled = Files.createTempFile("turnwise-programs-", ".jar");
    try {
      Program.compile(programs, jars, compiled);
      List<Path> classPath = new ArrayList<>(jars);
      classPath.add(compiled);
      try (ClassFiles files = ClassFiles.of(classPath)) {
        return new Comparison(files, TightWeaver.of(PollCounter.TARGET), out).run(programs);
      }
    } finally {
      Files.deleteIfExists(compiled);
    }
  }
}
