package io.turnwise.demo;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.CallException;
import io.turnwise.Context;
import java.util.concurrent.ThreadLocalRandom;

/** Comes, fills a cart, pays, thinks for a while, comes again. */
final class Customer implements Actor<Customer.Message> {
  /** What it understands. */
  sealed interface Message {
    /** Go shopping. */
    record Visit() implements Message {}
  }

  private static final int MOST_ITEMS = 12;
  private static final int LONGEST_THOUGHT_MILLIS = 200;
  private final Shop shop;

  Customer(Shop shop) {
    this.shop = shop;
  }

  @Override
  public void init(Context<Message> context) {
    shop.ledger.cast(context.self(), new Message.Visit());
  }

  @Override
  public void receive(Message message, Context<Message> context) throws InterruptedException {
    switch (message) {
      case Message.Visit visit -> {
        var random = ThreadLocalRandom.current();
        Thread.sleep(random.nextInt(1, LONGEST_THOUGHT_MILLIS));
        shop(context, random.nextInt(1, MOST_ITEMS));
        shop.ledger.cast(context.self(), visit);
      }
    }
  }

  private void shop(Context<Message> context, int items) {
    ActorRef<Cart.Message> cart = context.spawn(() -> new Cart(shop));
    for (int i = 0; i < items; i++) {
      int item = ThreadLocalRandom.current().nextInt(Stock.ITEMS);
      int cents = shop.ledger.call(shop.stock, new Stock.Message.Price(item));
      shop.ledger.cast(cart, new Cart.Message.Add(item, cents, System.nanoTime()));
    }
    long began = System.nanoTime();
    try {
      int unused = shop.ledger.call(cart, new Cart.Message.CheckOut());
      shop.ledger.checkingOut.record(System.nanoTime() - began);
    } catch (CallException e) { // the cart fell over; only this sale is lost
      shop.ledger.lostSales.increment();
    }
  }
}
