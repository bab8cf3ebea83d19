package io.turnwise.woven;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** A program in a JVM of its own, with our agent and others on its command line. */
final class ChildJvm {
  private final Class<?> program;
  private final Path report;
  private final List<String> flags = new ArrayList<>();

  /** The serving program. */
  ChildJvm(Path folder) {
    this(folder, ServingProgram.class);
  }

  ChildJvm(Path folder, Class<?> program) {
    this.program = program;
    report = folder.resolve("weaving.txt");
  }

  ChildJvm with(String flag) {
    flags.add(flag);
    return this;
  }

  /** Our agent as it is shipped, ASM and all. */
  ChildJvm withWeaving() {
    return with("-javaagent:" + jar("turnwise-agent") + "=report=" + report);
  }

  /**
   * The same with more options.
   *
   * @param options as the agent takes them
   */
  ChildJvm withWeaving(String options) {
    return with("-javaagent:" + jar("turnwise-agent") + "=report=" + report + "," + options);
  }

  /** What the agent said at the end. */
  String report() throws IOException {
    return Files.readString(report);
  }

  /** A jar of the test's class path. In a build that does not package, ours is a folder. */
  static Path jar(String name) {
    List<String> found =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> Path.of(entry).getFileName().toString().startsWith(name))
            .filter(entry -> entry.endsWith(".jar"))
            .toList();
    assumeThat(found).as("%s is packaged", name).isNotEmpty();
    return Path.of(found.getFirst());
  }

  Process start() throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.addAll(List.of("-cp", programsOwn(), program.getName()));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  /**
   * Runs it to its end, checks that it did all it does without other agents, and says what it said.
   */
  String serves() throws Exception {
    return check(start());
  }

  /** Runs it to its end, and says what it said. */
  String says() throws Exception {
    Process child = start();
    String said = child.inputReader().readAllAsString();
    assertThat(child.waitFor()).as(said).isZero();
    return said;
  }

  /** Returns what it said. */
  String check(Process child) throws Exception {
    String said = child.inputReader().readAllAsString();
    assertThat(child.waitFor()).as(said).isZero();
    assertThat(said).contains("served: true", "killed: CANCELLED").doesNotContain("served: false");
    assertThat(Files.readString(report)).contains("polls, ").doesNotContain("FAILED");
    return said;
  }

  /** Core and the program: nothing of the agents. */
  private static String programsOwn() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> entry.contains("woven") || isCore(Path.of(entry)))
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static boolean isCore(Path entry) {
    return entry.endsWith("turnwise.jar") || entry.endsWith(Path.of("core", "target", "classes"));
  }
}
