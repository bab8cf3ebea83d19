package io.turnwise.benchmarks.harness;

import io.turnwise.benchmarks.result.Row;
import io.turnwise.benchmarks.workload.WorkloadSpec;
import java.util.List;

/** Hears how a campaign goes on. */
public interface CampaignListener {
  /** Something a person waiting would like to know. */
  void progress(String line);

  /** All peers have run this workload. */
  void finished(WorkloadSpec workload, List<Row> rows);
}
