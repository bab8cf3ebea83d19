package io.turnwise.faults.trial;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A second JVM, for faults that would take the first one along. */
public final class ChildJvm {
  /** How a child ended. */
  public record Ended(int code, boolean hung, String output) {
    /** The first and the last lines, for a report. Idle actors are left out. */
    public String tail() {
      List<String> lines = output.lines().filter(l -> !l.contains("RECEIVING, 0 queued")).toList();
      if (lines.size() <= 100) return String.join("\n", lines);
      return String.join("\n", lines.subList(0, 50))
          + "\n[...]\n"
          + String.join("\n", lines.subList(lines.size() - 50, lines.size()));
    }

    public Ended mustEndWith(int wanted, String what) {
      if (hung) throw new Broken(what + ": the child JVM hung\n" + tail());
      if (code != wanted)
        throw new Broken(what + ": the child JVM ended with " + code + "\n" + tail());
      return this;
    }
  }

  private ChildJvm() {}

  /** Runs a main class with these JVM flags; a child that takes longer is dumped and ended. */
  public static Ended run(Class<?> main, List<String> flags, List<String> arguments, int seconds)
      throws IOException, InterruptedException {
    return run(main, flags, arguments, Map.of(), seconds, _ -> {});
  }

  /** The same with more in its environment. */
  public static Ended run(
      Class<?> main,
      List<String> flags,
      List<String> arguments,
      Map<String, String> environment,
      int seconds)
      throws IOException, InterruptedException {
    return run(main, flags, arguments, environment, seconds, _ -> {});
  }

  /**
   * The same for who wants to hear what the child says while it runs.
   *
   * @param listener gets each line within a second
   */
  public static Ended run(
      Class<?> main,
      List<String> flags,
      List<String> arguments,
      int seconds,
      Consumer<String> listener)
      throws IOException, InterruptedException {
    return run(main, flags, arguments, Map.of(), seconds, listener);
  }

  private static Ended run(
      Class<?> main,
      List<String> flags,
      List<String> arguments,
      Map<String, String> environment,
      int seconds,
      Consumer<String> listener)
      throws IOException, InterruptedException {
    Path output = Files.createTempFile("turnwise-faults-", ".txt");
    try (Reader bytes = Files.newBufferedReader(output, StandardCharsets.ISO_8859_1)) {
      ProcessBuilder builder =
          new ProcessBuilder(command(main, flags, arguments))
              .redirectErrorStream(true)
              .redirectOutput(output.toFile());
      builder.environment().putAll(environment);
      Process child = builder.start();
      child.getOutputStream().close();
      var heard = new StringBuilder();
      boolean ended = false;
      for (int second = 0; !ended && second < seconds; second++) {
        ended = child.waitFor(1, TimeUnit.SECONDS);
        hear(bytes, heard, listener);
      }
      if (!ended) {
        dumpThreads(child);
        child.destroyForcibly().waitFor();
      }
      String text = new String(Files.readAllBytes(output), StandardCharsets.UTF_8);
      return new Ended(ended ? child.exitValue() : -1, !ended, text);
    } finally {
      Files.deleteIfExists(output);
    }
  }

  /** Passes on the whole lines there are; what is none yet is kept for the next time. */
  private static void hear(Reader bytes, StringBuilder heard, Consumer<String> listener)
      throws IOException {
    for (int c; (c = bytes.read()) >= 0; ) {
      if (c != '\n') {
        heard.append((char) c);
        continue;
      }
      byte[] line = heard.toString().getBytes(StandardCharsets.ISO_8859_1);
      listener.accept(new String(line, StandardCharsets.UTF_8));
      heard.setLength(0);
    }
  }

  /** Asks the hung child, by its own id, to print its threads. */
  private static void dumpThreads(Process child) throws InterruptedException {
    try {
      new ProcessBuilder("kill", "-QUIT", Long.toString(child.pid())).start().waitFor();
      Thread.sleep(500);
    } catch (IOException e) {
      // No such command here: the report has to do without.
    }
  }

  private static List<String> command(Class<?> main, List<String> flags, List<String> arguments) {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--add-opens=java.base/java.lang=ALL-UNNAMED");
    command.addAll(flags);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    command.addAll(arguments);
    return command;
  }
}
