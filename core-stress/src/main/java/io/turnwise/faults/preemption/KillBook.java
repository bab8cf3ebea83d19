package io.turnwise.faults.preemption;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.KillReport;
import io.turnwise.KillReport.Force;
import io.turnwise.faults.trial.Broken;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Kills, and what they took. For one thread. */
final class KillBook {
  private final ActorSystem system;
  private final List<Double> millis = new ArrayList<>();
  private final Map<Force, Integer> forces = new EnumMap<>(Force.class);

  KillBook(ActorSystem system) {
    this.system = system;
  }

  KillReport kill(ActorRef<?> actor) throws Exception {
    return await(actor.kill().toCompletableFuture(), actor);
  }

  KillReport await(CompletableFuture<KillReport> kill, ActorRef<?> actor) throws Exception {
    try {
      KillReport report = kill.get(120, TimeUnit.SECONDS);
      millis.add(report.took().toNanos() / 1e6);
      forces.merge(report.force(), 1, Integer::sum);
      return report;
    } catch (TimeoutException e) {
      throw new Broken("nothing ends " + actor.path() + ":\n" + system.dump());
    }
  }

  int count(Force force) {
    return forces.getOrDefault(force, 0);
  }

  double millis(double part) {
    if (millis.isEmpty()) return 0;
    double[] sorted = millis.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    return sorted[(int) Math.min(sorted.length - 1, (long) (sorted.length * part))];
  }

  String figures() {
    return String.format(
        Locale.ROOT,
        "%d kills %s, p50 %.2f, p99 %.1f, at most %.1f ms",
        millis.size(),
        forces,
        millis(0.5),
        millis(0.99),
        millis(1));
  }
}
