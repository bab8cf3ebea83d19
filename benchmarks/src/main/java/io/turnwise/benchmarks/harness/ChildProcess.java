package io.turnwise.benchmarks.harness;

import io.turnwise.benchmarks.result.Json;
import io.turnwise.benchmarks.result.Measurement;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One peer's process: started, listened to, and ended when it takes too long. */
final class ChildProcess {

  /**
   * What came of a process.
   *
   * @param measurements the repetitions it reported
   * @param failure why it failed, or null
   * @param otherCpu the share of CPU that others took meanwhile
   * @param took from its start to its end
   */
  record Outcome(
      List<Measurement> measurements,
      @Nullable String failure,
      OptionalDouble otherCpu,
      Duration took) {}

  private static final Pattern ERROR = Pattern.compile("panic:|rror|xception");

  private static final Duration LAST_WORDS = Duration.ofSeconds(10);

  private final List<String> command;
  private final Duration limit;

  /** Written by the threads that listen. */
  private final List<Measurement> measurements = new CopyOnWriteArrayList<>();

  private volatile @Nullable String reportedFailure;
  private volatile String complaint = "";

  ChildProcess(List<String> command, Duration limit) {
    this.command = command;
    this.limit = limit;
  }

  Outcome run(int cores) throws InterruptedException {
    long start = System.nanoTime();
    CpuMeter meter = CpuMeter.start(cores);
    String failure;
    try {
      failure = runToTheEnd();
    } catch (IOException notStarted) {
      failure = notStarted.toString();
    }
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    return new Outcome(List.copyOf(measurements), failure, meter.shareOfOthers(), took);
  }

  private @Nullable String runToTheEnd() throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).start();
    Thread guard = Thread.ofPlatform().unstarted(() -> end(process));
    Runtime.getRuntime().addShutdownHook(guard); // a run that is broken off leaves nothing behind
    try {
      process.getOutputStream().close();
      Thread out = listen(process.getInputStream(), this::onOutput);
      Thread err = listen(process.getErrorStream(), this::onComplaint);
      boolean ended = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
      if (!ended) {
        end(process);
        process.waitFor();
      }
      // Ending a process also closes its streams, so first all that it said is heard.
      out.join(LAST_WORDS);
      err.join(LAST_WORDS);
      return ended ? failureOf(process.exitValue()) : "no end after " + limit.toSeconds() + " s";
    } finally {
      end(process);
      release(guard);
    }
  }

  private static void release(Thread guard) {
    try {
      Runtime.getRuntime().removeShutdownHook(guard);
    } catch (IllegalStateException shuttingDown) {
      // The run is being broken off, and the guard has done its work.
    }
  }

  private @Nullable String failureOf(int status) {
    if (reportedFailure != null) {
      return reportedFailure;
    }
    if (status != 0) {
      return "exit status " + status + (complaint.isEmpty() ? "" : ": " + complaint);
    }
    return measurements.isEmpty() ? "it reported nothing" : null;
  }

  private static void end(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  @FunctionalInterface
  private interface LineListener {
    void onLine(String line);
  }

  private static Thread listen(InputStream stream, LineListener listener) {
    return Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              try (BufferedReader lines =
                  new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                lines.lines().forEach(listener::onLine);
              } catch (IOException | UncheckedIOException ended) {
                // The process was ended while we listened: what it said so far is what we have.
              }
            });
  }

  private void onOutput(String line) {
    if (!line.startsWith("{\"peer\"")) {
      return;
    }
    Map<String, @Nullable Object> fields = Json.parse(line);
    if (fields.get("failed") instanceof String reason) {
      reportedFailure = reason;
    } else {
      measurements.add(Measurement.fromFields(fields));
    }
  }

  /** Keeps the line that explains most: the first that names an error, else the last one. */
  private void onComplaint(String line) {
    if (!line.isBlank() && !ERROR.matcher(complaint).find()) {
      complaint = line.strip();
    }
  }
}
