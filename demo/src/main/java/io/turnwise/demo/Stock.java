package io.turnwise.demo;

import io.turnwise.Actor;
import io.turnwise.Call;
import io.turnwise.Context;

/** Knows what things cost. Everybody asks it, so its queue is the longest. */
final class Stock implements Actor<Stock.Message> {
  /** How many different things there are. */
  static final int ITEMS = 1_000;

  /** What it understands. */
  sealed interface Message {
    /** The price of an item, in cents; 0 for one that lost its price tag. */
    record Price(int item) implements Message, Call<Message, Integer> {}
  }

  private static final int UNTAGGED_ONE_IN = 4_000;
  private int asked;

  @Override
  public void receive(Message message, Context<Message> context) {
    switch (message) {
      case Message.Price price -> {
        boolean untagged = ++asked % UNTAGGED_ONE_IN == 0;
        context.reply(price, untagged ? 0 : 99 + price.item() * 7 % 900);
      }
    }
  }
}
