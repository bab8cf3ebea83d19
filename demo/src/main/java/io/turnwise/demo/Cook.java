package io.turnwise.demo;

import io.turnwise.Actor;
import io.turnwise.Context;
import java.util.function.LongConsumer;

/** Cooks dish after dish. A plate that falls is the end of it, a fire that of its whole station. */
final class Cook implements Actor<Cook.Message> {
  /** What it understands. */
  sealed interface Message {
    /** A dish that was ordered at this time. */
    record Dish(long orderedAt) implements Message {}

    /** It drops a plate: its supervisor brings another cook. */
    record DropPlate() implements Message {}

    /** Its station burns: the supervisor of all stations brings that one back. */
    record CatchFire() implements Message {}
  }

  /** What only the supervisor of all stations can put out. */
  static final class Fire extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Fire() {
      super("fire!");
    }
  }

  private final LongConsumer served;

  /**
   * @param served told of each dish how long after its order it was done, in nanoseconds
   */
  Cook(LongConsumer served) {
    this.served = served;
  }

  @Override
  public void receive(Message message, Context<Message> context) {
    switch (message) {
      case Message.Dish(long orderedAt) -> served.accept(System.nanoTime() - orderedAt);
      case Message.DropPlate _ -> throw new IllegalStateException("dropped a plate");
      case Message.CatchFire _ -> throw new Fire();
    }
  }
}
