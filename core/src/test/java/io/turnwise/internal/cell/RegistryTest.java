package io.turnwise.internal.cell;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;

/** Registered names, where two threads meet. */
class RegistryTest {
  private static final int ROUNDS = 2_000;

  private final ManualSystem kit = new ManualSystem();
  private final Kind kind = ((ActorCell<?>) kit.<String>spawn("any", () -> (_, _) -> {})).kind;
  private final Registry[] registries = new Registry[ROUNDS];
  private final ActorCell<String> actor = new ActorCell<>(kind, null, "a", new Object());

  {
    for (int i = 0; i < ROUNDS; i++) {
      registries[i] = new Registry();
      registries[i].register("first", actor);
    }
  }

  /** As {@code ActorCell.end} does: before and after it tells its end. */
  @Test
  void aNameThatComesWithTheEndOfItsActorDoesNotStay() throws InterruptedException {
    race(i -> registries[i].register("second", actor), i -> registries[i].forget(actor));
    for (Registry registry : registries) {
      registry.forget(actor);
      assertThat(registry.find("second")).isNull();
    }
  }

  @Test
  void aNameThatIsGivenBackAndTakenAtOnceIsItsActorsOrNobodys() throws InterruptedException {
    race(i -> registries[i].register("first", actor), i -> registries[i].unregister("first"));
    for (Registry registry : registries) {
      registry.forget(actor);
      assertThat(registry.find("first")).isNull();
    }
  }

  /** Each round begins for both at once: they wait for each other. */
  private static void race(IntConsumer one, IntConsumer other) throws InterruptedException {
    var there = new AtomicInteger();
    Thread thread = Thread.ofPlatform().start(() -> run(there, other));
    run(there, one);
    thread.join();
  }

  private static void run(AtomicInteger there, IntConsumer step) {
    for (int i = 0; i < ROUNDS; i++) {
      there.incrementAndGet();
      for (int looks = 1; there.get() < 2 * (i + 1); looks++)
        if (looks % 1_000 == 0) Thread.yield(); // the other has no processor
        else Thread.onSpinWait();
      step.accept(i);
    }
  }
}
