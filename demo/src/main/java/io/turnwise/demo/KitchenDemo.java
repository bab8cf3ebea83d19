package io.turnwise.demo;

import io.turnwise.observation.ActorSnapshot;
import io.turnwise.observation.CloseReport;
import io.turnwise.observation.SystemSnapshot;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Opens the kitchen, lets plates fall and stations burn, shows how all of it comes back. */
final class KitchenDemo {
  private static final int STEP_MILLIS = 20;
  private static final int REDRAW_STEPS = 10;
  private static final int LINE_STEPS = 50;
  private static final int TREE_LINES = 9;

  /** Parts of the time: calm before, calm after; between them a wave of plates at each third. */
  private static final double CRASHES_FROM = 0.15;

  private static final double CRASHES_TO = 0.85;

  private final Options options;
  private final PrintStream out;
  private final boolean inPlace;

  KitchenDemo(Options options, PrintStream out, boolean inPlace) {
    this.options = options;
    this.out = out;
    this.inPlace = inPlace;
  }

  /** Returns the exit status. */
  int run() throws InterruptedException {
    var news = new CrashNews(); // else the log would run through the picture
    news.listen();
    try {
      var kitchen = new Kitchen(options);
      String title =
          String.format(
              "Turnwise kitchen: %d workers, %d stations of %d cooks, %s guests",
              options.workers(),
              Kitchen.STATIONS.size(),
              Kitchen.COOKS,
              Glyphs.count(options.customers()));
      if (!inPlace) out.println(title);
      var picture = new KitchenPicture(kitchen, out, inPlace, title);
      String tree = stayOpen(kitchen, picture);
      Duration healed = kitchen.heal();
      return summary(kitchen, healed, tree, picture.glyphs()) ? 0 : 1;
    } finally {
      news.stopListening();
    }
  }

  /** Returns the tree, drawn when many were down. */
  private String stayOpen(Kitchen kitchen, KitchenPicture picture) throws InterruptedException {
    String tree = "";
    int steps = (int) options.openFor().dividedBy(Duration.ofMillis(STEP_MILLIS));
    for (int step = 1; step <= steps; step++) {
      Thread.sleep(STEP_MILLIS);
      kitchen.askBoss();
      double share = (double) step / steps;
      if (share >= CRASHES_FROM && share < CRASHES_TO) goWrong(kitchen, step, steps);
      if (step == steps * 2 / 3 + 1) tree = kitchen.system.tree();
      if (step % (inPlace ? REDRAW_STEPS : LINE_STEPS) == 0) picture.show();
    }
    return tree;
  }

  private static void goWrong(Kitchen kitchen, int step, int steps) {
    kitchen.dropPlate();
    if (step == steps / 3 || step == steps * 2 / 3) kitchen.dropManyPlates();
    if (step % Math.max(1, steps / 6) == 0) kitchen.catchFire();
  }

  /** Returns whether every message and every crash is accounted for. */
  private boolean summary(Kitchen kitchen, Duration healed, String tree, Glyphs glyphs) {
    CloseReport report = kitchen.close();
    SystemSnapshot c = kitchen.system.snapshot();
    out.println();
    List<String> lines = tree.lines().toList();
    for (int i = 0; i < Math.min(TREE_LINES, lines.size()); i++)
      out.println((i == 0 ? "tree      " : "          ") + lines.get(i));
    out.println("          ... " + (lines.size() - TREE_LINES) + " lines more of system.tree()");
    // With each fire its station crashes as well.
    long expected = kitchen.plates() + 2L * kitchen.fires();
    out.printf(
        Locale.ROOT,
        "crashes   %,d %s plates dropped %,d + fires %,d, each with its station%n",
        c.crashes(),
        c.crashes() == expected ? "=" : "IS NOT",
        kitchen.plates(),
        kitchen.fires());
    out.printf(
        Locale.ROOT,
        "restarts  %,d, the last one %s after closing time%n",
        c.restarts(),
        glyphs.time(healed.toNanos()));
    out.println("latency   " + ShopDemo.of("waiters, before", kitchen.waitingBefore, glyphs));
    out.println("          " + ShopDemo.of("beside crashes", kitchen.waitingBeside, glyphs));
    out.println("          " + ShopDemo.of("supervisor", kitchen.answering, glyphs));
    out.println("          " + ShopDemo.of("cooks, down or up", kitchen.cooking, glyphs));
    out.printf(
        Locale.ROOT,
        "closed    in %s, %,d actors and %,d messages left%n",
        glyphs.time(report.took().toNanos()),
        report.actorsLeft(),
        report.messagesLeft());
    for (ActorSnapshot stuck : report.stuck()) out.println("          " + stuck.describe());
    long sent = kitchen.ledger.sent() + kitchen.ticks.sum();
    long accounted = c.messagesHandled() + c.messagesFailed() + c.deadLettersTotal();
    out.printf(
        Locale.ROOT,
        "messages  sent %,d %s handled %,d + crashed %,d + dead letters %,d%n",
        sent,
        sent == accounted ? "=" : "IS NOT",
        c.messagesHandled(),
        c.messagesFailed(),
        c.deadLettersTotal());
    return sent == accounted && c.crashes() == expected;
  }
}
