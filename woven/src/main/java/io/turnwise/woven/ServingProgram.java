package io.turnwise.woven;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Started beside other agents: an endless loop on the only worker, and a neighbour. */
public final class ServingProgram {
  private static volatile long rounds;

  private ServingProgram() {}

  public static void main(String[] arguments) throws Exception {
    try (var system = ActorSystem.open("serving", it -> it.withWorkers(1))) {
      ActorRef<CountDownLatch> hog = system.spawn(() -> (begun, context) -> spin(begun));
      var begun = new CountDownLatch(1);
      hog.cast(begun);
      begun.await();
      for (int i = 0; i < 3; i++) System.out.println("served: " + isServed(system));
      System.out.println(
          "killed: " + hog.kill().toCompletableFuture().get(20, TimeUnit.SECONDS).force());
    }
  }

  private static boolean isServed(ActorSystem system) throws InterruptedException {
    var handled = new CountDownLatch(1);
    ActorRef<String> other = system.spawn(() -> (message, context) -> handled.countDown());
    other.cast("your turn");
    return handled.await(20, TimeUnit.SECONDS);
  }

  private static void spin(CountDownLatch begun) {
    begun.countDown();
    long x = 1;
    while (x != 0) {
      x = x * 31 | 1;
      rounds++;
    }
  }
}
