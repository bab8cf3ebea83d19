package io.turnwise.benchmarks;

import io.turnwise.benchmarks.harness.CampaignListener;
import io.turnwise.benchmarks.harness.Machine;
import io.turnwise.benchmarks.harness.MachineGaps;
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
final class Reporter implements CampaignListener, AutoCloseable {
  private final boolean json;
  private final PrintWriter out;
  private final PrintWriter err;
  private final @Nullable PrintWriter file;
  private boolean failure;

  Reporter(boolean json, PrintWriter out, PrintWriter err, Optional<Path> file) throws IOException {
    this.json = json;
    this.out = out;
    this.err = err;
    this.file = file.isPresent() ? appendTo(file.get()) : null;
  }

  /** Says first where the numbers come from, so that none is shown or kept without its origin. */
  void begin(Machine machine, Optional<MachineGaps> gaps, List<String> command) {
    PrintWriter told = json ? err : out;
    told.println(machine.describe());
    gaps.ifPresent(seen -> told.println(seen.describe()));
    if (file != null) {
      file.println(machine.toJson(command, gaps));
      file.flush();
    }
  }

  private static PrintWriter appendTo(Path path) throws IOException {
    return new PrintWriter(
        Files.newBufferedWriter(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
  }

  @Override
  public void progress(String line) {
    err.println(line);
    err.flush();
  }

  @Override
  public void finished(WorkloadSpec workload, List<Row> rows) {
    failure |= rows.stream().anyMatch(row -> row.failure() != null);
    if (json) {
      rows.forEach(row -> out.println(row.toJson()));
    } else {
      out.println();
      out.print(Table.of(workload, rows, Peer.TURNWISE.label()));
    }
    out.flush();
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
