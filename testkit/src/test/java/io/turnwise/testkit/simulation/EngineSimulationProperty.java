package io.turnwise.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.Call;
import io.turnwise.CallException;
import io.turnwise.Context;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.MailboxDeadlockException;
import io.turnwise.mailbox.MailboxFullException;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.mailbox.StashFullException;
import io.turnwise.testkit.junit.SimulationTest;
import io.turnwise.weaving.Safepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Our own engine under many seeds: actors that send, call, wait, put aside, watch, stop, crash and
 * are killed, at random. Each run checks at its end that every message is accounted for and that
 * nobody rests beside messages; here, that each arrives at most once and in its sender's order.
 */
class EngineSimulationProperty {
  private static final int ACTORS = 6;

  private sealed interface Message {}

  private record Hop(int from, int number, int left) implements Message {}

  private record Ask(int left) implements Message, Call<Message, Integer> {}

  private record Open() implements Message {}

  private record Stop() implements Message {}

  /** One of them; what it does with a message is drawn. */
  private static final class Citizen implements Actor<Message> {
    private final int own;
    private final World world;
    private boolean open = true;
    private boolean hasPutAside;

    Citizen(int own, World world) {
      this.own = own;
      this.world = world;
    }

    @Override
    public void receive(Message message, Context<Message> context) {
      switch (message) {
        case Hop hop -> {
          if (!open && world.draws(2)) {
            hasPutAside = true;
            try {
              context.stash();
              return;
            } catch (StashFullException full) {
              // Then it is handled now.
            }
          }
          if (open) world.arrived(own, hop, hasPutAside);
          act(hop.left(), context);
        }
        case Ask ask -> {
          if (world.draws(4)) LockSupport.parkNanos(1_000_000L * world.random.nextInt(20));
          if (!world.draws(8)) context.reply(ask, ask.left());
        }
        case Open _ -> {
          open = !open;
          if (open) context.unstashAll();
        }
        case Stop _ -> {
          if (world.draws(2)) context.stop();
          else context.stopAfterDrain();
        }
      }
    }

    private void act(int left, Context<Message> context) {
      if (left == 0) return;
      switch (world.random.nextInt(9)) {
        case 0, 1, 2 -> world.hop(own, left - 1);
        case 3 -> {
          world.hop(own, left - 1);
          world.hop(own, left - 1);
        }
        case 4 -> call(left);
        case 5 -> LockSupport.parkNanos(1_000_000L * world.random.nextInt(10));
        case 6 -> context.watch(world.any());
        case 7 -> {
          synchronized (world) {
            Safepoint.poll();
            if (world.draws(4)) LockSupport.parkNanos(1_000_000);
          }
        }
        default -> {
          if (world.draws(3)) throw new IllegalStateException("drawn");
        }
      }
    }

    private void call(int left) {
      ActorRef<Message> other = world.any();
      try {
        other.call(new Ask(left), Duration.ofMillis(10));
      } catch (CallException e) {
        // Stopped, busy, silent, or itself.
      }
    }
  }

  /** What they have in common. */
  private static final class World {
    final SplittableRandom random;
    final List<ActorRef<Message>> actors = new ArrayList<>();
    private final Map<List<Integer>, Integer> sent = new HashMap<>();
    private final Map<List<Integer>, Integer> arrived = new HashMap<>();

    /** Thrown in a citizen, it would be one crash more. */
    final List<String> wrong = new ArrayList<>();

    World(long seed) {
      random = new SplittableRandom(seed);
    }

    boolean draws(int oneOf) {
      return random.nextInt(oneOf) == 0;
    }

    ActorRef<Message> any() {
      return actors.get(random.nextInt(actors.size()));
    }

    void hop(int from, int left) {
      int to = random.nextInt(actors.size());
      int number = sent.merge(List.of(from, to), 1, Integer::sum);
      try {
        actors.get(to).cast(new Hop(from, number, left));
      } catch (MailboxFullException | MailboxDeadlockException full) {
        // It never was in.
      }
    }

    /** In order for each sender, and no message twice; put aside ones come late. */
    void arrived(int at, Hop hop, boolean mayBeLate) {
      int last = arrived.getOrDefault(List.of(hop.from(), at), 0);
      if (hop.number() == last) wrong.add("twice: " + hop);
      if (hop.number() < last && !mayBeLate) wrong.add("after number " + last + ": " + hop);
      arrived.put(List.of(hop.from(), at), Math.max(last, hop.number()));
    }
  }

  @SimulationTest(seeds = 20_000)
  void everyMessageIsAccountedFor(Simulation simulation) throws Exception {
    live(simulation);
  }

  @SimulationTest(seeds = 2_000, firstSeed = 100_000, twice = true)
  void theSameSeedTakesTheSameCourse(Simulation simulation) throws Exception {
    live(simulation);
  }

  private static void live(Simulation simulation) throws Exception {
    var world = new World(simulation.seed());
    simulation.mayDeadlock();
    if (world.draws(4)) simulation.mayShrinkMailboxes(1);
    OverflowPolicy[] policies = OverflowPolicy.values();
    for (int i = 0; i < ACTORS; i++) {
      int own = i;
      ActorSpec<Message> spec = ActorSpec.of(() -> new Citizen(own, world));
      if (world.draws(2))
        spec =
            spec.withMailbox(
                MailboxConfig.bounded(
                    1 + world.random.nextInt(3), policies[world.random.nextInt(policies.length)]));
      world.actors.add(simulation.system().spawn("citizen" + i, spec));
    }
    if (world.draws(2)) simulation.mayCrash(world.any());
    if (world.draws(2)) simulation.mayBeKilled(world.any());
    if (world.draws(2)) simulation.mayStall(Duration.ofMillis(20));
    if (world.draws(4)) simulation.mayStall(world.any(), Duration.ofMillis(20));
    if (world.draws(4)) simulation.mayBeSlow(world.any(), Duration.ofMillis(20));
    if (world.draws(4)) simulation.mayDelay(world.any(), Duration.ofMillis(20));
    if (world.draws(4)) simulation.mayLose(world.any());
    for (int i = 0; i < 10; i++) {
      switch (world.random.nextInt(6)) {
        case 0 -> send(world.any(), new Open());
        case 1 -> send(world.any(), new Stop());
        default -> world.hop(ACTORS, 6);
      }
    }
    simulation.sleep(Duration.ofSeconds(10));
    assertThat(simulation.time()).isGreaterThan(Duration.ofSeconds(9));
    assertThat(world.wrong).isEmpty();
  }

  private static void send(ActorRef<Message> to, Message message) {
    try {
      to.cast(message);
    } catch (MailboxFullException | MailboxDeadlockException full) {
      // It never was in.
    }
  }
}
