package io.turnwise.benchmarks.harness;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Small programs of the machine: git, compilers. */
final class Tool {
  private static final long LIMIT_SECONDS = 180;

  private Tool() {}

  /** What it printed, or nothing when it is missing or failed. */
  static Optional<String> run(String... command) {
    try {
      Result result = start(Path.of(""), List.of(command));
      return result.status == 0 ? Optional.of(result.output.strip()) : Optional.empty();
    } catch (IOException missing) {
      return Optional.empty();
    }
  }

  /** Runs it in a folder; an empty answer means success, else it says what went wrong. */
  static Optional<String> complaint(Path folder, List<String> command) {
    try {
      Result result = start(folder, command);
      return result.status == 0
          ? Optional.empty()
          : Optional.of(oneLine(String.join(" ", command) + ": " + result.output));
    } catch (IOException missing) {
      return Optional.of(command.getFirst() + " is not installed");
    }
  }

  private static String oneLine(String text) {
    return text.strip().replaceAll("\\s*\\R\\s*", " | ");
  }

  private record Result(int status, String output) {}

  private static Result start(Path folder, List<String> command) throws IOException {
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toAbsolutePath().toFile())
            .redirectErrorStream(true)
            .start();
    // Ending it also ends its output, for which this thread waits.
    CompletableFuture.delayedExecutor(LIMIT_SECONDS, TimeUnit.SECONDS)
        .execute(process::destroyForcibly);
    try {
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return new Result(process.waitFor(), output);
    } catch (InterruptedException interrupted) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new InterruptedIOException(command.getFirst() + " was interrupted");
    }
  }
}
