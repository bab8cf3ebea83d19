package io.turnwise.benchmarks.peer;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.Call;
import io.turnwise.CallOutcome;
import io.turnwise.Context;
import io.turnwise.scheduling.SchedulingConfig;
import io.turnwise.scheduling.ShareGroup;
import io.turnwise.time.TimerHandle;
import io.turnwise.time.TimerService;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Our own runtime, used as its users would: typed references, cast, call and callToSelf. */
final class TurnwiseRuntime implements ActorRuntime<ActorRef<Object>> {

  /** As long as Pekko's, so that both carry a time-out and neither ever meets it. */
  private static final Duration ASK_TIMEOUT = Duration.ofSeconds(30);

  private final ActorSystem system;
  private final Consumer<Throwable> onFailure;
  private final String workers;
  private @Nullable Runners tasks;

  TurnwiseRuntime(RuntimeSettings settings) {
    this.onFailure = settings.onFailure();
    boolean defaults = settings.workers() == RuntimeSettings.PEERS_CHOICE;
    this.workers = defaults ? "default" : "" + settings.workers();
    this.system =
        defaults
            ? ActorSystem.open("bench")
            : ActorSystem.open("bench", config -> config.withWorkers(settings.workers()));
  }

  @Override
  public ActorRef<Object> spawn(Behavior<ActorRef<Object>> behavior) {
    return system.spawn(new BehaviorActor(onFailure, behavior));
  }

  @Override
  public ActorRef<Object> spawnWithShortSlices(Behavior<ActorRef<Object>> behavior) {
    return spawn(behavior, SchedulingConfig.LATENCY);
  }

  @Override
  public ActorRef<Object> spawnWithQuantum(Behavior<ActorRef<Object>> behavior, Duration quantum) {
    return spawn(behavior, SchedulingConfig.DEFAULT.withQuantum(quantum));
  }

  @Override
  public ActorRef<Object> spawnInGroup(Behavior<ActorRef<Object>> behavior, Group group) {
    return spawn(
        behavior,
        SchedulingConfig.DEFAULT.withGroup(
            new ShareGroup(group.name(), group.weight(), group.ceiling())));
  }

  private ActorRef<Object> spawn(Behavior<ActorRef<Object>> behavior, SchedulingConfig scheduling) {
    return system.spawn(
        ActorSpec.of(new BehaviorActor(onFailure, behavior)).withScheduling(scheduling));
  }

  @Override
  public Duration ran(ActorRef<Object> actor) {
    return actor.snapshot().usage().ran();
  }

  @Override
  public String inspect(ActorRef<Object> actor) {
    return actor.snapshot().describe() + "\n" + system.dump();
  }

  @Override
  public Future<?> kill(ActorRef<Object> actor) {
    return actor.kill().toCompletableFuture();
  }

  @Override
  public void send(ActorRef<Object> receiver, Object message) {
    receiver.cast(message);
  }

  @Override
  public void stop(ActorRef<Object> actor) {
    actor.stopAfterDrain();
  }

  @Override
  public Future<Object> ask(ActorRef<Object> server, Object payload) {
    return server.callAsync(new TurnwiseRequest(payload), ASK_TIMEOUT).toCompletableFuture();
  }

  @Override
  public Object askAndWait(ActorRef<Object> server, Object payload) {
    return server.call(new TurnwiseRequest(payload), ASK_TIMEOUT);
  }

  @Override
  public TaskPool tasks() {
    if (tasks == null) {
      tasks = new Runners(system);
    }
    return tasks;
  }

  @Override
  public TimerSource timers() {
    TimerService timers = system.timers();
    return new TimerSource() {
      @Override
      public Object schedule(long delayNanos, Runnable callback) {
        return timers.scheduleDelayed(callback, Duration.ofNanos(delayNanos));
      }

      @Override
      public void cancel(Object timer) {
        ((TimerHandle) timer).cancel();
      }
    };
  }

  @Override
  public String describe() {
    return "Turnwise, workers: " + workers;
  }

  @Override
  public void close() {
    system.close();
  }

  private record TurnwiseRequest(Object payload) implements Request, Call<Object, Object> {}

  /** What has no state needs no actor of its own: some actors run what they are sent, by turns. */
  private static final class Runners implements TaskPool {
    private static final int COUNT = 64;

    /** What lies side by side in one mailbox is taken from there in few steps. */
    private static final int IN_A_ROW = 32;

    private final List<ActorRef<Runnable>> runners;

    /** Two who submit at once may choose the same runner, which does no harm. */
    private int submitted;

    Runners(ActorSystem system) {
      this.runners =
          Stream.generate(() -> system.<Runnable>spawn(() -> (task, _) -> task.run()))
              .limit(COUNT)
              .toList();
    }

    @Override
    public void execute(Runnable task) {
      runners.get(Math.floorMod(submitted++ / IN_A_ROW, COUNT)).cast(task);
    }
  }

  /**
   * One behaviour as an actor. It is its own factory, because what a user writes there ({@code
   * Counter::new}) captures nothing and so costs no memory either.
   */
  private static final class BehaviorActor
      implements Actor<Object>, Self<ActorRef<Object>>, Supplier<Actor<Object>> {
    private final Consumer<Throwable> onFailure;
    private final Behavior<ActorRef<Object>> behavior;
    private @Nullable Context<Object> context;

    BehaviorActor(Consumer<Throwable> onFailure, Behavior<ActorRef<Object>> behavior) {
      this.onFailure = onFailure;
      this.behavior = behavior;
    }

    @Override
    public Actor<Object> get() {
      return this;
    }

    @Override
    public void receive(Object message, Context<Object> context) {
      if (this.context != context) {
        this.context = context;
      }
      try {
        if (behavior.receive(message, this) == Next.STOP) {
          context.stop();
        }
      } catch (Exception failure) {
        onFailure.accept(failure);
        context.stop();
      }
    }

    private Context<Object> context() {
      if (context == null) {
        throw new IllegalStateException("used outside a turn");
      }
      return context;
    }

    @Override
    public ActorRef<Object> address() {
      return context().self();
    }

    @Override
    public ActorRef<Object> spawn(Behavior<ActorRef<Object>> child) {
      return context().spawn(new BehaviorActor(onFailure, child));
    }

    @Override
    public void send(ActorRef<Object> receiver, Object message) {
      receiver.cast(message);
    }

    @Override
    public void ask(ActorRef<Object> server, Object payload) {
      context().callToSelf(server, new TurnwiseRequest(payload), ASK_TIMEOUT, this::answer);
    }

    @Override
    public Object askAndWait(ActorRef<Object> server, Object payload) {
      return server.call(new TurnwiseRequest(payload), ASK_TIMEOUT);
    }

    @Override
    public void reply(Request request, Object answer) {
      context().reply((TurnwiseRequest) request, answer);
    }

    private Answer answer(CallOutcome<Object> outcome) {
      return switch (outcome) {
        case CallOutcome.Answered<Object>(Object value) -> new Answer(value);
        case CallOutcome.Failed<Object>(Throwable cause) -> {
          onFailure.accept(cause);
          yield new Answer(cause);
        }
      };
    }
  }
}
