package io.turnwise.woven.built;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Woven by the build, run without an agent: an endless loop on the only worker, and a neighbour.
 */
public final class BuiltProgram {
  private BuiltProgram() {}

  public static void main(String[] arguments) throws Exception {
    try (var system = ActorSystem.open("built", it -> it.withWorkers(1))) {
      var begun = new CountDownLatch(1);
      ActorRef<String> hog = system.spawn(() -> (message, context) -> spin(begun));
      hog.cast("spin");
      begun.await();
      var handled = new CountDownLatch(1);
      ActorRef<String> other = system.spawn(() -> (message, context) -> handled.countDown());
      other.cast("your turn");
      System.out.println("handled: " + handled.await(20, TimeUnit.SECONDS));
      System.out.println(
          "killed: " + hog.kill().toCompletableFuture().get(20, TimeUnit.SECONDS).force());
    }
  }

  private static void spin(CountDownLatch begun) {
    begun.countDown();
    long x = 1;
    while (x != 0) x = x * 31 | 1;
  }
}
