package io.turnwise.benchmarks.harness;

import io.turnwise.benchmarks.peer.Peer;
import io.turnwise.benchmarks.result.Measurement;
import io.turnwise.benchmarks.result.Row;
import io.turnwise.benchmarks.workload.WorkloadSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects what the processes of one peer report about one workload. */
final class PeerTally {
  private final Peer peer;
  private final WorkloadSpec workload;
  private final Duration budget;
  private final List<Measurement> measurements = new ArrayList<>();
  private final List<Measurement> withOneWorker = new ArrayList<>();
  private Duration spent = Duration.ZERO;
  private @Nullable String failure;
  private @Nullable Double otherCpu;

  PeerTally(Peer peer, WorkloadSpec workload, Duration budget) {
    this.peer = peer;
    this.workload = workload;
    this.budget = budget;
  }

  Peer peer() {
    return peer;
  }

  WorkloadSpec workload() {
    return workload;
  }

  boolean hasFailed() {
    return failure != null;
  }

  /** Whether another process is worth its time: none failed or starved, and budget is left. */
  boolean wantsMore() {
    return !hasFailed()
        && measurements.stream().noneMatch(Measurement::starved)
        && spent.compareTo(budget) <= 0;
  }

  void add(ChildProcess.Outcome outcome) {
    measurements.addAll(outcome.measurements());
    note(outcome);
  }

  /** The same workload with a single worker, to which the rest is compared. */
  void addBaseline(ChildProcess.Outcome outcome) {
    withOneWorker.addAll(outcome.measurements());
    note(outcome);
  }

  private void note(ChildProcess.Outcome outcome) {
    spent = spent.plus(outcome.took());
    if (failure == null) {
      failure = outcome.failure();
    }
    outcome
        .otherCpu()
        .ifPresent(share -> otherCpu = otherCpu == null ? share : Math.max(otherCpu, share));
  }

  /** The largest share of CPU that others took during one of the processes, if that is known. */
  @Nullable Double otherCpu() {
    return otherCpu;
  }

  Row row() {
    if (measurements.isEmpty()) {
      return Row.failed(
          peer.label(),
          workload.name(),
          workload.metric(),
          failure == null ? "it reported nothing" : failure);
    }
    Row row = rowOf(measurements);
    if (!withOneWorker.isEmpty()) {
      double baseline = rowOf(withOneWorker).value();
      row =
          row.with("speedup_vs_1", workload.metric().ratio(row.value(), baseline))
              .with("one_worker", baseline);
    }
    return failure == null ? row : row.brokenOff(failure);
  }

  private Row rowOf(List<Measurement> runs) {
    return Row.of(peer.label(), workload.name(), workload.metric(), runs);
  }
}
