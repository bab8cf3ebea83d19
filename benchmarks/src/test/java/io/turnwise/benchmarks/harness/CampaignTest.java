package io.turnwise.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.benchmarks.peer.Peer;
import io.turnwise.benchmarks.result.Row;
import io.turnwise.benchmarks.workload.WorkloadSpec;
import io.turnwise.benchmarks.workload.Workloads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Real processes, tiny sizes. */
class CampaignTest {
  private static final Duration MINUTE = Duration.ofSeconds(60);
  private static final CampaignOptions TINY =
      new CampaignOptions(1, 2, 1, MINUTE, MINUTE, 10_000, 0);

  private final List<Row> rows = new ArrayList<>();
  private final List<String> progress = new ArrayList<>();

  @Test
  void peersOfOneWorkloadBecomeItsRows() throws Exception {
    run(TINY, List.of(Peer.FJP, Peer.LOOM), "pingpong");

    assertThat(rows).extracting(Row::peer).containsExactly("fjp", "loom");
    assertThat(rows).allSatisfy(row -> assertThat(row.failure()).isNull());
    assertThat(rows).allSatisfy(row -> assertThat(row.reps()).isEqualTo(2));
    assertThat(rows).allSatisfy(row -> assertThat(row.value()).isPositive());
    assertThat(rows).allSatisfy(row -> assertThat(row.number("cores")).isPositive());
  }

  @Test
  void freshProcessesAddUpToTheRepetitions() throws Exception {
    run(TINY, List.of(Peer.FJP), "idle-memory");

    assertThat(rows).singleElement().returns(2, Row::reps);
    assertThat(progress).filteredOn(line -> line.startsWith("idle-memory, fjp")).hasSize(2);
  }

  @Test
  void aSpeedUpIsMeasuredAgainstOneWorker() throws Exception {
    run(TINY, List.of(Peer.FJP), "cpu-util");

    assertThat(rows).singleElement().satisfies(row -> assertThat(row.failure()).isNull());
    assertThat(rows.getFirst().number("speedup_vs_1")).isPositive();
    assertThat(rows.getFirst().number("one_worker")).isPositive();
  }

  @Test
  void aPeerThatTakesTooLongIsARowAndTheNextOneStillRuns() throws Exception {
    CampaignOptions hasty =
        new CampaignOptions(0, 1, 1, Duration.ZERO, Duration.ofMillis(1), 10_000, 0);
    run(hasty, List.of(Peer.FJP, Peer.LOOM), "pingpong");

    assertThat(rows).hasSize(2);
    assertThat(rows).allSatisfy(row -> assertThat(row.failure()).startsWith("no end after"));
  }

  @Test
  void ourOwnProcessIsWovenSoThatLightActorsRunBesideEndlessLoops() throws Exception {
    run(TINY, List.of(Peer.TURNWISE, Peer.FJP), "hogs");

    Row ours = rows.getFirst();
    assertThat(ours.failure()).isNull();
    assertThat(ours.outcome()).isEmpty();
    assertThat(ours.number("p99_intended")).isPositive();
    assertThat(ours.number("hogs")).isEqualTo(2.0 * Runtime.getRuntime().availableProcessors());
    Row theirs = rows.getLast();
    assertThat(theirs.outcome()).contains(Row.STARVED);
    assertThat(theirs.value()).isNaN();
    assertThat(theirs.reps()).as("who has starved once is not asked again").isOne();
  }

  @Test
  void aPeerThatCannotTakePartIsNamed() throws Exception {
    run(TINY, List.of(Peer.FJP), "ask-actor-blocking");

    assertThat(rows).isEmpty();
    assertThat(progress).contains("ask-actor-blocking: no part in it for fjp");
  }

  private void run(CampaignOptions options, List<Peer> peers, String workload) throws Exception {
    CampaignListener listener =
        new CampaignListener() {
          @Override
          public void progress(String line) {
            progress.add(line);
          }

          @Override
          public void finished(WorkloadSpec finished, List<Row> itsRows) {
            rows.addAll(itsRows);
          }
        };
    try (Campaign campaign = Campaign.open(Machine.here(), peers, options, listener)) {
      campaign.run(Workloads.expand(List.of(workload)));
    }
  }
}
