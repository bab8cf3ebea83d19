package io.turnwise.demo;

import static java.util.stream.Collectors.joining;

import io.turnwise.observation.WorkerLoad;
import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * Shows samples: redrawn in place on a terminal, a line for each where the output goes to a file or
 * a pipe.
 */
final class Picture {
  private static final int HISTORY = 36;
  private static final int WORKERS_SHOWN = 16;

  private final PrintStream out;
  private final Canvas canvas;
  private final boolean inPlace;
  private final Glyphs glyphs;
  private final String title;
  private final Supplier<String> lastNews;
  private final Deque<Long> messages = new ArrayDeque<>();
  private final Deque<Long> orders = new ArrayDeque<>();
  private final Deque<Long> filling = new ArrayDeque<>();
  private final Deque<Long> paying = new ArrayDeque<>();
  private final Deque<Long> loops = new ArrayDeque<>();

  Picture(PrintStream out, boolean inPlace, String title, Supplier<String> lastNews) {
    this.out = out;
    this.canvas = new Canvas(out);
    this.inPlace = inPlace;
    this.glyphs = Glyphs.in(out.charset());
    this.title = title;
    this.lastNews = lastNews;
  }

  Glyphs glyphs() {
    return glyphs;
  }

  void show(Sample sample) {
    if (inPlace) canvas.draw(lines(sample));
    else out.println(line(sample));
  }

  private List<String> lines(Sample s) {
    List<String> lines = new ArrayList<>();
    lines.add(title + String.format(Locale.ROOT, ", %.0f s", s.at()));
    lines.add("");
    lines.add(rate("messages/s", s.messages(), messages));
    lines.add(rate("orders/s", s.orders(), orders));
    lines.add("");
    lines.add(String.format("%-18s %9s %9s %9s  p99 over time", "latency", "p50", "p99", "max"));
    lines.add(latency("item to cart", s.fillingCarts(), filling));
    lines.add(latency("checkout and pay", s.checkingOut(), paying));
    lines.add(loops(s.loops()));
    lines.add("");
    lines.add(queue("queue of stock", s.stockQueue()));
    lines.add(queue("queue of orders", s.ordersQueue()));
    lines.add(queue("queue of bank", s.bankQueue()));
    for (WorkerLoad load : s.workers().subList(0, Math.min(WORKERS_SHOWN, s.workers().size())))
      lines.add(worker(load));
    if (s.workers().size() > WORKERS_SHOWN)
      lines.add("... and " + (s.workers().size() - WORKERS_SHOWN) + " workers more");
    lines.add("");
    var c = s.counters();
    lines.add(
        "actors "
            + Glyphs.count(c.actorsLive())
            + " live, "
            + Glyphs.count(c.actorsSpawned())
            + " ever; crashed "
            + c.crashes()
            + "; dead letters "
            + c.deadLettersTotal()
            + "; stopped in the middle "
            + Glyphs.count(c.preemptions()));
    lines.add("last crash: " + lastNews.get());
    return lines;
  }

  private String rate(String what, long now, Deque<Long> history) {
    remember(history, now);
    return String.format("%-18s %9s  %s", what, Glyphs.count(now), glyphs.sparkline(history));
  }

  private String latency(String what, Latencies.Summary s, Deque<Long> history) {
    rememberLatency(history, s.p99());
    return String.format(
        "%-18s %9s %9s %9s  %s",
        what, time(s, s.p50()), time(s, s.p99()), time(s, s.max()), glyphs.sparkline(history));
  }

  /** Right below the latencies, so that one sees when they ran. */
  private String loops(int running) {
    rememberLatency(loops, running);
    return String.format(
        "%-18s %9s %9s %9s  %s",
        "endless loops", running, "", "", loops.stream().map(this::loopMark).collect(joining()));
  }

  private String loopMark(long running) {
    return running == 0 ? " " : String.valueOf(glyphs.full());
  }

  /** A time that nobody has reached yet is only known to be longer. */
  private String time(Latencies.Summary of, long nanos) {
    return (of.count() == 0 ? "> " : "") + glyphs.time(nanos);
  }

  private static void rememberLatency(Deque<Long> history, long value) {
    remember(history, value);
    while (history.size() > HISTORY - 20) history.removeFirst();
  }

  private String queue(String what, long length) {
    return String.format("%-18s %9s  %s", what, Glyphs.count(length), glyphs.bar(length, 100, 30));
  }

  private String worker(WorkerLoad load) {
    String wheel = load.wheelTurn().isZero() ? "" : glyphs.time(load.wheelTurn().toNanos());
    return String.format(
        "%-18s %9s  %-30s %s",
        "worker " + load.worker() + " ready",
        load.queued(),
        load.parked() ? "asleep" : glyphs.bar(load.queued(), 100, 30),
        wheel.isEmpty() ? "" : "wheel " + wheel);
  }

  private static void remember(Deque<Long> history, long value) {
    history.addLast(value);
    if (history.size() > HISTORY) history.removeFirst();
  }

  private String line(Sample s) {
    long ready = s.workers().stream().mapToLong(WorkerLoad::queued).sum();
    return String.format(
        Locale.ROOT,
        "%5.1f s  %9s msg/s  %5s orders/s  item to cart p50 %s p99 %s max %s"
            + "  checkout p50 %s p99 %s max %s  queues %d+%d+%d  ready %d  crashed %d%s",
        s.at(),
        Glyphs.count(s.messages()),
        Glyphs.count(s.orders()),
        time(s.fillingCarts(), s.fillingCarts().p50()),
        time(s.fillingCarts(), s.fillingCarts().p99()),
        time(s.fillingCarts(), s.fillingCarts().max()),
        time(s.checkingOut(), s.checkingOut().p50()),
        time(s.checkingOut(), s.checkingOut().p99()),
        time(s.checkingOut(), s.checkingOut().max()),
        s.stockQueue(),
        s.ordersQueue(),
        s.bankQueue(),
        ready,
        s.counters().crashes(),
        s.loops() == 0 ? "" : "  ENDLESS LOOPS " + s.loops());
  }
}
