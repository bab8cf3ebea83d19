package io.turnwise.benchmarks.harness;

import io.turnwise.benchmarks.peer.Peer;
import io.turnwise.benchmarks.workload.WorkloadSpec;
import io.turnwise.benchmarks.workload.Workloads;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What one process is to do. It travels as arguments {@code name=value}, the same for a JVM, an
 * Erlang node and a Go program.
 *
 * @param peer who runs it
 * @param workload what is run
 * @param warmups repetitions that are not reported
 * @param reps repetitions that are
 * @param budget no repetition begins once this is spent; the first one past it is the last
 * @param scale what sizes are divided by
 * @param workers how many workers, 0 for the peer's default
 */
record RunOrder(
    Peer peer,
    WorkloadSpec workload,
    int warmups,
    int reps,
    Duration budget,
    int scale,
    int workers) {

  RunOrder withReps(int newWarmups, int newReps) {
    return new RunOrder(peer, workload, newWarmups, newReps, budget, scale, workers);
  }

  RunOrder withWorkers(int count) {
    return new RunOrder(peer, workload, warmups, reps, budget, scale, count);
  }

  List<String> arguments() {
    return List.of(
        "peer=" + peer.label(),
        "workload=" + workload.name(),
        "warmups=" + warmups,
        "reps=" + reps,
        "budget=" + budget.toSeconds(),
        "scale=" + scale,
        "workers=" + workers);
  }

  static RunOrder parse(String... arguments) {
    Map<String, String> values = new HashMap<>();
    for (String argument : arguments) {
      int equals = argument.indexOf('=');
      if (equals < 0) {
        throw new IllegalArgumentException("not of the form name=value: " + argument);
      }
      values.put(argument.substring(0, equals), argument.substring(equals + 1));
    }
    String peer = value(values, "peer");
    return new RunOrder(
        Peer.byLabel(peer)
            .orElseThrow(() -> new IllegalArgumentException("there is no peer " + peer)),
        Workloads.named(value(values, "workload")),
        Integer.parseInt(value(values, "warmups")),
        Integer.parseInt(value(values, "reps")),
        Duration.ofSeconds(Long.parseLong(value(values, "budget"))),
        Integer.parseInt(value(values, "scale")),
        Integer.parseInt(value(values, "workers")));
  }

  private static String value(Map<String, String> values, String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException("the argument " + name + "=… is missing");
    }
    return value;
  }
}
