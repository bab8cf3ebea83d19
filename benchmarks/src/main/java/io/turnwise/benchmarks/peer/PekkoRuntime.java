package io.turnwise.benchmarks.peer;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.pekko.actor.Cancellable;
import org.apache.pekko.actor.PoisonPill;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.DispatcherSelector;
import org.apache.pekko.actor.typed.Scheduler;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import scala.concurrent.ExecutionContext;

/** Apache Pekko typed, everything at its defaults but the log and, where asked, the threads. */
final class PekkoRuntime implements ActorRuntime<ActorRef<Object>> {

  private static final Duration ASK_TIMEOUT = Duration.ofSeconds(30);
  private static final String QUIET =
      """
      pekko.loglevel = OFF
      pekko.stdout-loglevel = OFF
      pekko.log-dead-letters = off
      """;

  private final ActorSystem<Object> system;
  private final Consumer<Throwable> onFailure;
  private final String threads;

  private PekkoRuntime(int threads, Consumer<Throwable> onFailure) {
    this.onFailure = onFailure;
    this.threads = threads == RuntimeSettings.PEERS_CHOICE ? "default" : "" + threads;
    this.system =
        ActorSystem.create(Behaviors.receive(this::spawnForOutsider), "bench", config(threads));
  }

  static PekkoRuntime asItComes(RuntimeSettings settings) {
    return new PekkoRuntime(settings.workers(), settings.onFailure());
  }

  static PekkoRuntime oneThreadPerCore(RuntimeSettings settings) {
    int cores = Runtime.getRuntime().availableProcessors();
    return new PekkoRuntime(settings.workersOr(cores), settings.onFailure());
  }

  private static Config config(int threads) {
    String dispatcher =
        threads == RuntimeSettings.PEERS_CHOICE
            ? ""
            : """
              pekko.actor.default-dispatcher.fork-join-executor {
                parallelism-min = %d
                parallelism-max = %d
              }
              """
                .formatted(threads, threads);
    return ConfigFactory.parseString(QUIET + dispatcher).withFallback(ConfigFactory.load());
  }

  @Override
  public ActorRef<Object> spawn(Behavior<ActorRef<Object>> behavior) {
    SpawnOrder order = new SpawnOrder(behavior, new CompletableFuture<>());
    system.tell(order);
    return order.spawned.join();
  }

  @Override
  public void send(ActorRef<Object> receiver, Object message) {
    receiver.tell(message);
  }

  @Override
  public void stop(ActorRef<Object> actor) {
    Adapter.toClassic(actor)
        .tell(PoisonPill.getInstance(), org.apache.pekko.actor.ActorRef.noSender());
  }

  @Override
  public Future<Object> ask(ActorRef<Object> server, Object payload) {
    return AskPattern.<Object, Object>ask(
            server, asker -> new PekkoRequest(payload, asker), ASK_TIMEOUT, system.scheduler())
        .toCompletableFuture();
  }

  @Override
  public TaskPool tasks() {
    Executor dispatcher = system.dispatchers().lookup(DispatcherSelector.defaultDispatcher());
    return dispatcher::execute;
  }

  @Override
  public TimerSource timers() {
    Scheduler scheduler = system.scheduler();
    ExecutionContext dispatcher = system.executionContext();
    return new TimerSource() {
      @Override
      public Object schedule(long delayNanos, Runnable callback) {
        return scheduler.scheduleOnce(Duration.ofNanos(delayNanos), callback, dispatcher);
      }

      @Override
      public void cancel(Object timer) {
        ((Cancellable) timer).cancel();
      }
    };
  }

  @Override
  public String describe() {
    return "Pekko " + org.apache.pekko.Version.current() + ", dispatcher threads: " + threads;
  }

  @Override
  public void close() {
    system.terminate();
    try {
      system.getWhenTerminated().toCompletableFuture().get(30, TimeUnit.SECONDS);
    } catch (Exception stillBusy) {
      onFailure.accept(stillBusy);
    }
  }

  /** Only an actor may create actors, so outsiders ask the one at the top. */
  private org.apache.pekko.actor.typed.Behavior<Object> spawnForOutsider(
      ActorContext<Object> context, Object message) {
    SpawnOrder order = (SpawnOrder) message;
    order.spawned.complete(context.spawnAnonymous(adapt(order.behavior)));
    return Behaviors.same();
  }

  private org.apache.pekko.actor.typed.Behavior<Object> adapt(Behavior<ActorRef<Object>> behavior) {
    return Behaviors.setup(
        context -> {
          PekkoSelf self = new PekkoSelf(context);
          return Behaviors.receiveMessage(message -> turn(behavior, message, self));
        });
  }

  private org.apache.pekko.actor.typed.Behavior<Object> turn(
      Behavior<ActorRef<Object>> behavior, Object message, PekkoSelf self) {
    try {
      return behavior.receive(message, self) == Next.CONTINUE
          ? Behaviors.same()
          : Behaviors.stopped();
    } catch (Exception failure) {
      onFailure.accept(failure);
      return Behaviors.stopped();
    }
  }

  private record SpawnOrder(
      Behavior<ActorRef<Object>> behavior, CompletableFuture<ActorRef<Object>> spawned) {}

  private record PekkoRequest(Object payload, ActorRef<Object> asker) implements Request {}

  private final class PekkoSelf implements Self<ActorRef<Object>> {
    private final ActorContext<Object> context;

    PekkoSelf(ActorContext<Object> context) {
      this.context = context;
    }

    @Override
    public ActorRef<Object> address() {
      return context.getSelf();
    }

    @Override
    public ActorRef<Object> spawn(Behavior<ActorRef<Object>> behavior) {
      return context.spawnAnonymous(adapt(behavior));
    }

    @Override
    public void send(ActorRef<Object> receiver, Object message) {
      receiver.tell(message);
    }

    @Override
    public void ask(ActorRef<Object> server, Object payload) {
      context.ask(
          Object.class,
          server,
          ASK_TIMEOUT,
          (ActorRef<Object> asker) -> new PekkoRequest(payload, asker),
          (answer, failure) -> {
            if (failure != null) {
              onFailure.accept(failure);
            }
            return new Answer(answer);
          });
    }

    @Override
    public void reply(Request request, Object answer) {
      ((PekkoRequest) request).asker.tell(answer);
    }
  }
}
