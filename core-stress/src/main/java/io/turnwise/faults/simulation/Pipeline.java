package io.turnwise.faults.simulation;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.Context;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.testkit.simulation.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Producers, stages with little room in which senders wait, and a sink. All arrive, and those of
 * each producer in order.
 */
final class Pipeline {
  private static final int PRODUCERS = 2;
  private static final int STAGES = 3;
  private static final int ITEMS = 8;

  private record Item(int producer, int number) {}

  private Pipeline() {}

  static void live(Simulation simulation) throws Exception {
    var random = new SplittableRandom(simulation.seed());
    List<Item> arrived = new ArrayList<>();
    ActorRef<Item> next =
        simulation.system().spawn("sink", narrow(random, () -> (item, _) -> arrived.add(item)));
    for (int i = STAGES; i > 0; i--) {
      ActorRef<Item> after = next;
      SplittableRandom own = random.split();
      next = simulation.system().spawn("stage" + i, narrow(random, () -> new Stage(after, own)));
    }
    if (random.nextBoolean()) simulation.mayStall(Duration.ofMillis(5));
    ActorRef<Item> first = next;
    for (int i = 0; i < PRODUCERS; i++) {
      int producer = i;
      simulation
          .<String>spawn(
              "producer" + i,
              () ->
                  (_, _) -> {
                    for (int n = 0; n < ITEMS; n++) first.cast(new Item(producer, n));
                  })
          .cast("begin");
    }
    simulation.sleep(Duration.ofMinutes(1));
    if (arrived.size() != PRODUCERS * ITEMS)
      throw new AssertionError(arrived.size() + " arrived: " + arrived);
    int[] expected = new int[PRODUCERS];
    for (Item item : arrived)
      if (item.number() != expected[item.producer()]++)
        throw new AssertionError(item + " came out of order: " + arrived);
  }

  private static ActorSpec<Item> narrow(
      SplittableRandom random, java.util.function.Supplier<Actor<Item>> factory) {
    int room = 1 + random.nextInt(4);
    return ActorSpec.of(factory).withMailbox(MailboxConfig.bounded(room, OverflowPolicy.WAIT));
  }

  private static final class Stage implements Actor<Item> {
    private final ActorRef<Item> next;
    private final SplittableRandom random;

    Stage(ActorRef<Item> next, SplittableRandom random) {
      this.next = next;
      this.random = random;
    }

    @Override
    public void receive(Item item, Context<Item> context) {
      if (random.nextInt(4) == 0) LockSupport.parkNanos(1_000_000);
      next.cast(item);
    }
  }
}
