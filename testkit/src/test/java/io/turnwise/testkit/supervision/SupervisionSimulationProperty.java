package io.turnwise.testkit.supervision;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.Call;
import io.turnwise.CallException;
import io.turnwise.Context;
import io.turnwise.Signal;
import io.turnwise.StopReason;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.supervision.Backoff;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.FailureAction;
import io.turnwise.supervision.Recovery;
import io.turnwise.supervision.RestartLimit;
import io.turnwise.supervision.RestartType;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorRequest;
import io.turnwise.supervision.SupervisorSpec;
import io.turnwise.testkit.junit.SimulationTest;
import io.turnwise.testkit.simulation.Outcome;
import io.turnwise.testkit.simulation.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Supervisors of every shape under many seeds: children that crash in every method, hang, finish,
 * are stopped and killed while they start, wait or stop; supervisors that are told, crash and are
 * killed meanwhile; senders that go on sending numbered messages to all of them.
 *
 * <p>In each run: no instance has a turn once another of its name was made; each sender's messages
 * come in order and none twice, from life to life; no answer to a former life's call arrives, and
 * no news of a child that a former life had, also where children link themselves to others; who
 * watches is told once, at the last end, after which there are no turns; who lives answers in the
 * end; and under a supervisor that has ended nobody lives. The simulation itself checks that every
 * message was handled, failed or is a dead letter.
 *
 * <p>{@code -Dturnwise.simulation.seeds=10000} runs so many for each strategy.
 */
class SupervisionSimulationProperty {
  private static final int SEEDS = 400;
  private static final int SENDERS = 3;

  private sealed interface Message {}

  private record Numbered(int sender, int number) implements Message {}

  /** The answer to a call that an instance made. */
  private record Answer(Worker asked) implements Message {}

  private record Ping() implements Message, Call<Message, Integer> {}

  private record Echo() implements Call<Echo, Integer> {}

  @BeforeAll
  static void quietLog() {
    Family.quietLog(true);
  }

  @AfterAll
  static void loudLog() {
    Family.quietLog(false);
  }

  /** What happens, drawn; and what has, noted. */
  private static final class World {
    final SplittableRandom random;
    final Map<String, Worker> current = new HashMap<>();
    final Map<List<Object>, Integer> last = new HashMap<>();
    final Map<ActorRef<?>, Integer> told = new HashMap<>();
    final List<String> wrong = new ArrayList<>();
    final List<ActorRef<Message>> workers = new ArrayList<>();

    /** Which instance has a plain child. */
    final Map<ActorRef<?>, Worker> parents = new HashMap<>();

    ActorRef<Echo> echo;

    /** Until when things go wrong. */
    boolean calm;

    World(long seed) {
      random = new SplittableRandom(seed);
    }

    /** There is one at least: who asks. */
    ActorRef<Message> anyWorker() {
      return workers.get(random.nextInt(workers.size()));
    }

    boolean draws(int oneOf) {
      return !calm && random.nextInt(oneOf) == 0;
    }

    void pause(int mostMillis) {
      if (!calm) LockSupport.parkNanos(1_000_000L * random.nextInt(mostMillis));
    }

    void check(boolean holds, String what) {
      if (!holds) wrong.add(what);
    }
  }

  private static final class Worker implements Actor<Message> {
    private final World world;
    private final String name;
    private final boolean retried;
    private boolean up;

    Worker(World world, String name, boolean retried) {
      this.world = world;
      this.name = name;
      this.retried = retried;
      if (world.draws(16)) throw new IllegalStateException("in the constructor");
      world.current.put(name, this);
    }

    private void checkAlone(String where) {
      world.check(world.current.get(name) == this, name + ": two instances, in " + where);
    }

    @Override
    public void init(Context<Message> context) {
      checkAlone("init");
      if (world.draws(8)) world.pause(100);
      if (world.draws(8)) throw new IllegalStateException("in init");
      checkAlone("init");
      up = true;
    }

    @Override
    public void receive(Message message, Context<Message> context) {
      checkAlone("receive");
      world.check(up, name + ": a turn before init");
      world.check(!world.told.containsKey(context.self()), name + ": a turn after its end");
      switch (message) {
        case Numbered numbered -> handle(numbered, context);
        case Answer(Worker asked) ->
            world.check(asked == this, name + ": an answer to a former life");
        case Ping ping -> context.reply(ping, 1);
      }
      checkAlone("receive");
    }

    private void handle(Numbered message, Context<Message> context) {
      List<Object> pair = List.of(message.sender, context.self());
      int before = world.last.getOrDefault(pair, 0);
      boolean again = retried && message.number == before; // it may have failed afterwards
      world.check(
          message.number > before || again, pair + ": " + message.number + " after " + before);
      world.last.put(pair, message.number);
      switch (world.calm ? 0 : world.random.nextInt(16)) {
        case 1, 2 -> throw new IllegalStateException("drawn");
        case 3 -> throw new IllegalArgumentException("drawn");
        case 4 -> context.stop();
        case 5 -> context.self().stop();
        case 6 -> world.pause(100);
        case 7 -> {
          context.self().stop();
          throw new IllegalStateException("drawn");
        }
        case 8, 9 -> context.callToSelf(world.echo, new Echo(), _ -> new Answer(this));
        case 10 -> context.self().kill();
        case 11 -> {
          ActorRef<Message> other = world.anyWorker();
          if (other != context.self()) context.link(other);
        }
        case 12 -> {
          ActorRef<Message> other = world.anyWorker();
          if (world.draws(2)) context.unlink(other);
          else world.parents.put(context.spawn(BadChild::new), this);
        }
        default -> {
          // handled
        }
      }
    }

    @Override
    public void info(Signal signal, Context<Message> context) {
      checkAlone("info");
      if (signal instanceof Signal.ChildCrashed)
        world.check(world.parents.get(signal.actor()) == this, name + ": a child of a former life");
    }

    @Override
    public void teardown(StopReason reason, Context<Message> context) {
      checkAlone("teardown");
      if (world.draws(8)) world.pause(100);
      if (world.draws(8)) throw new IllegalStateException("in teardown");
      checkAlone("teardown");
    }
  }

  /** Ends badly, one way or the other, and needs nobody for it. */
  private static final class BadChild implements Actor<Message> {
    @Override
    public void init(Context<Message> context) {
      context.timers().once("end", Duration.ofMillis(20), new Ping());
    }

    @Override
    public void receive(Message message, Context<Message> context) {
      throw new IllegalStateException("a plain child");
    }

    @Override
    public void teardown(StopReason reason, Context<Message> context) {
      throw new IllegalStateException("in the teardown of a plain child");
    }
  }

  private static final class Watcher implements Actor<ActorRef<?>> {
    private final World world;

    Watcher(World world) {
      this.world = world;
    }

    @Override
    public void receive(ActorRef<?> target, Context<ActorRef<?>> context) {
      context.watch(target);
    }

    @Override
    public void info(Signal signal, Context<ActorRef<?>> context) {
      if (signal instanceof Signal.Terminated) world.told.merge(signal.actor(), 1, Integer::sum);
    }
  }

  @SimulationTest(seeds = SEEDS)
  void oneForOne(Simulation simulation) throws Exception {
    storm(simulation, SupervisorSpec.oneForOne());
  }

  @SimulationTest(seeds = SEEDS)
  void oneForAll(Simulation simulation) throws Exception {
    storm(simulation, SupervisorSpec.oneForAll());
  }

  @SimulationTest(seeds = SEEDS)
  void restForOne(Simulation simulation) throws Exception {
    storm(simulation, SupervisorSpec.restForOne());
  }

  @SimulationTest(seeds = SEEDS / 4)
  void graphOfOne(Simulation simulation) throws Exception {
    storm(simulation, SupervisorSpec.graph(Recovery.ONE));
  }

  @SimulationTest(seeds = SEEDS / 4)
  void graphUpstream(Simulation simulation) throws Exception {
    storm(simulation, SupervisorSpec.graph(Recovery.UPSTREAM));
  }

  @SimulationTest(seeds = SEEDS / 4)
  void graphDownstream(Simulation simulation) throws Exception {
    storm(simulation, SupervisorSpec.graph(Recovery.DOWNSTREAM));
  }

  @SimulationTest(seeds = SEEDS / 4)
  void graphOfAll(Simulation simulation) throws Exception {
    storm(simulation, SupervisorSpec.graph(Recovery.ALL));
  }

  @SimulationTest(seeds = SEEDS)
  void dynamic(Simulation simulation) throws Exception {
    storm(simulation, SupervisorSpec.dynamic());
  }

  /**
   * Children that crash as soon as they are up. A child that is told to start when the close has
   * begun does not, and nobody waits for it: in that case it would be for its stop's deadline.
   */
  @Test
  void aCloseInTheMiddleOfRestartsWaitsForNobody() {
    for (int seed = 1; seed <= SEEDS; seed++) {
      Outcome outcome =
          Simulation.run(
              seed,
              simulation -> {
                SupervisorSpec spec = SupervisorSpec.oneForAll().withLimit(RestartLimit.NONE);
                for (int i = 0; i < 3; i++) {
                  ChildSpec<String> child = ChildSpec.of("c" + i, Crasher::new);
                  Backoff delay = Backoff.constant(Duration.ofNanos(5_000));
                  spec = spec.withChild(i == 0 ? child : child.withBackoff(delay));
                }
                Supervisor.start(simulation.system(), "storm", spec);
                simulation.closesInTheMiddle();
                simulation.sleep(Duration.ofNanos(10_000 + simulation.seed() * 100));
              });
      assertThat(outcome.time()).as("seed %d", seed).isLessThan(Duration.ofSeconds(1));
    }
  }

  private static final class Crasher implements Actor<String> {
    @Override
    public void init(Context<String> context) {
      context.self().cast("crash");
    }

    @Override
    public void receive(String message, Context<String> context) {
      throw new IllegalStateException("at once");
    }
  }

  private static ChildSpec<Message> childSpec(World world, String name, boolean graph, int index) {
    boolean retried = world.draws(4);
    ActorSpec<Message> actor = ActorSpec.of(() -> new Worker(world, name, retried));
    if (world.draws(4))
      actor = actor.withMailbox(MailboxConfig.bounded(8, OverflowPolicy.DROP_NEWEST));
    ChildSpec<Message> spec = ChildSpec.of(name, actor);
    RestartType[] types = RestartType.values();
    if (world.draws(2)) spec = spec.withRestart(types[world.random.nextInt(types.length)]);
    if (retried) spec = spec.withTries(2 + world.random.nextInt(2));
    if (world.draws(2))
      spec = spec.withBackoff(Backoff.exponential(Duration.ofMillis(20)).withJitter(0.5));
    switch (world.random.nextInt(4)) {
      case 0 -> spec = spec.withStopDeadline(Duration.ZERO);
      case 1 -> spec = spec.withStopDeadline(Duration.ofMillis(30));
      default -> {
        // as it is
      }
    }
    FailureAction[] actions = FailureAction.values();
    if (world.draws(2))
      spec =
          spec.withAction(
              IllegalArgumentException.class, actions[world.random.nextInt(actions.length)]);
    if (graph && index > 0 && !world.draws(3))
      spec = spec.withDependsOn("w" + world.random.nextInt(index));
    return spec;
  }

  private static void storm(Simulation simulation, SupervisorSpec shape) throws Exception {
    var world = new World(simulation.seed());
    simulation.mayDeadlock(); // a child in its turn calls nobody, but the echo may be slow
    world.echo =
        simulation.spawn(
            "echo",
            () ->
                (call, context) -> {
                  world.pause(40);
                  context.reply(call, 1);
                });
    ActorRef<ActorRef<?>> watcher = simulation.spawn("watcher", () -> new Watcher(world));
    boolean isDynamic = shape.shape() == SupervisorSpec.Shape.DYNAMIC;
    boolean isGraph = shape.shape() == SupervisorSpec.Shape.GRAPH;
    List<ChildSpec<?>> specs = new ArrayList<>();
    for (int i = 0; i < 4; i++) specs.add(childSpec(world, "w" + i, isGraph, i));
    SupervisorSpec middleSpec =
        shape
            .withLimit(
                world.draws(2)
                    ? RestartLimit.of(world.random.nextInt(4))
                    : new RestartLimit(8, Duration.ofMillis(200)))
            .withChildren(isDynamic && world.draws(2) ? List.of() : specs);
    ChildSpec<SupervisorRequest> middleChild = ChildSpec.supervisor("middle", middleSpec);
    if (world.draws(2))
      middleChild = middleChild.withBackoff(Backoff.constant(Duration.ofMillis(30)));
    Supervisor top =
        Supervisor.start(
            simulation.system(),
            "top",
            SupervisorSpec.oneForOne().withLimit(RestartLimit.NONE).withChild(middleChild));
    Supervisor middle = Supervisor.at(top.child(middleChild));
    List<ActorRef<Message>> workers = world.workers;
    List<CompletableFuture<StopReason>> ends = new ArrayList<>();
    for (ChildSpec<?> spec : specs) {
      ActorRef<Message> worker = find(middle, spec);
      if (worker != null) meet(worker, workers, ends, watcher);
    }
    if (world.draws(2)) simulation.mayCrash(middle.actor());
    if (world.draws(3)) simulation.mayBeKilled(middle.actor());
    if (!workers.isEmpty() && world.draws(2)) {
      ActorRef<Message> unlucky = workers.get(world.random.nextInt(workers.size()));
      if (world.draws(2)) simulation.mayCrash(unlucky);
      else simulation.mayBeKilled(unlucky);
    }
    List<ActorRef<String>> senders = new ArrayList<>();
    for (int i = 0; i < SENDERS; i++) {
      int own = i;
      ActorRef<String> sender =
          simulation.spawn("sender" + i, () -> (_, _) -> send(world, own, workers));
      senders.add(sender);
      sender.cast("go");
    }
    for (int i = world.random.nextInt(6); i > 0; i--) {
      Thread.sleep(world.random.nextInt(60));
      meddle(world, simulation, top, middle, specs, workers, ends, watcher);
    }
    Thread.sleep(1_000);
    world.calm = true;
    simulation.sleep(Duration.ofSeconds(60));
    assertThat(world.wrong).isEmpty();
    boolean over = top.whenStopped().toCompletableFuture().isDone();
    if (over) {
      // the test, the echo, the watcher and the senders
      assertThat(simulation.system().snapshot().actorsLive()).isEqualTo(3 + SENDERS);
      assertThat(ends).allMatch(CompletableFuture::isDone);
    }
    for (int i = 0; i < workers.size(); i++) {
      if (!ends.get(i).isDone()) answers(simulation, workers.get(i), ends.get(i));
      // Who is linked to one that the simulation kills now ends now; its watcher hears of it soon.
      simulation.sleep(Duration.ofSeconds(1));
      assertThat(world.told.getOrDefault(workers.get(i), 0))
          .as("told of the end of %s", workers.get(i))
          .isEqualTo(ends.get(i).isDone() ? 1 : 0);
    }
    assertThat(world.wrong).isEmpty();
  }

  private static void meet(
      ActorRef<Message> worker,
      List<ActorRef<Message>> workers,
      List<CompletableFuture<StopReason>> ends,
      ActorRef<ActorRef<?>> watcher) {
    if (workers.contains(worker)) return;
    workers.add(worker);
    ends.add(worker.whenStopped().toCompletableFuture());
    watcher.cast(worker);
  }

  @SuppressWarnings("unchecked") // made from specs of such actors
  private static ActorRef<Message> find(Supervisor middle, ChildSpec<?> spec) {
    return (ActorRef<Message>) middle.child(spec.name()).orElse(null);
  }

  private static void send(World world, int own, List<ActorRef<Message>> workers) {
    Map<ActorRef<Message>, Integer> numbers = new HashMap<>();
    for (int i = 0; i < 24; i++) {
      if (workers.isEmpty()) return;
      ActorRef<Message> to = workers.get(world.random.nextInt(workers.size()));
      to.cast(new Numbered(own, numbers.merge(to, 1, Integer::sum)));
      if (world.draws(3)) world.pause(30);
    }
  }

  /** The supervisors are told something. */
  private static void meddle(
      World world,
      Simulation simulation,
      Supervisor top,
      Supervisor middle,
      List<ChildSpec<?>> specs,
      List<ActorRef<Message>> workers,
      List<CompletableFuture<StopReason>> ends,
      ActorRef<ActorRef<?>> watcher) {
    ChildSpec<?> spec = specs.get(world.random.nextInt(specs.size()));
    ActorRef<Message> worker =
        workers.isEmpty() ? null : workers.get(world.random.nextInt(workers.size()));
    switch (world.random.nextInt(15)) {
      case 0, 1 -> {
        if (worker != null)
          middle.actor().callAsync(new SupervisorRequest.Stop(worker, world.draws(2)));
      }
      case 2, 3 -> middle.actor().callAsync(new SupervisorRequest.Restart(spec.name()));
      case 4 -> {
        if (worker != null) middle.actor().callAsync(new SupervisorRequest.CancelRestarts(worker));
      }
      case 5, 6 -> middle.actor().callAsync(new SupervisorRequest.Start(spec));
      case 7 -> middle.actor().kill();
      case 8 -> middle.actor().stop();
      case 9 -> {
        if (worker != null) worker.kill();
      }
      case 10 -> {
        if (worker != null) worker.stop();
      }
      case 11 -> {
        if (worker != null) worker.stopAfterDrain();
      }
      case 13 -> {
        if (worker != null) middle.actor().callAsync(new SupervisorRequest.Renew(worker));
      }
      case 12 -> {
        if (world.draws(3)) top.stop();
        else if (world.draws(3)) top.actor().kill();
        else top.actor().callAsync(new SupervisorRequest.Restart("middle"));
      }
      default -> {
        try {
          ActorRef<Message> found = find(middle, spec);
          if (found != null) meet(found, workers, ends, watcher);
        } catch (CallException e) {
          // it is down, or gone
        }
      }
    }
  }

  /** One that lives answers: it may be hit by what the simulation had in store, not for ever. */
  private static void answers(
      Simulation simulation, ActorRef<Message> worker, CompletableFuture<StopReason> end)
      throws InterruptedException {
    CallException last = null;
    for (int i = 0; i < 8 && !end.isDone(); i++) {
      try {
        assertThat(worker.call(new Ping(), Duration.ofSeconds(10))).isEqualTo(1);
        return;
      } catch (CallException e) {
        last = e;
        simulation.sleep(Duration.ofSeconds(10));
      }
    }
    if (!end.isDone())
      throw new AssertionError(
          worker.path() + " lives and does not answer\n" + simulation.system().tree(), last);
  }
}
