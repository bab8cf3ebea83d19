package io.turnwise.agent;

import io.turnwise.agent.weaver.LoopWeaver;
import io.turnwise.agent.weaver.PollTarget;
import io.turnwise.agent.weaver.SkipReason;
import io.turnwise.agent.weaver.WovenClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Weaves the class files in folders, in place, so that a program needs no agent when it runs:
 * {@code java -jar turnwise-agent.jar FOLDER…}, with the agent's options {@code include=PATTERN},
 * {@code exclude=PATTERN} and {@code report=FILE} before the folders. What was woven already is
 * left alone, so it may run as often as a build does.
 */
public final class BuildTimeWeaver {
  private final WeavingFilter filter;
  private final WeavingLedger ledger = new WeavingLedger();
  private final LoopWeaver weaver = LoopWeaver.atBuildTime(PollTarget.SAFEPOINT);

  private BuildTimeWeaver(WeavingFilter filter) {
    this.filter = filter;
  }

  public static void main(String[] arguments) {
    try {
      System.exit(run(arguments));
    } catch (IllegalArgumentException | IOException e) {
      System.err.println("turnwise-agent: " + e.getMessage());
      System.exit(2);
    }
  }

  /** Returns 1 if the weaver failed on a class, which then stayed as it was. */
  static int run(String... arguments) throws IOException {
    List<String> options = new ArrayList<>();
    List<Path> folders = new ArrayList<>();
    for (String argument : arguments) {
      if (argument.contains("=")) options.add(argument);
      else folders.add(Path.of(argument));
    }
    if (folders.isEmpty())
      throw new IllegalArgumentException(
          "name the folders of class files to weave, after include=, exclude= and report=");
    AgentOptions settings = AgentOptions.parse(String.join(",", options));
    if (settings.simulation())
      throw new IllegalArgumentException(
          "simulation=on is for the agent alone: classes that are kept must not ask a simulation");
    var build = new BuildTimeWeaver(settings.filter());
    for (Path folder : folders) build.weave(folder);
    return build.report(settings.report());
  }

  private void weave(Path folder) throws IOException {
    if (!Files.isDirectory(folder))
      throw new IllegalArgumentException(folder + " is not a folder of class files");
    List<Path> files;
    try (Stream<Path> all = Files.walk(folder)) {
      files = all.filter(file -> file.toString().endsWith(".class")).sorted().toList();
    }
    for (Path file : files) {
      String path = folder.relativize(file).toString().replace('\\', '/');
      String name = path.substring(0, path.length() - ".class".length());
      if (filter.includes(name)) weave(file, name);
    }
  }

  private void weave(Path file, String name) throws IOException {
    WovenClass result = weaver.weave(name, Files.readAllBytes(file));
    ledger.add(result, false);
    byte[] bytes = result.bytes();
    if (bytes == null) return;
    // By way of a second file: a build that is killed leaves no half class behind.
    Path whole = Files.createTempFile(file.getParent(), "woven", ".tmp");
    Files.write(whole, bytes);
    Files.move(whole, file, StandardCopyOption.REPLACE_EXISTING);
  }

  private int report(@Nullable Path file) throws IOException {
    WeavingReport report = ledger.report();
    if (file != null) {
      Path folder = file.toAbsolutePath().getParent();
      if (folder != null) Files.createDirectories(folder);
      Files.writeString(file, report.text());
    }
    System.out.println(
        report.wovenClasses()
            + " of "
            + report.classes()
            + " classes woven, "
            + report.skipped(SkipReason.ALREADY_WOVEN)
            + " were already");
    long failed = report.skipped(SkipReason.FAILED);
    if (failed == 0) return 0;
    report.details().stream()
        .filter(one -> one.reason() == SkipReason.FAILED)
        .forEach(one -> System.err.println(one.what() + ": " + one.detail()));
    return 1;
  }
}
