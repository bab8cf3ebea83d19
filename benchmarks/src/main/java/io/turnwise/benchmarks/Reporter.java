package io.turnwise.benchmarks;

import io.turnwise.benchmarks.harness.SessionListener;
import io.turnwise.benchmarks.peer.Peer;
import io.turnwise.benchmarks.report.Table;
import io.turnwise.benchmarks.result.Row;
import io.turnwise.benchmarks.workload.WorkloadSpec;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Progress to standard error, results to standard output and, where asked, to a file. */
final class Reporter implements SessionListener, AutoCloseable {
  private final boolean json;
  private final @Nullable PrintWriter file;
  private boolean failure;

  /** The file gets the line about the run first, so that no result in it is without its origin. */
  Reporter(boolean json, Optional<Path> out, String aboutTheRun) throws IOException {
    this.json = json;
    this.file = out.isPresent() ? appendTo(out.get()) : null;
    if (file != null) {
      file.println(aboutTheRun);
      file.flush();
    }
  }

  private static PrintWriter appendTo(Path path) throws IOException {
    return new PrintWriter(
        Files.newBufferedWriter(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
  }

  @Override
  public void progress(String line) {
    System.err.println(line);
  }

  @Override
  public void finished(WorkloadSpec workload, List<Row> rows) {
    failure |= rows.stream().anyMatch(row -> row.failure() != null);
    if (json) {
      rows.forEach(row -> System.out.println(row.toJson()));
    } else {
      System.out.println(Table.of(workload, rows, Peer.TURNWISE.label()));
    }
    System.out.flush();
    if (file != null) {
      rows.forEach(row -> file.println(row.toJson()));
      file.flush();
    }
  }

  boolean sawFailure() {
    return failure;
  }

  @Override
  public void close() {
    if (file != null) {
      file.close();
    }
  }
}
