package io.turnwise;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/** Waiting in tests that have threads: always for something, and never for ever. */
public final class Await {
  private static final int SECONDS = 30;

  private Await() {}

  public static <T> T result(CompletionStage<T> stage) throws Exception {
    try {
      return stage.toCompletableFuture().get(SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) throw cause;
      throw e;
    }
  }

  public static StopReason end(ActorRef<?> actor) throws Exception {
    return result(actor.whenStopped());
  }

  public static void latch(CountDownLatch latch) throws Exception {
    if (!latch.await(SECONDS, TimeUnit.SECONDS))
      throw new TimeoutException("nobody came within " + SECONDS + " s");
  }

  /** For what can only be seen from outside, such as a state. Looks again and again. */
  public static void until(String what, BooleanSupplier condition) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) throw new TimeoutException("never true: " + what);
      Thread.onSpinWait();
      Thread.yield();
    }
  }
}
