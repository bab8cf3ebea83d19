package io.turnwise.demo;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.Call;
import io.turnwise.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Hands each payment to a teller, who answers the customer's cart itself. */
final class Bank implements Actor<Bank.Message> {
  /** What it and its tellers understand. */
  sealed interface Message {
    /** Takes money; the answer is the number of the payment. */
    record Charge(int cents) implements Message, Call<Message, Long> {}

    /** All the money taken so far, in cents. */
    record Takings() implements Message, Call<Message, Long> {}
  }

  private final Ledger ledger;
  private final int size;
  private final List<ActorRef<Message>> tellers = new ArrayList<>();
  private int next;

  Bank(Ledger ledger, int size) {
    this.ledger = ledger;
    this.size = size;
  }

  @Override
  public void init(Context<Message> context) {
    for (int i = 0; i < size; i++) tellers.add(context.spawn("teller-" + i, Teller::new));
  }

  @Override
  public void receive(Message message, Context<Message> context) {
    switch (message) {
      case Message.Charge charge -> {
        next = (next + 1) % size;
        ledger.forward(context, charge, tellers.get(next), charge);
      }
      case Message.Takings takings -> {
        long sum = 0;
        for (ActorRef<Message> teller : tellers) sum += ledger.call(teller, takings);
        context.reply(takings, sum);
      }
    }
  }

  /** Waits for the card network at every payment, in plain blocking code. */
  private static final class Teller implements Actor<Message> {
    private long payments;
    private long cents;

    @Override
    public void receive(Message message, Context<Message> context) throws InterruptedException {
      switch (message) {
        case Message.Charge charge -> {
          Thread.sleep(ThreadLocalRandom.current().nextInt(4, 12));
          cents += charge.cents();
          context.reply(charge, ++payments);
        }
        case Message.Takings takings -> context.reply(takings, cents);
      }
    }
  }
}
