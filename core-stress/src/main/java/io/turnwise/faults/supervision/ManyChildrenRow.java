package io.turnwise.faults.supervision;

import com.sun.management.ThreadMXBean;
import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.Context;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Trial;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.Recovery;
import io.turnwise.supervision.RestartLimit;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorRequest;
import io.turnwise.supervision.SupervisorSpec;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * F6: very many children of one supervisor, against as many under many small ones, by turns in the
 * same minutes. To start and to stop them, all at once or one by one, also where each start fails
 * once, may take more of a processor for each of them than it does among few, because they do not
 * fit into its caches: by as much as it does for actors that no supervisor looks after, and one and
 * a half times that at most. To restart some of them costs the same, however many others there are.
 * The bound is judged at full size, but for graphs, of which it is only printed; a build notices
 * what grows with the square.
 */
public final class ManyChildrenRow implements Row {
  private static final int FEW = 1_000;
  private static final ThreadMXBean THREADS =
      ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
  private static final Duration LONG = Duration.ofMinutes(5);

  /** Of what a child costs among few, and what plain actors cost more among as many. */
  private static final double BOUND = 1.5;

  private static final double BOUND_FOR_BUILDS = 10;

  /** What is measured, and what it is compared with. */
  private enum Step {
    START_PLAIN(null),
    STOP_PLAIN(null),
    START_LISTED(START_PLAIN),
    RESTART_SOME(null),
    STOP_LISTED(STOP_PLAIN),
    START_DYNAMIC(START_PLAIN),
    STOP_DYNAMIC(STOP_PLAIN),
    START_TO_REMOVE(START_PLAIN),
    REMOVE_DYNAMIC(STOP_PLAIN),
    START_GRAPH(START_PLAIN),
    STOP_GRAPH(STOP_PLAIN),
    START_FAILING(START_PLAIN);

    final @Nullable Step control;

    Step(@Nullable Step control) {
      this.control = control;
    }

    /** Controls are not; nor is the graph, whose many arrows all begin at one child. */
    boolean isJudged() {
      return switch (this) {
        case START_PLAIN, STOP_PLAIN, START_GRAPH, STOP_GRAPH -> false;
        default -> true;
      };
    }
  }

  @Override
  public String id() {
    return "F6";
  }

  @Override
  public String what() {
    return "very many children of one supervisor";
  }

  @Override
  public String run(Trial trial) throws Exception {
    int many = (int) trial.sized(5 * FEW, 100 * FEW);
    int rounds = (int) trial.sized(1, 7);
    for (int workers : trial.workerCounts()) {
      Map<Step, double[]> ratios = new EnumMap<>(Step.class);
      for (Step step : Step.values()) ratios.put(step, new double[rounds]);
      for (int i = -1; i < rounds; i++) { // the first warms up
        Map<Step, Long> few = new EnumMap<>(Step.class);
        for (int j = 0; j < many / FEW; j++)
          measure(workers, FEW).forEach((step, nanos) -> few.merge(step, nanos, Long::sum));
        Map<Step, Long> all = measure(workers, many);
        if (i < 0) continue;
        for (Step step : Step.values()) {
          double once = step == Step.RESTART_SOME ? (double) many / FEW : 1;
          Objects.requireNonNull(ratios.get(step))[i] = once * of(all, step) / of(few, step);
        }
        if (trial.full()) trial.say(workers + " workers: " + perChild(all, many));
      }
      judge(trial, workers, many, ratios);
    }
    return String.format(Locale.ROOT, "%,d against %,d", many, FEW);
  }

  private static double of(Map<Step, Long> times, Step step) {
    return Math.max(1, Objects.requireNonNull(times.get(step)));
  }

  private static String perChild(Map<Step, Long> times, int children) {
    var text = new StringBuilder("us a child:");
    times.forEach(
        (step, nanos) ->
            text.append(
                String.format(
                    Locale.ROOT,
                    " %s %.2f",
                    step,
                    nanos / 1e3 / (step == Step.RESTART_SOME ? FEW : children))));
    return text.toString();
  }

  private static void judge(Trial trial, int workers, int many, Map<Step, double[]> ratios) {
    List<String> broken = new ArrayList<>();
    var text = new StringBuilder();
    for (Step step : Step.values()) {
      double ratio = median(ratios, step);
      double control = step.control == null ? 1 : Math.max(1, median(ratios, step.control));
      text.append(String.format(Locale.ROOT, " %s %.2f", step, ratio));
      double bound = trial.full() ? BOUND : BOUND_FOR_BUILDS;
      if ((step.isJudged() || !trial.full()) && ratio > bound * control)
        broken.add(step.toString());
    }
    trial.say(workers + " workers, a child among " + many + " costs times as much:" + text);
    if (!broken.isEmpty()) throw new Broken(workers + " workers, " + broken + ":" + text);
  }

  private static double median(Map<Step, double[]> ratios, Step step) {
    double[] all = Objects.requireNonNull(ratios.get(step)).clone();
    Arrays.sort(all);
    return all[all.length / 2];
  }

  /**
   * What our threads have used of the processors: the clock goes on while others have them.
   * Collections of garbage and compilations are not in it.
   */
  private static long used() {
    long sum = 0;
    for (long nanos : THREADS.getThreadCpuTime(THREADS.getAllThreadIds()))
      sum += Math.max(0, nanos);
    return sum;
  }

  private static final class Child implements Actor<String> {
    private final AtomicInteger started;

    Child(AtomicInteger started) {
      this.started = started;
      started.incrementAndGet();
    }

    @Override
    public void receive(String message, Context<String> context) {
      throw new IllegalStateException("on purpose");
    }
  }

  /** One supervisor of each kind with so many children. */
  private static Map<Step, Long> measure(int workers, int children) throws Exception {
    Map<Step, Long> times = new EnumMap<>(Step.class);
    try (var system =
        ActorSystem.open(
            "many", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(120)))) {
      var started = new AtomicInteger();
      plain(system, children, times, started);
      listed(system, children, times, started);
      graph(system, children, times, started);
      dynamic(system, children, times, started, false);
      dynamic(system, children, times, started, true);
      failing(system, children, times);
      if (started.get() != 5 * children + FEW)
        throw new Broken(started + " were started, not " + (5 * children + FEW));
      if (system.snapshot().actorsLive() != 0) throw new Broken("left: " + system.snapshot());
    }
    return times;
  }

  private static List<ChildSpec<String>> specs(int children, AtomicInteger started) {
    List<ChildSpec<String>> specs = new ArrayList<>(children);
    for (int i = 0; i < children; i++) specs.add(ChildSpec.of("c" + i, () -> new Child(started)));
    return specs;
  }

  /** Without a supervisor. */
  private static void plain(
      ActorSystem system, int children, Map<Step, Long> times, AtomicInteger started)
      throws Exception {
    var up = new CountDownLatch(1);
    int wanted = started.get() + children;
    ActorRef<String> parent =
        system.spawn(
            "plain",
            () ->
                (_, context) -> {
                  for (int i = 0; i < children; i++)
                    context.spawn("c" + i, () -> new Child(started));
                  up.countDown();
                });
    long began = used();
    parent.cast("go");
    up.await();
    while (started.get() < wanted) LockSupport.parkNanos(20_000);
    times.put(Step.START_PLAIN, used() - began);
    began = used();
    parent.stop();
    parent.whenStopped().toCompletableFuture().get(300, TimeUnit.SECONDS);
    times.put(Step.STOP_PLAIN, used() - began);
  }

  private static void listed(
      ActorSystem system, int children, Map<Step, Long> times, AtomicInteger started)
      throws Exception {
    List<ChildSpec<String>> specs = specs(children, started);
    SupervisorSpec spec =
        SupervisorSpec.oneForOne().withLimit(RestartLimit.NONE).withChildren(specs);
    long began = used();
    Supervisor supervisor = Supervisor.start(system, "listed", spec);
    supervisor.awaitUp(LONG);
    times.put(Step.START_LISTED, used() - began);
    List<ActorRef<String>> some = new ArrayList<>();
    for (int i = 0; i < FEW; i++)
      some.add(supervisor.child(specs.get((int) ((long) i * children / FEW))));
    began = used();
    int wanted = started.get() + FEW;
    for (ActorRef<String> child : some) child.cast("crash");
    while (started.get() < wanted) LockSupport.parkNanos(20_000);
    times.put(Step.RESTART_SOME, used() - began);
    stop(supervisor, times, Step.STOP_LISTED);
  }

  /** One that all others depend on. */
  private static void graph(
      ActorSystem system, int children, Map<Step, Long> times, AtomicInteger started)
      throws Exception {
    List<ChildSpec<String>> specs = new ArrayList<>();
    for (ChildSpec<String> spec : specs(children, started))
      specs.add(specs.isEmpty() ? spec : spec.withDependsOn("c0"));
    SupervisorSpec spec = SupervisorSpec.graph(Recovery.DOWNSTREAM).withChildren(specs);
    long began = used();
    Supervisor supervisor = Supervisor.start(system, "graph", spec);
    supervisor.awaitUp(LONG);
    times.put(Step.START_GRAPH, used() - began);
    stop(supervisor, times, Step.STOP_GRAPH);
  }

  /** Each of them fails once before it starts. */
  private static void failing(ActorSystem system, int children, Map<Step, Long> times)
      throws Exception {
    List<ChildSpec<String>> specs = new ArrayList<>(children);
    for (int i = 0; i < children; i++) {
      var failed = new AtomicBoolean();
      specs.add(
          ChildSpec.of(
              "c" + i,
              () -> {
                if (failed.compareAndSet(false, true)) throw new Unready();
                return (_, _) -> {};
              }));
    }
    SupervisorSpec spec =
        SupervisorSpec.oneForOne().withLimit(RestartLimit.NONE).withChildren(specs);
    long began = used();
    Supervisor supervisor = Supervisor.start(system, "failing", spec);
    supervisor.awaitUp(LONG);
    times.put(Step.START_FAILING, used() - began);
    supervisor.stop();
    supervisor.whenStopped().toCompletableFuture().get(300, TimeUnit.SECONDS);
  }

  /** Without a stack: what it costs to make one is not what is measured. */
  private static final class Unready extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Unready() {
      super("not yet", null, false, false);
    }
  }

  private static void dynamic(
      ActorSystem system,
      int children,
      Map<Step, Long> times,
      AtomicInteger started,
      boolean oneByOne)
      throws Exception {
    Supervisor supervisor = Supervisor.start(system, "dynamic", SupervisorSpec.dynamic());
    ActorRef<SupervisorRequest> actor = supervisor.actor();
    long began = used();
    List<CompletableFuture<ActorRef<?>>> refs = new ArrayList<>();
    for (int i = 0; i < children; i++) {
      ChildSpec<String> child = ChildSpec.of(() -> new Child(started));
      refs.add(actor.callAsync(new SupervisorRequest.Start(child), LONG).toCompletableFuture());
    }
    for (CompletableFuture<ActorRef<?>> ref : refs) ref.get(300, TimeUnit.SECONDS);
    supervisor.awaitUp(LONG);
    times.put(oneByOne ? Step.START_TO_REMOVE : Step.START_DYNAMIC, used() - began);
    if (!oneByOne) {
      stop(supervisor, times, Step.STOP_DYNAMIC);
      return;
    }
    began = used();
    List<CompletableFuture<Boolean>> ends = new ArrayList<>();
    for (CompletableFuture<ActorRef<?>> ref : refs)
      ends.add(
          actor
              .callAsync(new SupervisorRequest.Stop(ref.join(), true), LONG)
              .toCompletableFuture());
    for (CompletableFuture<Boolean> end : ends) end.get(300, TimeUnit.SECONDS);
    times.put(Step.REMOVE_DYNAMIC, used() - began);
    supervisor.stop();
    supervisor.whenStopped().toCompletableFuture().get(300, TimeUnit.SECONDS);
  }

  private static void stop(Supervisor supervisor, Map<Step, Long> times, Step step)
      throws Exception {
    long began = used();
    supervisor.stop();
    supervisor.whenStopped().toCompletableFuture().get(300, TimeUnit.SECONDS);
    times.put(step, used() - began);
  }
}
