package io.turnwise.faults.simulation;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.Call;
import io.turnwise.CallTimeoutException;
import io.turnwise.Context;
import io.turnwise.testkit.simulation.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Twenty-four hours of a plant: sensors that wake up twice a minute and report, clients that call a
 * server which sometimes takes too long, one that backs off from a dead service, and jobs at their
 * hour. Nobody may wake up early, no timeout may strike early, and each job runs once.
 */
final class Day {
  private static final Duration LENGTH = Duration.ofDays(1);
  private static final int SENSORS = 60;
  private static final int CLIENTS = 12;
  private static final int JOBS = 24;
  private static final int JOB_STEPS = 1_000;
  private static final Duration TIMEOUT = Duration.ofSeconds(1);

  private record Ask(boolean inTime) implements Call<Ask, String> {}

  private final SplittableRandom random;
  private final List<String> wrong = new ArrayList<>();
  private long habits;
  private long wakeUps;
  private long reports;
  private long readings;
  private long asked;
  private long answers;
  private long timeouts;
  private long tries;
  private long jobs;
  private long jobSteps;

  Day(long seed) {
    random = new SplittableRandom(seed);
  }

  /** Messages handled, sleeps that were over, and calls that ended. */
  long events() {
    return habits + wakeUps + readings + asked + answers + timeouts + tries + jobSteps;
  }

  void live(Simulation simulation) throws Exception {
    ActorRef<Integer> log = simulation.spawn("log", () -> (_, _) -> readings++);
    for (int i = 0; i < SENSORS; i++) {
      Duration pause = Duration.ofSeconds(30).plusMillis(random.nextInt(1_000) - 500);
      begin(
          simulation,
          "sensor" + i,
          () -> {
            sleep(simulation, pause);
            reports++;
            log.cast(1);
          });
    }
    for (int i = 0; i < CLIENTS; i++) client(simulation, "client" + i);
    backOff(simulation);
    for (int i = 0; i < JOBS; i++) job(simulation, i);
    simulation.sleep(LENGTH.plusMinutes(1));
    if (jobs != JOBS) wrong.add(jobs + " jobs have run");
    if (jobSteps != (long) JOBS * JOB_STEPS) wrong.add(jobSteps + " steps of jobs");
    if (tries < 20 || tries > 40) wrong.add(tries + " tries with backoff");
    if (asked != answers + timeouts) wrong.add(asked + " asked: some call has not ended");
    if (readings != reports) wrong.add(reports + " reports, and " + readings + " arrived");
    if (timeouts == 0 || answers == 0) wrong.add(answers + " answers, " + timeouts + " timeouts");
    if (!wrong.isEmpty()) throw new AssertionError(wrong);
  }

  /** What an actor does again and again, until the day is over. */
  @FunctionalInterface
  private interface Habit {
    void once() throws Exception;
  }

  private void begin(Simulation simulation, String name, Habit habit) {
    Actor<String> actor =
        (message, context) -> {
          habits++;
          habit.once();
          if (simulation.time().compareTo(LENGTH) < 0) context.self().cast(message);
        };
    simulation.<String>spawn(name, () -> actor).cast("again");
  }

  private void sleep(Simulation simulation, Duration pause) throws InterruptedException {
    Duration until = simulation.time().plus(pause);
    Thread.sleep(pause);
    wakeUps++;
    if (simulation.time().compareTo(until) < 0)
      wrong.add("awake at " + simulation.time() + " and not at " + until);
  }

  /** Calls a server of its own every ten seconds or so; one call in ten takes too long. */
  private void client(Simulation simulation, String name) {
    ActorRef<Ask> server = simulation.spawn(name + "-server", () -> this::answer);
    begin(
        simulation,
        name,
        () -> {
          sleep(simulation, Duration.ofSeconds(9));
          boolean inTime = random.nextInt(10) != 0;
          Duration began = simulation.time();
          try {
            server.call(new Ask(inTime), TIMEOUT);
            answers++;
            if (!inTime) wrong.add("answered after " + simulation.time().minus(began));
          } catch (CallTimeoutException late) {
            timeouts++;
            if (inTime) wrong.add("timed out, and was to be answered");
            if (simulation.time().minus(began).compareTo(TIMEOUT) < 0)
              wrong.add("timed out after " + simulation.time().minus(began));
          }
        });
  }

  private void answer(Ask ask, Context<Ask> context) throws InterruptedException {
    asked++;
    Thread.sleep(ask.inTime() ? 500 : 2_000);
    wakeUps++;
    context.reply(ask, "done");
  }

  /** Asks a service that never answers, at last once an hour. */
  private void backOff(Simulation simulation) {
    ActorRef<Ask> silent = simulation.spawn("silent", () -> (ask, context) -> context.defer(ask));
    long[] pause = {1};
    begin(
        simulation,
        "patient",
        () -> {
          tries++;
          try {
            silent.call(new Ask(false), TIMEOUT);
          } catch (CallTimeoutException asExpected) {
            sleep(simulation, Duration.ofSeconds(pause[0]));
            pause[0] = Math.min(2 * pause[0], 3_600);
          }
        });
  }

  /** At a moment of its hour, once; does its work by messages to itself. */
  private void job(Simulation simulation, int hour) {
    Duration at = Duration.ofHours(hour).plusSeconds(random.nextInt(3_600));
    Actor<Integer> worker =
        (left, context) -> {
          if (left == JOB_STEPS) {
            sleep(simulation, at);
            jobs++;
          }
          if (left == 0) return;
          jobSteps++;
          context.self().cast(left - 1);
        };
    simulation.<Integer>spawn("job" + hour, () -> worker).cast(JOB_STEPS);
  }
}
