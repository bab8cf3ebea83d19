package io.turnwise.benchmarks.workload;

import static io.turnwise.benchmarks.peer.Ability.BLOCKING_ACTORS;
import static io.turnwise.benchmarks.peer.Ability.INSPECTION;
import static io.turnwise.benchmarks.peer.Ability.KILL;
import static io.turnwise.benchmarks.peer.Ability.OUTSIDE_THREADS;
import static io.turnwise.benchmarks.peer.Ability.PRIORITIES;
import static io.turnwise.benchmarks.peer.Ability.SHARES;
import static io.turnwise.benchmarks.peer.Ability.TASKS;
import static io.turnwise.benchmarks.peer.Ability.TIMERS;
import static io.turnwise.benchmarks.workload.WorkloadSpec.Repetitions.ALSO_WITH_ONE_WORKER;
import static io.turnwise.benchmarks.workload.WorkloadSpec.Repetitions.IN_FRESH_PROCESSES;
import static io.turnwise.benchmarks.workload.WorkloadSpec.Repetitions.WITH_ONE_WORKER;

import io.turnwise.benchmarks.result.Bar;
import io.turnwise.benchmarks.result.Measurement;
import io.turnwise.benchmarks.result.Metric;
import io.turnwise.benchmarks.result.Row;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The catalogue: every workload by name, and the groups that stand for several of them. */
public final class Workloads {

  private static final Metric MESSAGES = Metric.rate("msgs/s");
  private static final Metric REQUESTS = Metric.rate("req/s");
  private static final Metric TASKS_PER_SECOND = Metric.rate("tasks/s");
  private static final Metric MILLIS = Metric.cost("ms");
  private static final Metric OFF = Metric.cost("% off");
  private static final String ERLANG = "Erlang";
  private static final String GO = "Go";

  /** What light actors may have to wait for, in the best of some repetitions, in nanoseconds. */
  private static final Bar[] LIGHT_ONES_WAIT = {
    Bar.ofOurs(Row.BEST, 100_000),
    Bar.ofOurs("best_p999", 500_000),
    Bar.ofOurs(Measurement.UNHANDLED, 0)
  };

  private static final String[] EVERY_PERCENTILE = {"p50", "p99", "p999", "max"};

  private static final List<WorkloadSpec> ALL =
      Stream.concat(general(), Arrays.stream(KillOf.Shape.values()).map(Workloads::killOf))
          .toList();

  private static final Map<String, List<WorkloadSpec>> GROUPS = groups();

  private Workloads() {}

  private static Stream<WorkloadSpec> general() {
    return Stream.of(
        ahead(
            WorkloadSpec.of(
                "pingpong", MESSAGES, new PingPong(), "two actors, one message in flight")),
        ahead(
            WorkloadSpec.of(
                "ring", Metric.rate("hops/s"), new Ring(), "a token around 1,000 actors")),
        ahead(WorkloadSpec.of("fanin-8", MESSAGES, new FanIn(8), "8 producers, one consumer")),
        ahead(WorkloadSpec.of("fanin-64", MESSAGES, new FanIn(64), "64 producers, one consumer")),
        WorkloadSpec.of(
                "ask-outside-seq",
                REQUESTS,
                new AskFromOutside(1),
                "a plain thread asks an actor, one at a time")
            .needing(OUTSIDE_THREADS)
            .leading(Row.VALUE),
        WorkloadSpec.of(
                "ask-outside-64",
                REQUESTS,
                new AskFromOutside(64),
                "a plain thread asks an actor, 64 in flight")
            .needing(OUTSIDE_THREADS)
            .leading(Row.VALUE),
        ahead(
            WorkloadSpec.of(
                "ask-actor-seq",
                REQUESTS,
                new AskFromActor(1, AskFromActor.Style.NATURAL),
                "an actor asks an actor, one at a time")),
        WorkloadSpec.of(
            "ask-actor-64",
            REQUESTS,
            new AskFromActor(64, AskFromActor.Style.NATURAL),
            "an actor asks an actor, 64 in flight"),
        WorkloadSpec.of(
                "ask-actor-blocking",
                REQUESTS,
                new AskFromActor(1, AskFromActor.Style.BLOCKING),
                "an actor asks an actor and waits in the middle of its message")
            .needing(BLOCKING_ACTORS)
            .leading(Row.VALUE),
        ahead(
            WorkloadSpec.of(
                "spawn",
                Metric.rate("actors/s"),
                new Spawn(),
                "an actor creates a million others, one message each; latencies: the create call")),
        WorkloadSpec.of(
                "idle-memory",
                Metric.cost("heap bytes/actor"),
                new IdleMemory(),
                "a million living actors that wait")
            .repeated(IN_FRESH_PROCESSES),
        WorkloadSpec.of(
                "tasks-outside",
                TASKS_PER_SECOND,
                new Tasks(Tasks.From.OUTSIDE),
                "tiny tasks from a plain thread; latencies: the submit call")
            .needing(TASKS, OUTSIDE_THREADS)
            .leading(Row.VALUE),
        WorkloadSpec.of(
                "tasks-inside",
                TASKS_PER_SECOND,
                new Tasks(Tasks.From.INSIDE),
                "tiny tasks from inside the pool; latencies: the submit call")
            .needing(TASKS)
            .leading(Row.VALUE),
        WorkloadSpec.of(
                "cpu-util",
                TASKS_PER_SECOND,
                new CpuUtilisation(),
                "10,000 actors compute fib(25): utilisation, and speed-up against one worker")
            .repeated(ALSO_WITH_ONE_WORKER)
            .asked(Bar.ofOurs("util", 0.99), Bar.ofOurs("speedup_vs_1", 1.95)),
        WorkloadSpec.of(
                "hogs",
                Metric.cost("ns"),
                new Hogs(Hogs.TWO_PER_CORE),
                "latency of 100 light actors beside endless loops, two for each core; value: p99")
            .repeated(IN_FRESH_PROCESSES)
            .asked(LIGHT_ONES_WAIT)
            .leading(EVERY_PERCENTILE),
        WorkloadSpec.of(
                "hogs-64", Metric.cost("ns"), new Hogs(64), "the same beside 64 endless loops")
            .repeated(IN_FRESH_PROCESSES)
            .asked(LIGHT_ONES_WAIT)
            .leading(EVERY_PERCENTILE),
        WorkloadSpec.of(
                "hogs-warm",
                Metric.cost("ns"),
                new Hogs(Hogs.TWO_PER_CORE),
                "hogs again and again in one process: the first rounds are the compilers'")
            .asked(LIGHT_ONES_WAIT)
            .leading(EVERY_PERCENTILE),
        WorkloadSpec.of(
                "hogs-64-warm", Metric.cost("ns"), new Hogs(64), "the same beside 64 endless loops")
            .asked(LIGHT_ONES_WAIT)
            .leading(EVERY_PERCENTILE),
        WorkloadSpec.of(
                "long-loop",
                Metric.cost("ns"),
                new LongRun(LongRun.Computation.LOOP),
                "on one worker, a ping every ms beside a loop of 1,000,000,000 rounds; value: p99")
            .repeated(WITH_ONE_WORKER)
            .asked(LIGHT_ONES_WAIT),
        WorkloadSpec.of(
                "long-primes",
                Metric.cost("ns"),
                new LongRun(LongRun.Computation.PRIMES),
                "on one worker, a ping every ms beside the primes below 1,000,000; value: p99")
            .repeated(WITH_ONE_WORKER)
            .asked(LIGHT_ONES_WAIT),
        WorkloadSpec.of(
                "fairness-hogs",
                Metric.rate("Jain"),
                new HogFairness(),
                "8 endless loops: how equal are their shares? Jain's index, 1 is equal")
            .repeated(IN_FRESH_PROCESSES)
            .asked(Bar.ofOurs(Row.VALUE, 0.99)),
        WorkloadSpec.of(
                "fairness-groups",
                OFF,
                new GroupShares(),
                "endless loops in groups of weight 1 : 2 : 4: the worst group's distance from its"
                    + " share")
            .needing(SHARES)
            .repeated(IN_FRESH_PROCESSES)
            .asked(Bar.ofOurs(Row.VALUE, 5)),
        ceiling(1),
        ceiling(4),
        WorkloadSpec.of(
                "fairness-quanta",
                OFF,
                new QuantumShares(),
                "endless loops with quanta of 5 and 20 ms: their distance from shares of 1 : 4")
            .needing(SHARES)
            .repeated(IN_FRESH_PROCESSES)
            .asked(Bar.ofOurs(Row.VALUE, 10)),
        flood(1),
        flood(4),
        WorkloadSpec.of(
                "anchor-erlang-busy",
                Metric.rate("worst/mean"),
                new BusyShares(BusyShares.Classes.EQUAL),
                "500 + 500 endless loops: the share of the worst served in the mean of its class")
            .asked(new Bar(ERLANG, 0.5, 0.9)),
        WorkloadSpec.of(
                "anchor-erlang-low",
                Metric.rate("worst/mean"),
                new BusyShares(BusyShares.Classes.NORMAL_AND_LOW),
                "the same, where the second 500 are to have an eighth of what the first have")
            .needing(PRIORITIES)
            .asked(
                new Bar(ERLANG, 0.5, 0.9), Bar.between(BusyShares.LOW_SHARE, ERLANG, 0.05, 0.25)),
        WorkloadSpec.of(
                "anchor-erlang-lock",
                MILLIS,
                new LockInversion(),
                "until a lock is free whose owner was stopped, beside two endless loops a core")
            .needing(BLOCKING_ACTORS, OUTSIDE_THREADS)
            .repeated(IN_FRESH_PROCESSES)
            .asked(Bar.mustEnd(ERLANG, 250)),
        WorkloadSpec.of(
                "anchor-erlang-inspect",
                MILLIS,
                new InspectionAmongLoops(),
                "until an endless loop is inspected and ended, beside two more a worker")
            .needing(KILL, INSPECTION)
            .asked(Bar.mustEnd(ERLANG, 100)),
        WorkloadSpec.of(
                "anchor-go-loops",
                MILLIS,
                new KillAmongLoops(),
                "until three kinds of endless loops, one of each a core, are ended")
            .needing(KILL)
            .asked(Bar.mustEnd(GO, 100)),
        WorkloadSpec.of(
                "anchor-go-token",
                Metric.cost("ms/hand-over"),
                new SpinningToken(2),
                "on one worker, two endless loops hand a token to each other by spinning")
            .repeated(WITH_ONE_WORKER)
            .asked(Bar.mustEnd(GO, 20)),
        WorkloadSpec.of(
                "anchor-go-timer",
                MILLIS,
                new TimerInAFlood(),
                "how late a signal after 20 ms is seen while two senders flood a third actor")
            .asked(Bar.mustEnd(GO, 1)),
        WorkloadSpec.of(
                "anchor-go-hog",
                Metric.cost("times"),
                new PingPongHog(),
                "on one worker, a pair that counts to a million a turn, and one to a thousand")
            .repeated(WITH_ONE_WORKER)
            .asked(new Bar(GO, 20, 5)),
        WorkloadSpec.of(
                "anchor-go-parallel",
                Metric.cost("ms/hand-over"),
                new SpinningToken(SpinningToken.ONE_PER_CORE),
                "as many endless loops as cores hand a token on by spinning: all run at once")
            .asked(Bar.mustEnd(GO, 20)),
        WorkloadSpec.of(
                "timers-churn",
                Metric.rate("ops/s"),
                new TimersChurn(),
                "a plain thread schedules a million timers and cancels them")
            .needing(TIMERS)
            .leading(Row.VALUE),
        WorkloadSpec.of(
                "timers-accuracy",
                Metric.cost("ns"),
                new TimersAccuracy(),
                "how late timers come, one every 200 µs; value: p99")
            .needing(TIMERS)
            .leading("p50", "p99"),
        ahead(
            WorkloadSpec.of(
                "skynet",
                MILLIS,
                new Skynet(),
                "a tree of 1,111,111 actors, sums from the leaves")),
        ahead(
            WorkloadSpec.of(
                "bank",
                Metric.rate("tx/s"),
                new Bank(Bank.Style.STASH),
                "transfers between 1,000 accounts, which put other messages aside meanwhile")),
        WorkloadSpec.of(
                "bank-blocking",
                Metric.rate("tx/s"),
                new Bank(Bank.Style.BLOCKING),
                "the same, written with a call that waits")
            .needing(BLOCKING_ACTORS),
        ahead(
            WorkloadSpec.of(
                "philosophers",
                Metric.rate("meals/s"),
                new Philosophers(),
                "20 philosophers and an arbiter who owns the forks")),
        ahead(
            WorkloadSpec.of(
                "sieve", MILLIS, new Sieve(), "primes below 20,000, one filter actor for each")),
        scaling(1_000),
        scaling(10_000),
        scaling(100_000),
        scaling(1_000_000));
  }

  /** Its value is to be better than any peer's. */
  private static WorkloadSpec ahead(WorkloadSpec workload) {
    return workload.leading(Row.VALUE);
  }

  private static WorkloadSpec killOf(KillOf.Shape shape) {
    return WorkloadSpec.of(
            "kill-" + shape.label(),
            Metric.cost("ns"),
            new KillOf(shape),
            "until a kill has ended " + shape.sentence() + "; value: p99")
        .needing(KILL)
        .asked(Bar.ofOurs(Row.VALUE, 20_000_000), Bar.ofOurs(KillOf.BESIDE_LOOPS_P99, 20_000_000));
  }

  private static WorkloadSpec flood(int actors) {
    return WorkloadSpec.of(
            "fairness-flood" + actors,
            Metric.cost("ns"),
            new Flood(actors),
            "latency of light actors beside " + actors + " with a deep mailbox; value: p99")
        .repeated(IN_FRESH_PROCESSES)
        .asked(Bar.ofOurs(Row.VALUE, actors == 1 ? 100_000 : 300_000));
  }

  private static WorkloadSpec ceiling(int loops) {
    return WorkloadSpec.of(
            "fairness-ceiling" + loops,
            OFF,
            new Ceiling(loops),
            "what a group of %d endless loops uses, alone, off the quarter it may use"
                .formatted(loops))
        .needing(SHARES)
        .repeated(IN_FRESH_PROCESSES)
        .asked(Bar.ofOurs(Row.VALUE, 5));
  }

  private static WorkloadSpec scaling(int actors) {
    return WorkloadSpec.of(
        "scaling-" + actors,
        Metric.cost("ns/msg"),
        new Scaling(actors),
        "1,000 tokens wander among %,d actors".formatted(actors));
  }

  private static Map<String, List<WorkloadSpec>> groups() {
    Map<String, List<WorkloadSpec>> groups = new LinkedHashMap<>();
    groups.put(
        "messaging",
        those(name -> Set.of("pingpong", "ring", "fanin-8", "fanin-64").contains(name)));
    groups.put("ask", those(name -> name.startsWith("ask-")));
    groups.put(
        "small",
        those(
            name ->
                name.startsWith("bank")
                    || Set.of("skynet", "philosophers", "sieve").contains(name)));
    groups.put("memory", those("idle-memory"::equals));
    groups.put("fairness", those(name -> name.startsWith("fairness-")));
    groups.put(
        "preemption",
        those(
            name ->
                name.startsWith("hogs")
                    || name.startsWith("long-")
                    || name.equals("fairness-hogs")));
    groups.put("kill", those(name -> name.startsWith("kill-")));
    groups.put("fairness-anchors", those(name -> name.startsWith("anchor-")));
    groups.put("timers", those(name -> name.startsWith("timers-")));
    groups.put("tasks", those(name -> name.startsWith("tasks-")));
    groups.put("scaling", those(name -> name.startsWith("scaling-")));
    groups.put("all", ALL);
    return Collections.unmodifiableMap(groups);
  }

  private static List<WorkloadSpec> those(Predicate<String> named) {
    return ALL.stream().filter(spec -> named.test(spec.name())).toList();
  }

  /** Every workload, in the order in which {@code all} runs them. */
  public static List<WorkloadSpec> all() {
    return ALL;
  }

  /** The groups by name. */
  public static Map<String, List<WorkloadSpec>> byGroup() {
    return GROUPS;
  }

  /**
   * The workload of this name.
   *
   * @throws IllegalArgumentException when there is none
   */
  public static WorkloadSpec named(String name) {
    return ALL.stream()
        .filter(spec -> spec.name().equals(name))
        .findFirst()
        .orElseThrow(() -> unknown(name));
  }

  /**
   * What the names of workloads and groups stand for, each once, in the order given.
   *
   * @throws IllegalArgumentException when a name is neither
   */
  public static List<WorkloadSpec> expand(List<String> names) {
    Set<WorkloadSpec> chosen = new LinkedHashSet<>();
    for (String name : names) {
      List<WorkloadSpec> group = GROUPS.get(name);
      if (group == null) {
        chosen.add(named(name));
      } else {
        chosen.addAll(group);
      }
    }
    return List.copyOf(chosen);
  }

  private static IllegalArgumentException unknown(String name) {
    Set<String> known = new TreeSet<>(GROUPS.keySet());
    ALL.forEach(spec -> known.add(spec.name()));
    return new IllegalArgumentException(
        "there is no workload or group \"" + name + "\"; there are: " + String.join(", ", known));
  }
}
