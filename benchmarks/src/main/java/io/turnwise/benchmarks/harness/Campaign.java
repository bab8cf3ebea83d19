package io.turnwise.benchmarks.harness;

import io.turnwise.benchmarks.peer.Peer;
import io.turnwise.benchmarks.result.Measurement;
import io.turnwise.benchmarks.result.Row;
import io.turnwise.benchmarks.workload.WorkloadSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Workload by workload, runs every peer in a process of its own, directly one after another, so
 * that what disturbs the machine disturbs neighbours in the table alike. One process at a time.
 */
public final class Campaign implements AutoCloseable {
  private static final int ONE_WORKER = 1;

  private final Machine machine;
  private final CampaignOptions options;
  private final CampaignListener listener;
  private final Workshop workshop;
  private final Map<Peer, Launcher> launchers = new LinkedHashMap<>();

  private Campaign(
      Machine machine, CampaignOptions options, CampaignListener listener, Workshop workshop) {
    this.machine = machine;
    this.options = options;
    this.listener = listener;
    this.workshop = workshop;
  }

  /** Gets every peer ready. One that cannot run here is left out, with a line that says why. */
  public static Campaign open(
      Machine machine, List<Peer> peers, CampaignOptions options, CampaignListener listener)
      throws IOException {
    Campaign campaign = new Campaign(machine, options, listener, Workshop.open());
    peers.forEach(campaign::prepare);
    return campaign;
  }

  private void prepare(Peer peer) {
    HeapSize heap = HeapSize.fitting(machine.memoryGigabytes());
    Launcher launcher =
        switch (peer.platform()) {
          case JVM -> new JvmLauncher(peer, heap);
          case ERLANG -> new ErlangLauncher(workshop);
          case GO -> new GoLauncher(workshop);
        };
    Optional<String> missing = launcher.prepare();
    if (missing.isPresent()) {
      listener.progress(peer.label() + " is left out: " + missing.get());
    } else {
      if (launchers.isEmpty()) {
        heap.remark().ifPresent(listener::progress);
      }
      launchers.put(peer, launcher);
    }
  }

  /** Runs them all. A peer that fails becomes a row with the reason. */
  public void run(List<WorkloadSpec> workloads) throws InterruptedException {
    for (WorkloadSpec workload : workloads) {
      List<PeerTally> tallies = new ArrayList<>();
      for (Peer peer : launchers.keySet()) {
        if (workload.suits(peer)) {
          tallies.add(new PeerTally(peer, workload, options.budget()));
        }
      }
      announceAbsent(workload);
      switch (workload.repetitions()) {
        case IN_ONE_PROCESS -> inOneProcess(tallies);
        case IN_FRESH_PROCESSES -> inFreshProcesses(tallies);
        case WITH_ONE_WORKER -> withOneWorker(tallies);
        case ALSO_WITH_ONE_WORKER -> alsoWithOneWorker(tallies);
      }
      listener.finished(workload, tallies.stream().map(this::row).toList());
    }
  }

  private void announceAbsent(WorkloadSpec workload) {
    String absent =
        launchers.keySet().stream()
            .filter(peer -> !workload.suits(peer))
            .map(Peer::label)
            .collect(Collectors.joining(", "));
    if (!absent.isEmpty()) {
      listener.progress(workload.name() + ": no part in it for " + absent);
    }
  }

  private void inOneProcess(List<PeerTally> tallies) throws InterruptedException {
    for (int round = 0; round < options.rounds(); round++) {
      for (PeerTally tally : tallies) {
        if (round == 0 || !tally.hasFailed()) {
          tally.add(execute(order(tally)));
        }
      }
    }
  }

  /** Round after round, so that the repetitions of different peers lie side by side. */
  private void inFreshProcesses(List<PeerTally> tallies) throws InterruptedException {
    for (int rep = 0; rep < options.reps(); rep++) {
      for (PeerTally tally : tallies) {
        if (tally.wantsMore()) {
          tally.add(execute(order(tally).withReps(0, 1)));
        }
      }
    }
  }

  private void withOneWorker(List<PeerTally> tallies) throws InterruptedException {
    for (PeerTally tally : tallies) {
      tally.add(execute(order(tally).withWorkers(ONE_WORKER)));
    }
  }

  private void alsoWithOneWorker(List<PeerTally> tallies) throws InterruptedException {
    for (PeerTally tally : tallies) {
      tally.addBaseline(execute(order(tally).withWorkers(ONE_WORKER)));
      tally.add(execute(order(tally)));
    }
  }

  private RunOrder order(PeerTally tally) {
    return new RunOrder(
        tally.peer(),
        tally.workload(),
        options.warmups(),
        options.reps(),
        options.budget(),
        options.scale(),
        options.workers());
  }

  private ChildProcess.Outcome execute(RunOrder order) throws InterruptedException {
    Launcher launcher = launchers.get(order.peer());
    if (launcher == null) {
      throw new IllegalStateException(order.peer().label() + " was not prepared");
    }
    ChildProcess.Outcome outcome =
        new ChildProcess(launcher.command(order), options.limit()).run(machine.cores());
    listener.progress(describe(order, outcome));
    return outcome;
  }

  private static String describe(RunOrder order, ChildProcess.Outcome outcome) {
    List<Measurement> runs = outcome.measurements();
    String who = order.workload().name() + ", " + order.peer().label();
    String workers = order.workers() == 0 ? "" : ", workers: " + order.workers();
    if (outcome.failure() != null) {
      return who + workers + ": FAILED: " + outcome.failure();
    }
    Measurement last = runs.getLast();
    return "%s%s: %s (reps: %d, CPU of others: %.0f %%)"
        .formatted(
            who,
            workers,
            last.starved() ? Row.STARVED : value(last, order.workload().metric().unit()),
            runs.size(),
            100 * outcome.otherCpu().orElse(Double.NaN));
  }

  /** Indices and shares need more places than counts and times. */
  private static String value(Measurement measurement, String unit) {
    double value = measurement.value();
    return (value < 10 ? "%.3f %s" : "%,.1f %s").formatted(value, unit);
  }

  private Row row(PeerTally tally) {
    return tally.row().with("cores", machine.cores()).with("other_cpu", tally.otherCpu());
  }

  @Override
  public void close() {
    workshop.close();
  }
}
