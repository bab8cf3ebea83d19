package io.turnwise.demo;

import io.turnwise.ActorRef;
import io.turnwise.KillReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/** The endless loops of the shop: starts some, kills them, remembers what that took. */
final class Loops {
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final Shop shop;
  private final int atATime;
  private final List<ActorRef<EndlessLoop.Begin>> running = new ArrayList<>();
  private final Map<KillReport.Force, Integer> kills = new EnumMap<>(KillReport.Force.class);
  private Duration longestKill = Duration.ZERO;
  private int started;
  private int unkilled;

  Loops(Shop shop, int atATime) {
    this.shop = shop;
    this.atATime = atATime;
  }

  int running() {
    return running.size();
  }

  void start() {
    shop.ledger.enter(Phase.LOOPS);
    for (int i = 0; i < atATime; i++) {
      ActorRef<EndlessLoop.Begin> loop = shop.system.spawn("loop-" + started++, EndlessLoop::new);
      shop.ledger.cast(loop, new EndlessLoop.Begin(started));
      running.add(loop);
    }
  }

  /** Ends all that run, and waits a while until they are gone. */
  void kill() throws InterruptedException {
    if (running.isEmpty()) return;
    List<CompletableFuture<KillReport>> reports = new ArrayList<>();
    for (ActorRef<EndlessLoop.Begin> loop : running) reports.add(loop.kill().toCompletableFuture());
    running.clear();
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    for (CompletableFuture<KillReport> report : reports) note(report, deadline);
    shop.ledger.enter(Phase.AFTER);
  }

  private void note(CompletableFuture<KillReport> killing, long deadline)
      throws InterruptedException {
    try {
      long left = Math.max(0, deadline - System.nanoTime());
      KillReport report = killing.get(left, TimeUnit.NANOSECONDS);
      kills.merge(report.force(), 1, Integer::sum);
      if (report.took().compareTo(longestKill) > 0) longestKill = report.took();
    } catch (TimeoutException | ExecutionException e) {
      unkilled++;
    }
  }

  /** What became of them, in one line. */
  String account(Glyphs glyphs) {
    String forces =
        kills.entrySet().stream()
            .map(e -> e.getValue() + " " + e.getKey().name().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(", "));
    return started
        + " endless loops started"
        + (forces.isEmpty() ? "" : ", killed within " + glyphs.time(longestKill.toNanos()))
        + (forces.isEmpty() ? "" : ": " + forces)
        + (unkilled == 0 ? "" : "; " + unkilled + " could not be killed");
  }
}
