package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.Ability;
import io.turnwise.benchmarks.peer.Peer;
import io.turnwise.benchmarks.result.Bar;
import io.turnwise.benchmarks.result.Metric;
import java.util.List;
import java.util.Set;

/**
 * A workload with what one must know to run and report it.
 *
 * @param name on the command line and in results
 * @param sentence what it does
 * @param metric what its value means
 * @param repetitions how its repetitions are spread over processes
 * @param needs what a peer must be able to do
 * @param workload the workload itself, for peers of the JVM
 * @param bars how good its figures must be, where somebody has said so
 * @param leads in which figures we ask ourselves to be ahead of every peer
 */
public record WorkloadSpec(
    String name,
    String sentence,
    Metric metric,
    Repetitions repetitions,
    Set<Ability> needs,
    Workload workload,
    List<Bar> bars,
    List<String> leads) {

  /** How repetitions are spread over processes. */
  public enum Repetitions {
    /** Warm-ups and all repetitions in one process. */
    IN_ONE_PROCESS,
    /** A process for each, without warm-ups: it must not see what the one before left behind. */
    IN_FRESH_PROCESSES,
    /** Warm-ups and all repetitions in one process, with a single worker. */
    WITH_ONE_WORKER,
    /** One process with the peer's own number of workers, and one with a single worker. */
    ALSO_WITH_ONE_WORKER
  }

  public boolean suits(Peer peer) {
    return peer.can(needs);
  }

  static WorkloadSpec of(String name, Metric metric, Workload workload, String sentence) {
    return new WorkloadSpec(
        name,
        sentence,
        metric,
        Repetitions.IN_ONE_PROCESS,
        Set.of(),
        workload,
        List.of(),
        List.of());
  }

  WorkloadSpec needing(Ability... abilities) {
    return new WorkloadSpec(
        name, sentence, metric, repetitions, Set.of(abilities), workload, bars, leads);
  }

  WorkloadSpec repeated(Repetitions how) {
    return new WorkloadSpec(name, sentence, metric, how, needs, workload, bars, leads);
  }

  WorkloadSpec asked(Bar... newBars) {
    return new WorkloadSpec(
        name, sentence, metric, repetitions, needs, workload, List.of(newBars), leads);
  }

  WorkloadSpec leading(String... figures) {
    return new WorkloadSpec(
        name, sentence, metric, repetitions, needs, workload, bars, List.of(figures));
  }
}
