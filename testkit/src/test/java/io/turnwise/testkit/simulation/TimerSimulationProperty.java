package io.turnwise.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.Call;
import io.turnwise.Context;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorSpec;
import io.turnwise.testkit.junit.SimulationTest;
import io.turnwise.time.TimerHandle;
import io.turnwise.time.TimerState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Timers under many seeds. Each instance of an actor that crashes and comes back knows by itself
 * which of its timers is in force; a tick that is none of these is stale, wherever it was when its
 * timer ended.
 */
class TimerSimulationProperty {
  private static final int KEYS = 3;

  private sealed interface Message {}

  private record Tick(int key, int generation) implements Message {}

  private record Idle(int generation) implements Message {}

  private record Act() implements Message {}

  private record Fail() implements Message {}

  private record Ask() implements Message, Call<Message, Integer> {}

  private static final class Keeper implements Actor<Message> {
    private final SplittableRandom random;
    private final Simulation simulation;
    private final List<String> stale;
    private final int[] inForce = new int[KEYS];
    private final boolean[] once = new boolean[KEYS];
    private int idleInForce;
    private final AtomicInteger generations;

    Keeper(Simulation simulation, List<String> stale, AtomicInteger generations) {
      this.simulation = simulation;
      this.random = new SplittableRandom(simulation.seed() + generations.get());
      this.stale = stale;
      this.generations = generations;
    }

    @Override
    public void receive(Message message, Context<Message> context) {
      switch (message) {
        case Tick(int key, int generation) -> {
          if (inForce[key] != generation) stale.add("tick " + generation + " of " + key);
          if (once[key]) inForce[key] = 0;
          if (random.nextInt(4) == 0) act(context);
          else if (random.nextInt(4) == 0) pause();
        }
        case Idle(int generation) -> {
          if (idleInForce != generation) stale.add("idle " + generation);
        }
        case Act _ -> act(context);
        case Fail _ -> throw new IllegalStateException("planned");
        case Ask ask -> context.reply(ask, generations.get());
      }
    }

    private void act(Context<Message> context) {
      int key = random.nextInt(KEYS);
      Duration time = Duration.ofNanos(random.nextLong(1, 3_000_000));
      int generation = generations.incrementAndGet();
      switch (random.nextInt(7)) {
        case 0, 1 -> {
          context.timers().once(key, time, new Tick(key, generation));
          begins(key, generation, true);
        }
        case 2 -> {
          context.timers().atFixedRate(key, time, new Tick(key, generation));
          begins(key, generation, false);
        }
        case 3 -> {
          context.timers().withFixedDelay(key, time, new Tick(key, generation));
          begins(key, generation, false);
        }
        case 4 -> {
          assertThat(context.timers().cancel(key)).isEqualTo(inForce[key] != 0);
          inForce[key] = 0;
        }
        case 5 -> {
          context.receiveTimeout(time, new Idle(generation));
          idleInForce = generation;
        }
        default -> {
          context.cancelReceiveTimeout();
          idleInForce = 0;
        }
      }
      assertThat(context.timers().isActive(key)).isEqualTo(inForce[key] != 0);
    }

    private void begins(int key, int generation, boolean isOnce) {
      inForce[key] = generation;
      once[key] = isOnce;
    }

    private void pause() {
      try {
        simulation.sleep(Duration.ofNanos(random.nextLong(1, 5_000_000)));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @SimulationTest(seeds = 2_000)
  void aTickOfATimerThatIsNotInForceIsNeverHandled(Simulation simulation) throws Exception {
    List<String> stale = new ArrayList<>();
    var generations = new AtomicInteger();
    ChildSpec<Message> spec =
        ChildSpec.of("keeper", () -> new Keeper(simulation, stale, generations));
    ActorRef<Message> keeper =
        Supervisor.start(
                simulation.system(),
                "supervisor",
                SupervisorSpec.oneForOne().withChild(spec).withLimit(100, Duration.ofHours(1)))
            .child(spec);
    var random = new SplittableRandom(~simulation.seed());
    for (int i = 0; i < 40; i++) {
      keeper.cast(random.nextInt(10) == 0 ? new Fail() : new Act());
      if (random.nextInt(2) == 0) simulation.sleep(Duration.ofNanos(random.nextLong(1, 4_000_000)));
    }
    keeper.call(new Ask());
    assertThat(stale).isEmpty();
    switch (random.nextInt(3)) {
      case 0 -> keeper.stop();
      case 1 -> keeper.kill();
      default -> keeper.cast(new Fail());
    }
    simulation.sleep(Duration.ofMillis(20));
    assertThat(stale).isEmpty();
  }

  /** Callbacks are turns that the seed chooses; cancel and callback exclude each other. */
  @SimulationTest(seeds = 1_000)
  void everyTimerIsCalledOrCancelledAndNeverBothOrEarly(Simulation simulation) throws Exception {
    var random = new SplittableRandom(~simulation.seed());
    var timers = simulation.system().timers();
    Map<TimerHandle, Integer> calls = new HashMap<>();
    List<TimerHandle> all = new ArrayList<>();
    List<TimerHandle> cancelled = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Duration delay = Duration.ofNanos(random.nextLong(3_000_000));
      Duration due = simulation.time().plus(delay);
      var own = new TimerHandle[1];
      own[0] =
          timers.scheduleDelayed(
              () -> {
                assertThat(simulation.time()).isGreaterThanOrEqualTo(due);
                calls.merge(own[0], 1, Integer::sum);
              },
              delay);
      all.add(own[0]);
      TimerHandle victim = all.get(random.nextInt(all.size()));
      if (random.nextInt(2) == 0 && victim.cancel()) cancelled.add(victim);
      if (random.nextInt(3) == 0) simulation.sleep(Duration.ofNanos(random.nextLong(1, 2_000_000)));
    }
    simulation.sleep(Duration.ofMillis(10));
    for (TimerHandle timer : all) {
      boolean taken = cancelled.contains(timer);
      assertThat(calls.getOrDefault(timer, 0)).isEqualTo(taken ? 0 : 1);
      assertThat(timer.state()).isEqualTo(taken ? TimerState.CANCELLED : TimerState.DONE);
    }
    assertThat(timers.metrics().pending()).isZero();
    assertThat(timers.metrics().failed()).isZero();
    assertThat(timers.metrics().executed()).isEqualTo(all.size() - cancelled.size());
  }
}
