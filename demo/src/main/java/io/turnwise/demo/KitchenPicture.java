package io.turnwise.demo;

import io.turnwise.observation.ActorState;
import io.turnwise.observation.SystemSnapshot;
import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/**
 * Shows the kitchen: on a terminal a mark for each cook, in place; elsewhere a line for each look.
 */
final class KitchenPicture {
  private static final int HISTORY = 36;

  private final Kitchen kitchen;
  private final PrintStream out;
  private final Canvas canvas;
  private final boolean inPlace;
  private final Glyphs glyphs;
  private final String title;
  private final long openedAt = System.nanoTime();
  private final Deque<Long> crashes = new ArrayDeque<>();
  private final Deque<Long> restarts = new ArrayDeque<>();
  private final Deque<Long> down = new ArrayDeque<>();
  private long lastAt = openedAt;
  private long lastCrashes;
  private long lastRestarts;

  KitchenPicture(Kitchen kitchen, PrintStream out, boolean inPlace, String title) {
    this.kitchen = kitchen;
    this.out = out;
    this.canvas = new Canvas(out);
    this.inPlace = inPlace;
    this.glyphs = Glyphs.in(out.charset());
    this.title = title;
  }

  Glyphs glyphs() {
    return glyphs;
  }

  void show() {
    long now = System.nanoTime();
    double seconds = Math.max(1e-3, (now - lastAt) / 1e9);
    SystemSnapshot counters = kitchen.system.snapshot();
    long crashesNow = Math.round((counters.crashes() - lastCrashes) / seconds);
    long restartsNow = Math.round((counters.restarts() - lastRestarts) / seconds);
    lastAt = now;
    lastCrashes = counters.crashes();
    lastRestarts = counters.restarts();
    List<List<ActorState>> states = kitchen.states();
    long downNow = states.stream().flatMap(List::stream).filter(KitchenPicture::isDown).count();
    Latencies.Summary waiters = kitchen.waiting.sinceLastLook();
    Latencies.Summary boss = kitchen.answering.sinceLastLook();
    double at = (now - openedAt) / 1e9;
    if (!inPlace) {
      out.printf(
          Locale.ROOT,
          "%5.1f s  down %3d  crashes/s %4d  restarts/s %4d  waiters p50 %s p99 %s max %s"
              + "  supervisor p50 %s max %s%n",
          at,
          downNow,
          crashesNow,
          restartsNow,
          glyphs.time(waiters.p50()),
          glyphs.time(waiters.p99()),
          glyphs.time(waiters.max()),
          glyphs.time(boss.p50()),
          glyphs.time(boss.max()));
      return;
    }
    List<String> lines = new ArrayList<>();
    lines.add(title + String.format(Locale.ROOT, ", %.0f s", at));
    lines.add("");
    for (int i = 0; i < states.size(); i++)
      lines.add(station(Kitchen.STATIONS.get(i), states.get(i)));
    lines.add("");
    lines.add(history("crashes/s", crashesNow, crashes));
    lines.add(history("restarts/s", restartsNow, restarts));
    lines.add(history("cooks that are down", downNow, down));
    lines.add("");
    lines.add(String.format("%-19s %9s %9s %9s", "latency", "p50", "p99", "max"));
    lines.add(latency("waiters, no crashes", waiters));
    lines.add(latency("supervisor answers", boss));
    lines.add(latency("cooks, down or up", kitchen.cooking.sinceLastLook()));
    canvas.draw(lines);
  }

  private String station(String name, List<ActorState> cooks) {
    var line = new StringBuilder(String.format("%-8s ", name));
    for (ActorState cook : cooks) line.append(isDown(cook) ? glyphs.gone() : glyphs.full());
    return line.toString();
  }

  private static boolean isDown(ActorState state) {
    return switch (state) {
      case STARTING, RESTARTING, STOPPING, HALTED -> true;
      case RECEIVING, RUNNABLE, RUNNING, SUSPENDED, PREEMPTED, BLOCKED -> false;
    };
  }

  private String history(String what, long now, Deque<Long> history) {
    history.addLast(now);
    if (history.size() > HISTORY) history.removeFirst();
    return String.format("%-19s %9s  %s", what, Glyphs.count(now), glyphs.sparkline(history));
  }

  private String latency(String what, Latencies.Summary of) {
    return String.format(
        "%-19s %9s %9s %9s",
        what, glyphs.time(of.p50()), glyphs.time(of.p99()), glyphs.time(of.max()));
  }
}
