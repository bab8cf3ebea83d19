package io.turnwise.testkit;

import io.turnwise.ActorSystem;
import io.turnwise.SystemConfig;
import io.turnwise.internal.cell.LocalActorSystem;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A testkit of an ordinary system. Waits cost real time, but only in tests that fail. */
final class ThreadedTestkit extends Testkit {
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private ThreadedTestkit(LocalActorSystem system) {
    super(system);
  }

  static ThreadedTestkit open(SystemConfig config) {
    ActorSystem system = ActorSystem.open(SYSTEM, _ -> config);
    return switch (system) {
      case LocalActorSystem local -> new ThreadedTestkit(local);
    };
  }

  @Override
  boolean waitUntil(BooleanSupplier over, @Nullable Duration atMost) {
    return bell.await(over, nanos(atMost == null ? PATIENCE : atMost));
  }

  @Override
  boolean waitUntilDone(BooleanSupplier over) {
    return waitUntil(over, null);
  }

  /** The ticking thread alone could say. */
  @Override
  List<String> callsUnderWay() {
    return List.of();
  }

  @Override
  String moment(@Nullable Duration atMost) {
    return "after " + Words.time(atMost == null ? PATIENCE : atMost);
  }
}
