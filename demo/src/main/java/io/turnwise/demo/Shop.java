package io.turnwise.demo;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.Context;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.observation.CloseReport;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** The actors of the shop, how it opens, and how it closes in order. */
final class Shop {
  private static final Duration LAST_SALES = Duration.ofSeconds(5);

  final Ledger ledger = new Ledger();
  final ActorSystem system;
  final ActorRef<Stock.Message> stock;
  final ActorRef<Orders.Message> orders;
  final ActorRef<Bank.Message> bank;
  final int tellers;
  final int reports;
  final Loops loops;
  private final ActorRef<Object> customers;
  private final ActorRef<Object> reporting;

  Shop(Options options) {
    // The demo closes the system itself, also on SIGTERM, because it wants to show the report.
    system =
        ActorSystem.open("shop", c -> c.withWorkers(options.workers()).withCloseOnShutdown(false));
    tellers = Math.max(8, options.customers() / 4);
    reports = options.workers();
    stock = system.spawn("stock", Stock::new);
    orders =
        system.spawn(
            "orders",
            ActorSpec.<Orders.Message>of(() -> new Orders(ledger))
                .withMailbox(MailboxConfig.bounded(1_000, OverflowPolicy.WAIT)));
    bank = system.spawn("bank", () -> new Bank(ledger, tellers));
    reporting = system.spawn("reports", () -> new Parent("r", reports, () -> new Report(ledger)));
    customers =
        system.spawn(
            "customers", () -> new Parent("c", options.customers(), () -> new Customer(this)));
    loops = new Loops(this, options.loops());
  }

  /** Has children and nothing else to do. Stopping it stops them. */
  private record Parent(String prefix, int count, Supplier<Actor<?>> factory)
      implements Actor<Object> {
    @Override
    public void init(Context<Object> context) {
      for (int i = 0; i < count; i++) spawn(context, prefix + i);
    }

    @SuppressWarnings("unchecked") // its messages are the child's own business
    private void spawn(Context<Object> context, String name) {
      context.spawn(name, (Supplier<Actor<Object>>) (Supplier<?>) factory);
    }

    @Override
    public void receive(Object message, Context<Object> context) {}
  }

  /** What the books say in the end. */
  record Books(long revenue, long takings, CloseReport report) {}

  /** Lets no more customers in, waits for the last sales, reads the books, closes the system. */
  Books close() throws Exception {
    loops.kill();
    reporting.stop();
    customers.stop();
    try {
      customers.whenStopped().toCompletableFuture().get(LAST_SALES.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      // Somebody does not leave: the close report will name them.
    }
    long revenue = ledger.call(orders, new Orders.Message.Revenue());
    long takings = ledger.call(bank, new Bank.Message.Takings());
    return new Books(revenue, takings, system.close(Duration.ofSeconds(5)));
  }
}
