package io.turnwise.benchmarks.harness;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Builds the Go program and runs it. */
final class GoLauncher implements Launcher {
  private static final List<String> SOURCES =
      List.of(
          "go.mod",
          "anchors.go",
          "ask.go",
          "fairness.go",
          "hogs.go",
          "main.go",
          "messaging.go",
          "population.go",
          "report.go",
          "small.go",
          "timers.go");

  private final Workshop workshop;
  private Path program = Path.of("");

  GoLauncher(Workshop workshop) {
    this.workshop = workshop;
  }

  @Override
  public Optional<String> prepare() {
    if (Tool.run("go", "version").isEmpty()) {
      return Optional.of("go is not installed");
    }
    try {
      Path folder = workshop.unpack("go", SOURCES);
      program = folder.resolve("bench");
      return Tool.complaint(folder, List.of("go", "build", "-o", program.toString(), "."));
    } catch (IOException failure) {
      return Optional.of(failure.toString());
    }
  }

  @Override
  public List<String> command(RunOrder order) {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(order.arguments());
    return command;
  }
}
