package io.turnwise.weavecheck;

import io.turnwise.agent.weaver.LoopWeaver;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs programs unwoven and woven, and compares what they return, to the last character. */
final class Comparison {
  private static final long SECONDS_FOR_A_PROGRAM = 300;
  private static final long STACK = 64L << 20; // compilers and interpreters recurse deeply

  private final CorpusLoader unwoven;
  private final CorpusLoader woven;
  private final PrintStream out;

  Comparison(ClassFiles files, LoopWeaver weaver, PrintStream out) {
    unwoven = new CorpusLoader(files, (name, bytes) -> bytes);
    woven =
        new CorpusLoader(
            files,
            (name, bytes) -> {
              byte[] result = weaver.weave(name, bytes).bytes();
              return result == null ? bytes : result;
            });
    this.out = out;
  }

  boolean run(List<Program> programs) throws InterruptedException {
    out.printf("%-24s %12s %14s  %s%n", "program", "characters", "polls passed", "result");
    boolean holds = true;
    for (Program program : programs) holds &= run(program);
    return holds;
  }

  private boolean run(Program program) throws InterruptedException {
    String before = output(program, unwoven);
    long polls = PollCounter.passed();
    String after = output(program, woven);
    polls = PollCounter.passed() - polls;
    String verdict = verdict(before, after, polls);
    out.printf(
        Locale.ROOT, "%-24s %,12d %,14d  %s%n", program.name(), before.length(), polls, verdict);
    return verdict.equals(SAME);
  }

  private static final String SAME = "the same";

  private static String verdict(String before, String after, long polls) {
    if (Program.failed(before)) return "FAILS UNWOVEN: " + before;
    if (before.isEmpty()) return "SAYS NOTHING: there is nothing to compare";
    if (!before.equals(after)) return "DIFFERENT: " + difference(before, after);
    if (polls == 0) return "NO POLL PASSED: it proves nothing";
    return SAME;
  }

  private static String difference(String before, String after) {
    if (Program.failed(after)) return "woven it " + after;
    int at = 0;
    while (at < Math.min(before.length(), after.length()) && before.charAt(at) == after.charAt(at))
      at++;
    int from = Math.max(0, at - 40);
    return "at %d: unwoven \"%s\", woven \"%s\""
        .formatted(at, part(before, from), part(after, from));
  }

  private static String part(String text, int from) {
    return text.substring(from, Math.min(text.length(), from + 120)).replace('\n', '|');
  }

  private static String output(Program program, ClassLoader loader) throws InterruptedException {
    var task = new FutureTask<>(() -> program.run(loader));
    Thread thread = new Thread(null, task, program.name(), STACK);
    thread.setDaemon(true); // one that does not end must not keep the check from its end
    thread.start();
    try {
      return task.get(SECONDS_FOR_A_PROGRAM, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      return Program.threw("nothing, but did not end within " + SECONDS_FOR_A_PROGRAM + " s");
    } catch (ExecutionException e) {
      return Program.threw(e.toString());
    }
  }
}
