package io.turnwise.faults.time;

import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.ChildJvm;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.RuntimeLog;
import io.turnwise.faults.trial.Trial;
import io.turnwise.scheduling.TimeoutAction;
import io.turnwise.time.TimerService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * F31: the whole process is stopped by a signal, and goes on later, with timers of all kinds, busy
 * workers, and handlers in the middle of turns that have timeouts shorter than that.
 */
public final class StandstillRow implements Row {
  private static final Duration LIMIT = Duration.ofMillis(900);
  private static final int TIMERS = 2_000;

  @Override
  public String id() {
    return "F31";
  }

  @Override
  public String what() {
    return "the process is stopped for a while (SIGSTOP)";
  }

  @Override
  public String run(Trial trial) throws Exception {
    ChildJvm.Ended ended =
        ChildJvm.run(
            StandstillRow.class,
            List.of(),
            trial.asArguments(),
            Map.of(),
            (int) trial.sized(180, 3_600));
    ended.output().lines().filter(l -> l.startsWith("stood ")).forEach(trial::say);
    ended.mustEndWith(0, "F31");
    return trial.full() ? "45 x 5 s, 5 x 60 s" : "2 x 1.5 s";
  }

  /** The child. */
  public static void main(String[] arguments) {
    Trial trial = Trial.of(arguments);
    try {
      List<Integer> counts = trial.workerCounts();
      for (int workers : counts) stand(trial, workers, counts.size());
    } catch (Throwable e) {
      e.printStackTrace(System.out);
      System.exit(1);
    }
    System.exit(0);
  }

  private static List<Duration> stops(Trial trial, int runs) {
    List<Duration> stops = new ArrayList<>();
    long shorts = trial.sized(2, 45 / runs);
    for (int i = 0; i < shorts; i++)
      stops.add(trial.full() ? Duration.ofSeconds(5) : Duration.ofMillis(1_500));
    for (int i = 0; trial.full() && i < 5 / runs + 1; i++) stops.add(Duration.ofSeconds(60));
    return stops;
  }

  private static void stand(Trial trial, int workers, int runs) throws Exception {
    Map<String, AtomicLong> said = new ConcurrentHashMap<>();
    var random = new SplittableRandom(trial.seed());
    List<Duration> stops = stops(trial, runs);
    var books = new TimerBooks(TIMERS * stops.size());
    Duration stood = Duration.ZERO;
    String sums;
    try (var _ = new RuntimeLog(line -> count(said, line.getMessage()));
        var system = ActorSystem.open("stood", c -> c.withWorkers(workers))) {
      List<Busy> busy = new ArrayList<>();
      for (TimeoutAction action : TimeoutAction.values())
        for (boolean waits : new boolean[] {true, false}) busy.add(new Busy(system, action, waits));
      var ticking = new Ticking(system, Duration.ofMillis(10));
      int number = 0;
      for (Duration stop : stops) {
        for (int i = 0; i < TIMERS; i++) schedule(system.timers(), books, number++, random, stop);
        TimeUnit.MILLISECONDS.sleep(random.nextInt(20, 200));
        standStill(stop);
        stood = stood.plus(stop);
        TimeUnit.MILLISECONDS.sleep(300);
      }
      ticking.stopAndCheck(stood);
      sums = ticking.sums();
      for (Busy one : busy) one.stopAndCheck();
      TimeUnit.MILLISECONDS.sleep(600); // the last of the timers
      books.checkFates();
    }
    long summaries = said.getOrDefault("[STOOD-STILL]", new AtomicLong()).get();
    said.remove("[STOOD-STILL]");
    if (summaries != stops.size())
      throw new Broken("stopped " + stops.size() + " times, said so " + summaries + " times");
    if (!said.isEmpty()) throw new Broken("the log says more than that: " + said);
    System.out.println(
        "stood still " + stops.size() + " times on " + workers + " workers: " + sums);
  }

  private static void count(Map<String, AtomicLong> said, String text) {
    int from = text.lastIndexOf('[');
    String code =
        text.contains("[STOOD-STILL]") ? "[STOOD-STILL]" : text.substring(Math.max(0, from));
    said.computeIfAbsent(code, _ -> new AtomicLong()).incrementAndGet();
  }

  private static void schedule(
      TimerService timers, TimerBooks books, int number, SplittableRandom random, Duration stop) {
    long delay = random.nextLong(stop.toNanos() + 500_000_000);
    long due = System.nanoTime() + delay;
    timers.scheduleDelayed(books.callback(number, due), Duration.ofNanos(delay));
  }

  /** Another process stops this one, by its id, and lets it go on later. */
  private static void standStill(Duration time) throws Exception {
    long pid = ProcessHandle.current().pid();
    String seconds = time.toMillis() / 1_000 + "." + "%03d".formatted(time.toMillis() % 1_000);
    String script = "kill -STOP " + pid + "; sleep " + seconds + "; kill -CONT " + pid;
    long before = System.nanoTime();
    int code = new ProcessBuilder("sh", "-c", script).inheritIO().start().waitFor();
    long took = System.nanoTime() - before;
    if (code != 0 || took < time.toNanos())
      throw new Broken("could not be stopped: code " + code + " after " + took + " ns");
  }

  /**
   * Handlers of a few milliseconds, one after another, with a timeout that none of them reaches.
   */
  private static final class Busy {
    private final AtomicLong handled = new AtomicLong();
    private final AtomicBoolean over = new AtomicBoolean();
    private final ActorRef<String> actor;

    Busy(ActorSystem system, TimeoutAction action, boolean waits) {
      actor =
          system.spawn(
              "busy-" + action + (waits ? "-waits" : "-computes"),
              ActorSpec.<String>of(
                      () ->
                          (message, context) -> {
                            work(waits);
                            handled.incrementAndGet();
                            if (over.get()) context.stop();
                            else context.self().cast(message);
                          })
                  .withHandlerTimeout(LIMIT, action));
      actor.cast("go");
    }

    private static void work(boolean waits) throws InterruptedException {
      if (waits) {
        TimeUnit.MILLISECONDS.sleep(100);
        return;
      }
      long end = System.nanoTime() + 2_000_000;
      while (System.nanoTime() < end) Thread.onSpinWait();
    }

    void stopAndCheck() throws Exception {
      over.set(true);
      var reason = actor.whenStopped().toCompletableFuture().get(30, TimeUnit.SECONDS);
      if (!reason.orderly() || handled.get() == 0)
        throw new Broken(actor + " handled " + handled + " and ended as " + reason);
    }
  }
}
