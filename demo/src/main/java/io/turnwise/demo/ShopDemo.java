package io.turnwise.demo;

import io.turnwise.CallException;
import io.turnwise.observation.ActorSnapshot;
import io.turnwise.observation.SystemSnapshot;
import java.io.Console;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Opens the shop, shows it while it is open, closes it in order and checks the books. */
public final class ShopDemo {
  private static final int REDRAW_MILLIS = 500;
  private static final int LINE_MILLIS = 1_000;

  private final Options options;
  private final PrintStream out;
  private final boolean inPlace;
  private final CountDownLatch closingTime = new CountDownLatch(1);
  private final CountDownLatch closed = new CountDownLatch(1);

  private ShopDemo(Options options, PrintStream out, boolean inPlace) {
    this.options = options;
    this.out = out;
    this.inPlace = inPlace;
  }

  public static void main(String[] arguments) throws Exception {
    int status = run(List.of(arguments), System.out, System.err, isTerminal());
    // A shutdown under way waits for us to return, and exit would wait for it.
    if (status != 0) System.exit(status);
  }

  private static boolean isTerminal() {
    Console console = System.console();
    return console != null && console.isTerminal() && !"dumb".equals(System.getenv("TERM"));
  }

  /** Returns the exit status. */
  static int run(List<String> arguments, PrintStream out, PrintStream err, boolean inPlace)
      throws Exception {
    Options options;
    try {
      options = Options.parse(arguments);
    } catch (Options.Misunderstood e) {
      err.println("demo: " + e.getMessage() + ". Try --help.");
      return 2;
    }
    if (options.help()) {
      out.print(Options.USAGE);
      return 0;
    }
    if (options.crashes()) return new KitchenDemo(options, out, inPlace).run();
    if (!options.preemption()) DemoAgent.weaveNothing();
    return new ShopDemo(options, out, inPlace).run();
  }

  private int run() throws Exception {
    var news = new CrashNews();
    news.listen();
    var hook = new Thread(this::endOnSignal, "shop-closing");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      var shop = new Shop(options);
      String title =
          String.format(
              "Turnwise shop%s: %d workers, %s customers, %d tellers, %d reports",
              options.preemption() ? "" : " WITHOUT PREEMPTION",
              options.workers(),
              Glyphs.count(options.customers()),
              shop.tellers,
              shop.reports);
      var picture = new Picture(out, inPlace, title, news::last);
      if (!inPlace) out.println(title);
      stayOpen(shop, picture);
      return close(shop, picture.glyphs());
    } finally {
      news.stopListening();
      closed.countDown();
      forget(hook);
    }
  }

  private void stayOpen(Shop shop, Picture picture) throws InterruptedException {
    var taker = new Sample.Taker(shop);
    Timeline timeline = options.timeline();
    long every = TimeUnit.MILLISECONDS.toNanos(inPlace ? REDRAW_MILLIS : LINE_MILLIS);
    long openFor = options.openFor().toNanos();
    long openedAt = System.nanoTime();
    long nextPicture = every;
    for (long open = 0; open < openFor; open = System.nanoTime() - openedAt) {
      boolean wanted = timeline.loopsAt(open);
      if (wanted && shop.loops.running() == 0) shop.loops.start();
      else if (!wanted) shop.loops.kill();
      long wait = Math.min(timeline.nanosToChange(open), Math.min(openFor, nextPicture) - open);
      if (closingTime.await(wait, TimeUnit.NANOSECONDS)) return;
      if (System.nanoTime() - openedAt >= nextPicture) {
        picture.show(taker.take());
        nextPicture += every;
      }
    }
  }

  /** Returns the exit status. */
  private int close(Shop shop, Glyphs glyphs) throws Exception {
    try {
      boolean balanced = summary(shop, shop.close(), glyphs);
      if (options.preemption()) {
        out.println("without   the same where nothing stops a loop: --no-preemption");
        return balanced ? 0 : 1;
      }
    } catch (CallException e) {
      if (options.preemption()) throw e;
      latencies(shop, glyphs);
      out.println(
          "closed    not at all: nobody answers. " + e.toString().lines().findFirst().orElse(""));
    }
    return 0;
  }

  /** Returns whether every message and every cent is accounted for. */
  private boolean summary(Shop shop, Shop.Books books, Glyphs glyphs) {
    SystemSnapshot c = shop.system.snapshot();
    long sent = shop.ledger.sent();
    long accounted = c.messagesHandled() + c.messagesFailed() + c.deadLettersTotal();
    out.println();
    out.printf(
        Locale.ROOT,
        "orders    %,d placed, %,d lost to a cart that crashed%n",
        shop.ledger.orders.sum(),
        shop.ledger.lostSales.sum());
    latencies(shop, glyphs);
    out.printf(
        Locale.ROOT,
        "work      %,d slices, %,d stopped in the middle, %,d suspended turns, %,d steals, %,d actors"
            + " started, %,d crashed%n",
        c.slices(),
        c.preemptions(),
        c.suspensions(),
        c.steals(),
        c.actorsSpawned(),
        c.crashes());
    out.printf(
        Locale.ROOT,
        "closed    in %s, %,d actors and %,d messages left%n",
        glyphs.time(books.report().took().toNanos()),
        books.report().actorsLeft(),
        books.report().messagesLeft());
    for (ActorSnapshot stuck : books.report().stuck()) out.println("          " + stuck.describe());
    out.printf(
        Locale.ROOT,
        "messages  sent %,d %s handled %,d + crashed %,d + dead letters %,d%n",
        sent,
        sent == accounted ? "=" : "IS NOT",
        c.messagesHandled(),
        c.messagesFailed(),
        c.deadLettersTotal());
    out.printf(
        Locale.ROOT,
        "money     taken by the bank %,d cents %s in the order book %,d cents%n",
        books.takings(),
        books.takings() == books.revenue() ? "=" : "IS NOT",
        books.revenue());
    return sent == accounted && books.takings() == books.revenue();
  }

  private void latencies(Shop shop, Glyphs glyphs) {
    out.println("latency   " + of("checkout and pay", shop.ledger.checkingOut, glyphs));
    out.println("          " + of("item to cart", shop.ledger.fillingCarts, glyphs));
    for (Phase phase : Phase.values())
      out.println("            " + of(phase.words, shop.ledger.fillingCarts(phase), glyphs));
    out.println("loops     " + shop.loops.account(glyphs));
  }

  static String of(String what, Latencies latencies, Glyphs glyphs) {
    Latencies.Summary all = latencies.all();
    if (all.count() == 0) return String.format("%-17s none at all", what);
    return String.format(
        Locale.ROOT,
        "%-17s p50 %8s  p99 %8s  max %8s  (%,d)",
        what,
        glyphs.time(all.p50()),
        glyphs.time(all.p99()),
        glyphs.time(all.max()),
        all.count());
  }

  /** Ctrl-C or SIGTERM: the JVM ends when this returns. */
  private void endOnSignal() {
    closingTime.countDown();
    try {
      boolean unused = closed.await(20, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void forget(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // It is running: that is why we are here.
    }
  }
}
