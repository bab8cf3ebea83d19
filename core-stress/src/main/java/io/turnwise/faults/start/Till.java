package io.turnwise.faults.start;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.Call;
import java.util.List;

/**
 * A user's program, which knows nothing but the runtime. Says what it sees of {@code java.lang}.
 */
final class Till {
  static final String SAYS_TOTAL = "total: 7";
  static final String SAYS_SHUT = "java.lang is shut to the program";

  private record Ring(int amount) implements Call<Ring, Integer> {}

  private Till() {}

  /** The whole program. */
  static List<Class<?>> all() {
    return List.of(Till.class, Ring.class);
  }

  public static void main(String[] arguments) {
    try (var system = ActorSystem.open("till")) {
      ActorRef<Ring> till =
          system.spawn(() -> (ring, context) -> context.reply(ring, ring.amount() + 3));
      System.out.println("total: " + till.call(new Ring(4)));
    }
    if (!Object.class.getModule().isOpen("java.lang", Till.class.getModule()))
      System.out.println(SAYS_SHUT);
  }
}
