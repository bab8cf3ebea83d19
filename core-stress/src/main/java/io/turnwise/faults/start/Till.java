package io.turnwise.faults.start;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.Call;
import io.turnwise.KillReport;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * A user's program, which knows nothing but the runtime. Says what it sees of {@code java.lang}.
 */
final class Till {
  static final String SAYS_TOTAL = "total: 7";
  static final String SAYS_WOVEN = "an endless loop was CANCELLED";
  static final String SAYS_SHUT = "java.lang is shut to the program";

  private record Ring(int amount) implements Call<Ring, Integer> {}

  private Till() {}

  /** The whole program. */
  static List<Class<?>> all() {
    return List.of(Till.class, Ring.class);
  }

  /**
   * @param arguments any: a handler that loops without end is killed as well
   */
  public static void main(String[] arguments) throws Exception {
    try (var system = ActorSystem.open("till")) {
      ActorRef<Ring> till =
          system.spawn(() -> (ring, context) -> context.reply(ring, ring.amount() + 3));
      System.out.println("total: " + till.call(new Ring(4)));
      if (arguments.length > 0) System.out.println("an endless loop was " + killLoop(system));
    }
    if (!Object.class.getModule().isOpen("java.lang", Till.class.getModule()))
      System.out.println(SAYS_SHUT);
  }

  private static KillReport.Force killLoop(ActorSystem system) throws Exception {
    var begun = new CountDownLatch(1);
    ActorRef<String> looping =
        system.spawn(
            () ->
                (_, _) -> {
                  begun.countDown();
                  while (true) {}
                });
    looping.cast("go");
    begun.await();
    return looping.kill().toCompletableFuture().get().force();
  }
}
