package io.turnwise.benchmarks.workload;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Keeps the first exception that a behaviour threw, so that nobody waits for its actor in vain. */
public final class Failures implements Consumer<Throwable> {
  private final AtomicReference<@Nullable Throwable> first = new AtomicReference<>();

  @Override
  public void accept(Throwable failure) {
    first.compareAndSet(null, failure);
  }

  void throwIfAny() {
    Throwable failure = first.get();
    if (failure != null) {
      throw new WrongResultException("an actor failed: " + failure, failure);
    }
  }
}
