package io.turnwise.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.Call;
import io.turnwise.Context;
import io.turnwise.weaving.Safepoint;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** Mistakes as people make them, each found within a thousand seeds and told in a few steps. */
class PlantedDefectsTest {
  private static final int SEEDS = 1_000;
  private static final int STEPS = 20;

  /** The failure of the first seed that fails. */
  private static SimulationFailure find(Simulation.Body body) {
    for (int seed = 1; seed <= SEEDS; seed++) {
      try {
        Simulation.run(seed, body);
      } catch (SimulationFailure found) {
        assertThat(found.story().lines()).as(found.getMessage()).hasSizeLessThan(STEPS);
        assertThat(repeats(found, body)).as("it fails again").isTrue();
        return found;
      }
    }
    throw new AssertionError("not found with " + SEEDS + " seeds");
  }

  private static boolean repeats(SimulationFailure found, Simulation.Body body) {
    var again = new Strategy.Replay(found.outcome().schedule());
    try {
      var plan = SimulationPlan.DEFAULT.withStrategy(again).withShrinks(false);
      Simulation.run(plan, found.outcome().seed(), body);
      return false;
    } catch (SimulationFailure same) {
      return same.outcome().hash() == found.outcome().hash();
    }
  }

  private static void require(boolean holds, String what) {
    if (!holds) throw new AssertionError(what);
  }

  // ---- a number that actors read and write -----------------------------------------------------

  private sealed interface Number {}

  private record Get() implements Number, Call<Number, Integer> {}

  private record Set(int value) implements Number {}

  private static final class Register implements Actor<Number> {
    private int value;

    @Override
    public void receive(Number message, Context<Number> context) {
      switch (message) {
        case Get get -> context.reply(get, value);
        case Set(int next) -> value = next;
      }
    }
  }

  @Test
  void anUpdateThatIsReadInOneCallAndWrittenInAnotherIsLost() {
    SimulationFailure found =
        find(
            simulation -> {
              ActorRef<Number> register = simulation.spawn("register", Register::new);
              for (String name : List.of("left", "right"))
                simulation
                    .<String>spawn(
                        name, () -> (_, _) -> register.cast(new Set(register.call(new Get()) + 1)))
                    .cast("add one");
              simulation.sleep(Duration.ofSeconds(1));
              require(register.call(new Get()) == 2, "an update is lost");
            });
    assertThat(found).hasMessageContaining("an update is lost");
  }

  @Test
  void whatWasCheckedInOneCallIsNoLongerTrueInTheNext() {
    SimulationFailure found =
        find(
            simulation -> {
              ActorRef<Number> seats = simulation.spawn("seats", Register::new);
              seats.cast(new Set(1));
              for (String name : List.of("ann", "bob"))
                simulation
                    .<String>spawn(
                        name,
                        () ->
                            (_, _) -> {
                              int free = seats.call(new Get());
                              if (free > 0) {
                                seats.cast(new Set(seats.call(new Get()) - 1));
                              }
                            })
                    .cast("book");
              simulation.sleep(Duration.ofSeconds(1));
              require(seats.call(new Get()) >= 0, "booked twice");
            });
    assertThat(found).hasMessageContaining("booked twice");
  }

  // ---- calls that cross
  // --------------------------------------------------------------------------

  private sealed interface Talk {}

  private record Ask() implements Talk, Call<Talk, String> {}

  private record Meet(ActorRef<Talk> other) implements Talk {}

  private static final class Partner implements Actor<Talk> {
    @Override
    public void receive(Talk message, Context<Talk> context) {
      switch (message) {
        case Ask ask -> context.reply(ask, "here");
        case Meet(ActorRef<Talk> other) -> other.call(new Ask());
      }
    }
  }

  @Test
  void twoCallsThatCrossWaitForEachOther() {
    SimulationFailure found =
        find(
            simulation -> {
              ActorRef<Talk> left = simulation.spawn("left", Partner::new);
              ActorRef<Talk> right = simulation.spawn("right", Partner::new);
              left.cast(new Meet(right));
              right.cast(new Meet(left));
              simulation.sleep(Duration.ofMinutes(1));
            });
    assertThat(found)
        .hasMessageContaining("[SIMULATION-DEADLOCK]")
        .hasMessageContaining("/simulation/left waits since turn ")
        .hasMessageContaining(" for the answer of /simulation/right");
  }

  // ---- memory that two share
  // ---------------------------------------------------------------------

  private static int shared;

  @Test
  void aStaticThatTwoActorsChangeLosesAChangeWhereATurnIsStopped() {
    SimulationFailure found =
        find(
            simulation -> {
              shared = 0;
              for (String name : List.of("left", "right"))
                simulation
                    .<String>spawn(
                        name,
                        () ->
                            (_, _) -> {
                              int seen = shared;
                              Safepoint.poll();
                              shared = seen + 1;
                            })
                    .cast("add one");
              simulation.sleep(Duration.ofSeconds(1));
              require(shared == 2, "a change is lost");
            });
    assertThat(found.story()).contains("is stopped in the middle of its turn");
  }

  /** A copy of how a worker goes to sleep that does not look once more after saying so. */
  private static final class ForgetfulQueue {
    private final Queue<String> tasks = new ArrayDeque<>();
    private boolean sleeping;
    private int done;

    void push(String task) {
      tasks.add(task);
      Safepoint.poll();
      if (sleeping) sleeping = false;
    }

    void work() {
      for (; ; ) {
        while (tasks.poll() != null) done++;
        Safepoint.poll(); // a push here finds nobody asleep
        sleeping = true;
        return;
      }
    }
  }

  @Test
  void aWorkerThatDoesNotLookOnceMoreBeforeItSleepsMissesItsWakeUp() {
    SimulationFailure found =
        find(
            simulation -> {
              var queue = new ForgetfulQueue();
              simulation.<String>spawn("worker", () -> (_, _) -> queue.work()).cast("work");
              simulation.<String>spawn("pusher", () -> (m, _) -> queue.push(m)).cast("task");
              simulation.sleep(Duration.ofSeconds(1));
              require(!(queue.sleeping && !queue.tasks.isEmpty()), "it sleeps and has work");
            });
    assertThat(found).hasMessageContaining("it sleeps and has work");
  }

  // ---- what is left behind
  // -----------------------------------------------------------------------

  private sealed interface Job {}

  private record Work(int number) implements Job {}

  private record Open() implements Job {}

  private record Leave() implements Job {}

  /** Puts aside what comes before it is open, and forgets that when it leaves. */
  private static final class Shop implements Actor<Job> {
    private final List<Integer> done;
    private final List<Work> aside = new ArrayList<>();
    private boolean open;

    Shop(List<Integer> done) {
      this.done = done;
    }

    @Override
    public void receive(Job job, Context<Job> context) {
      switch (job) {
        case Work work -> {
          if (open) done.add(work.number());
          else aside.add(work);
        }
        case Open _ -> {
          open = true;
          aside.forEach(work -> done.add(work.number()));
          aside.clear();
        }
        case Leave _ -> context.stop();
      }
    }
  }

  @Test
  void whatAnActorPutAsideIsLostWhenItStops() {
    SimulationFailure found =
        find(
            simulation -> {
              List<Integer> done = new ArrayList<>();
              List<Object> dead = new ArrayList<>();
              simulation.system().onDeadLetter(letter -> dead.add(letter.message()));
              ActorRef<Job> shop = simulation.spawn("shop", () -> new Shop(done));
              List<Job> jobs = List.of(new Work(1), new Open(), new Leave());
              for (Job job : jobs)
                simulation
                    .<String>spawn(
                        "sends" + job.getClass().getSimpleName(), () -> (_, _) -> shop.cast(job))
                    .cast("go");
              simulation.sleep(Duration.ofSeconds(1));
              require(
                  !done.isEmpty() || dead.contains(new Work(1)),
                  "the work is neither done nor a dead letter");
            });
    assertThat(found).hasMessageContaining("neither done nor a dead letter");
  }

  // ---- timeouts and cancels that come late
  // -------------------------------------------------------

  private sealed interface Event {}

  private record Request(int number) implements Event {}

  private record Answer(int number) implements Event {}

  private record Timeout() implements Event {}

  /** Waits for an answer with a timeout of its own, and does not say which question that is for. */
  private static final class Asker implements Actor<Event> {
    private final ActorRef<Integer> server;
    private final List<String> log;
    private int open;

    Asker(ActorRef<Integer> server, List<String> log) {
      this.server = server;
      this.log = log;
    }

    @Override
    public void receive(Event event, Context<Event> context) {
      switch (event) {
        case Request(int number) -> {
          open = number;
          server.cast(number);
          ActorRef<Event> self = context.self();
          Thread.startVirtualThread(() -> self.cast(new Timeout()));
        }
        case Answer(int number) -> {
          log.add("answer " + number);
          open = 0;
        }
        case Timeout _ -> {
          if (open != 0) log.add("timeout " + open);
          open = 0;
        }
      }
    }
  }

  @Test
  void aTimeoutThatComesAfterItsAnswerStrikesTheNextQuestion() {
    SimulationFailure found =
        find(
            simulation -> {
              List<String> log = new ArrayList<>();
              List<ActorRef<Event>> asker = new ArrayList<>();
              ActorRef<Integer> server =
                  simulation.spawn(
                      "server", () -> (number, _) -> asker.getFirst().cast(new Answer(number)));
              asker.add(simulation.spawn("asker", () -> new Asker(server, log)));
              asker.getFirst().cast(new Request(1));
              asker.getFirst().cast(new Request(2));
              simulation.sleep(Duration.ofSeconds(1));
              require(
                  !(log.contains("answer 1")
                      && log.contains("timeout 2")
                      && log.contains("answer 2")),
                  "the second question has an answer and a timeout: " + log);
            });
    assertThat(found).hasMessageContaining("an answer and a timeout");
  }

  private sealed interface Task {}

  private record Begin(String name) implements Task {}

  private record Cancel() implements Task {}

  /** Its cancel does not say what it cancels. */
  private static final class Runner implements Actor<Task> {
    private final List<String> cancelled;
    private String current = "";

    Runner(List<String> cancelled) {
      this.cancelled = cancelled;
    }

    @Override
    public void receive(Task task, Context<Task> context) {
      switch (task) {
        case Begin(String name) -> current = name;
        case Cancel _ -> cancelled.add(current);
      }
    }
  }

  @Test
  void aCancelThatComesLateHitsTheNextMessage() {
    SimulationFailure found =
        find(
            simulation -> {
              List<String> cancelled = new ArrayList<>();
              ActorRef<Task> runner = simulation.spawn("runner", () -> new Runner(cancelled));
              runner.cast(new Begin("first"));
              simulation
                  .<String>spawn("clock", () -> (_, _) -> runner.cast(new Cancel()))
                  .cast("go");
              simulation
                  .<String>spawn("client", () -> (_, _) -> runner.cast(new Begin("second")))
                  .cast("go");
              simulation.sleep(Duration.ofSeconds(1));
              require(cancelled.equals(List.of("first")), "cancelled: " + cancelled);
            });
    assertThat(found).hasMessageContaining("cancelled: [second]");
  }
}
