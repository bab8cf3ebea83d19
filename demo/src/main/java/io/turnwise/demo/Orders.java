package io.turnwise.demo;

import io.turnwise.Actor;
import io.turnwise.Call;
import io.turnwise.Context;

/** The order book. Its mailbox is bounded: carts wait when it falls behind. */
final class Orders implements Actor<Orders.Message> {
  /** What it understands. */
  sealed interface Message {
    /** A paid order. */
    record Placed(int items, int cents) implements Message {}

    /** What all orders came to, in cents. */
    record Revenue() implements Message, Call<Message, Long> {}
  }

  private final Ledger ledger;
  private long cents;

  Orders(Ledger ledger) {
    this.ledger = ledger;
  }

  @Override
  public void receive(Message message, Context<Message> context) {
    switch (message) {
      case Message.Placed placed -> {
        cents += placed.cents();
        ledger.orders.increment();
      }
      case Message.Revenue revenue -> context.reply(revenue, cents);
    }
  }
}
