package io.turnwise.demo;

import io.turnwise.observation.SystemSnapshot;
import io.turnwise.observation.WorkerLoad;
import java.util.List;

/**
 * The shop at one moment, and what happened since the moment before.
 *
 * @param at seconds since the shop opened
 * @param messages messages handled per second
 * @param orders orders placed per second
 * @param fillingCarts of items that reached a cart; if none did, for how long none has by now
 * @param checkingOut of customers who have paid; likewise
 * @param loops endless loops that run
 */
record Sample(
    double at,
    long messages,
    long orders,
    Latencies.Summary fillingCarts,
    Latencies.Summary checkingOut,
    long stockQueue,
    long ordersQueue,
    long bankQueue,
    List<WorkerLoad> workers,
    int loops,
    SystemSnapshot counters) {

  /** Takes one after another. */
  static final class Taker {
    private final Shop shop;
    private final long openedAt = System.nanoTime();
    private long lastAt = openedAt;
    private long lastHandled;
    private long lastOrders;
    private long lastFilled = openedAt;
    private long lastCheckedOut = openedAt;

    Taker(Shop shop) {
      this.shop = shop;
    }

    Sample take() {
      long now = System.nanoTime();
      double seconds = Math.max(1e-3, (now - lastAt) / 1e9);
      SystemSnapshot counters = shop.system.snapshot();
      long handled = counters.messagesHandled();
      long placed = shop.ledger.orders.sum();
      Latencies.Summary filling = shop.ledger.fillingCarts.sinceLastLook();
      if (filling.count() > 0) lastFilled = now;
      Latencies.Summary paying = shop.ledger.checkingOut.sinceLastLook();
      if (paying.count() > 0) lastCheckedOut = now;
      var sample =
          new Sample(
              (now - openedAt) / 1e9,
              Math.round((handled - lastHandled) / seconds),
              Math.round((placed - lastOrders) / seconds),
              filling.orStandstill(now - lastFilled),
              paying.orStandstill(now - lastCheckedOut),
              shop.stock.snapshot().queued(),
              shop.orders.snapshot().queued(),
              shop.bank.snapshot().queued(),
              shop.system.dispatcher().loads(),
              shop.loops.running(),
              counters);
      lastAt = now;
      lastHandled = handled;
      lastOrders = placed;
      return sample;
    }
  }
}
