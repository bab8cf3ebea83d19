package io.turnwise.demo;

import io.turnwise.Actor;
import io.turnwise.Call;
import io.turnwise.Context;

/** One customer's cart, from the first item to the receipt. Falls over on an item without price. */
final class Cart implements Actor<Cart.Message> {
  /** What it understands. */
  sealed interface Message {
    /** One thing more. */
    record Add(int item, int cents, long sentAt) implements Message {}

    /** Pays and places the order; the answer is what was paid, in cents. */
    record CheckOut() implements Message, Call<Message, Integer> {}
  }

  private final Shop shop;
  private int items;
  private int cents;

  Cart(Shop shop) {
    this.shop = shop;
  }

  @Override
  public void receive(Message message, Context<Message> context) {
    switch (message) {
      case Message.Add add -> {
        shop.ledger.cartFilled(System.nanoTime() - add.sentAt());
        if (add.cents() == 0)
          throw new IllegalStateException("item " + add.item() + " has no price tag");
        items++;
        cents += add.cents();
      }
      case Message.CheckOut checkOut -> {
        shop.ledger.call(shop.bank, new Bank.Message.Charge(cents)); // the fiber waits, no thread
        shop.ledger.cast(shop.orders, new Orders.Message.Placed(items, cents));
        context.reply(checkOut, cents);
        context.stop();
      }
    }
  }
}
