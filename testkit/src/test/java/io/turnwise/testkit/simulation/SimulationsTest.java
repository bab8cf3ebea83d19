package io.turnwise.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.Call;
import io.turnwise.CallTimeoutException;
import io.turnwise.Reply;
import io.turnwise.internal.weaving.World;
import io.turnwise.testkit.Testkit;
import io.turnwise.weaving.Safepoint;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

/** What a simulation promises to those who use it. */
class SimulationsTest {
  /** Some actors that send to each other at random, with pauses. */
  private static void chatter(Simulation simulation, List<String> log) throws Exception {
    List<ActorRef<Integer>> all = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      int own = i;
      all.add(
          simulation.spawn(
              "actor" + i,
              () ->
                  (left, _) -> {
                    log.add(own + ":" + left);
                    if (left > 0) all.get((own * 3 + left) % 5).cast(left - 1);
                    if (left % 3 == 0) LockSupport.parkNanos(1_000_000L * own);
                  }));
    }
    for (ActorRef<Integer> actor : all) actor.cast(10);
    simulation.sleep(Duration.ofSeconds(1));
  }

  @Test
  void theSameSeedTakesTheSameCourse() {
    for (int seed = 1; seed <= 20; seed++) {
      List<String> first = new ArrayList<>();
      List<String> second = new ArrayList<>();
      Outcome one = Simulation.run(seed, simulation -> chatter(simulation, first));
      Outcome two = Simulation.run(seed, simulation -> chatter(simulation, second));
      assertThat(two).isEqualTo(one);
      assertThat(second).isEqualTo(first);
    }
  }

  @Test
  void otherSeedsTakeOtherCourses() {
    var courses = new java.util.HashSet<Long>();
    for (int seed = 1; seed <= 20; seed++)
      courses.add(Simulation.run(seed, s -> chatter(s, new ArrayList<>())).hash());
    assertThat(courses).hasSizeGreaterThan(15);
  }

  @Test
  void aScheduleThatWasWrittenDownIsTakenAgain() {
    Outcome outcome = Simulation.run(7, s -> chatter(s, new ArrayList<>()));
    var again = SimulationPlan.DEFAULT.withStrategy(new Strategy.Replay(outcome.schedule()));
    assertThat(Simulation.run(again, 7, s -> chatter(s, new ArrayList<>()))).isEqualTo(outcome);
  }

  @Test
  void whatBesidesTheSeedDecidesIsFound() {
    var runs = new int[1];
    Simulation.Body moody =
        simulation -> {
          if (runs[0]++ > 0) simulation.<String>spawn("late", () -> (_, _) -> {}).cast("x");
          chatter(simulation, new ArrayList<>());
        };
    Outcome first = Simulation.run(1, moody);
    assertThatThrownBy(() -> Simulation.repeat(SimulationPlan.DEFAULT, first, moody))
        .hasMessageContaining("[SIMULATION-DIFFERS]");
  }

  @Test
  void aFailureThatDoesNotComeAgainIsSaidToBeOne() {
    var runs = new int[1];
    assertThatThrownBy(
            () ->
                Simulation.run(
                    1,
                    simulation -> {
                      if (runs[0]++ == 0) throw new IllegalStateException("the first time");
                    }))
        .hasMessageContaining("the first time")
        .hasMessageContaining("did not fail again");
  }

  /** What it says of itself is said by code that passes polls, looks at the clock and draws. */
  private record Wordy(int number) {
    @Override
    public String toString() {
      var text = new StringBuilder("Wordy ");
      for (int i = 0; i < 5; i++) {
        Safepoint.poll();
        text.append(World.nanoTime() > 0 ? number : -number);
      }
      return text.toString();
    }
  }

  private static int shared;

  /** Two actors add to a static, and are stopped in the middle. */
  private static void addTwice(Simulation simulation, Step before) throws Exception {
    shared = 0;
    for (String name : List.of("left", "right"))
      simulation
          .<Wordy>spawn(
              name,
              () ->
                  (_, _) -> {
                    before.run();
                    for (int i = 0; i < 5; i++) {
                      int read = shared;
                      Safepoint.poll();
                      shared = read + 1;
                    }
                  })
          .cast(new Wordy(7));
    simulation.sleep(Duration.ofSeconds(1));
    assertThat(shared).isEqualTo(10);
  }

  @FunctionalInterface
  private interface Step {
    void run();
  }

  /** A run that is told takes the same course as one that is not. */
  @Test
  void whatMessagesSayOfThemselvesIsNoPartOfTheRun() {
    int failed = 0;
    for (int seed = 1; seed <= 200; seed++) {
      int now = seed;
      Throwable found =
          catchThrowable(() -> Simulation.run(now, s -> addTwice(s, Safepoint::poll)));
      if (found == null) continue;
      failed++;
      assertThat(found).message().contains("Wordy 77777").doesNotContain("did not fail again");
    }
    assertThat(failed).isGreaterThan(10);
  }

  /** As a class initialiser would, it passes polls in the first run and in no other. */
  @Test
  void whatHappensOnceInAJvmDoesNotKeepARunFromBeingShortened() {
    int failedTwice = 0;
    for (int seed = 1; seed <= 1_000; seed++) {
      var initialised = new AtomicBoolean();
      Step initialises =
          () -> {
            if (initialised.compareAndSet(false, true))
              for (int i = 0; i < 10; i++) Safepoint.poll();
          };
      int now = seed;
      Simulation.Body body = s -> addTwice(s, initialises);
      Throwable first = catchThrowable(() -> Simulation.run(now, body));
      if (first == null) continue;
      var asItIs = SimulationPlan.DEFAULT.withShrinks(false);
      if (catchThrowable(() -> Simulation.run(asItIs, now, body)) == null) continue;
      failedTwice++;
      assertThat(first).message().contains("story:").doesNotContain("did not fail again");
    }
    assertThat(failedTwice).isGreaterThan(3);
  }

  /** Three orders of three fail, one of them in a way of its own. */
  private static void mostlyFails(Simulation simulation) throws Exception {
    var order = new StringBuilder();
    for (String name : List.of("a", "b", "c"))
      simulation.<String>spawn(name, () -> (_, _) -> order.append(name)).cast("go");
    simulation.sleep(Duration.ofSeconds(1));
    if (order.toString().equals("cba")) throw new AssertionError("the rare one");
    if (!order.toString().startsWith("a")) throw new AssertionError("the common one");
  }

  /** Each choice that is left out makes the common one of it. */
  @Test
  void aFailureIsNotShortenedToAnotherOne() {
    int rare = 0;
    for (int seed = 1; seed <= 100; seed++) {
      int now = seed;
      var asItIs = SimulationPlan.DEFAULT.withShrinks(false);
      Throwable first =
          catchThrowable(() -> Simulation.run(asItIs, now, SimulationsTest::mostlyFails));
      if (first == null || !first.getMessage().contains("the rare one")) continue;
      rare++;
      assertThat(catchThrowable(() -> Simulation.run(now, SimulationsTest::mostlyFails)))
          .hasMessageContaining("the rare one");
    }
    assertThat(rare).isGreaterThan(5);
  }

  /** Some countries write numbers with a comma, and some with digits of their own. */
  @Test
  void aFailureIsToldInTheSameWordsInEveryCountry() {
    Locale before = Locale.getDefault();
    List<String> told = new ArrayList<>();
    try {
      for (String country : List.of("en", "de", "ar-EG-u-nu-arab")) {
        Locale.setDefault(Locale.forLanguageTag(country));
        assertThatThrownBy(() -> Simulation.run(7, s -> addTwice(s, () -> shared = -1)))
            .isInstanceOfSatisfying(
                SimulationFailure.class, failure -> told.add(failure.page() + failure.story()));
      }
    } finally {
      Locale.setDefault(before);
    }
    assertThat(told).hasSize(3).containsOnly(told.getFirst());
  }

  @Test
  void oneInsideAnotherIsRefused() {
    assertThatThrownBy(() -> Simulation.run(1, _ -> Simulation.run(2, _ -> {})))
        .hasMessageContaining("[SIMULATION-NESTED]");
  }

  @Test
  void oneOnAVirtualThreadIsRefused() throws InterruptedException {
    List<Throwable> said = new ArrayList<>();
    Thread.startVirtualThread(() -> said.add(catchThrowable(() -> Simulation.run(1, _ -> {}))))
        .join();
    assertThat(said).singleElement().asString().contains("[SIMULATION-THREAD]");
  }

  /** The columns of a picture are as wide as each other. */
  @Test
  void aLongNameIsCutInThePictureAndShownWhereSomebodyPoints() {
    String name = "a-shelf-in-the-warehouse-of-the-north-";
    assertThatThrownBy(
            () ->
                Simulation.run(
                    1,
                    simulation -> {
                      for (int i = 1; i <= 2; i++)
                        simulation.<String>spawn(name + i, () -> (_, _) -> {}).cast("go");
                      simulation.sleep(Duration.ofSeconds(1));
                      throw new IllegalStateException("to see a picture");
                    }))
        .isInstanceOfSatisfying(
            SimulationFailure.class,
            failure ->
                assertThat(failure.page().lines().filter(line -> line.contains("bold")))
                    .anyMatch(line -> line.contains(">…warehouse-of-the-north-1<title>/simul"))
                    .anyMatch(line -> line.contains(">…warehouse-of-the-north-2<title>/simul")));
  }

  private record Promise() implements Call<Object, String> {}

  /** All of them are told of the callee's end: in which order is nobody's chance. */
  @Test
  void callersOfOneThatEndsGoOnInTheSameOrderEachTime() {
    Simulation.Body body =
        simulation -> {
          List<Reply<String>> promised = new ArrayList<>();
          ActorRef<Object> promises =
              simulation.spawn(
                  "promises",
                  () ->
                      (message, context) -> {
                        if (message instanceof Promise promise)
                          promised.add(context.defer(promise));
                        else throw new IllegalStateException("it ends");
                      });
          for (int i = 0; i < 8; i++)
            simulation
                .<String>spawn("caller" + i, () -> (_, _) -> promises.call(new Promise()))
                .cast("call");
          simulation.sleep(Duration.ofSeconds(1));
          promises.cast("end");
          simulation.sleep(Duration.ofSeconds(1));
        };
    for (int seed = 1; seed <= 20; seed++)
      Simulation.repeat(SimulationPlan.DEFAULT, Simulation.run(seed, body), body);
  }

  @Test
  void anHourPassesInNoTime() {
    Outcome outcome =
        Simulation.run(
            1,
            simulation -> {
              for (int i = 0; i < 60; i++) simulation.sleep(Duration.ofMinutes(1));
              assertThat(simulation.time()).isGreaterThanOrEqualTo(Duration.ofHours(1));
            });
    assertThat(outcome.time()).isBetween(Duration.ofHours(1), Duration.ofHours(1).plusSeconds(1));
  }

  @Test
  void codeBlocksAsEverywhere() {
    Simulation.run(
        3,
        simulation -> {
          var answer = new CompletableFuture<String>();
          var lock = new ReentrantLock();
          var order = new ConcurrentLinkedQueue<String>();
          lock.lock();
          simulation
              .<String>spawn(
                  "waits",
                  () ->
                      (_, _) -> {
                        order.add("heard " + answer.join());
                        lock.lock();
                        order.add("has the lock");
                        lock.unlock();
                      })
              .cast("go");
          Thread child = Thread.startVirtualThread(() -> answer.complete("it"));
          child.join();
          simulation.sleep(Duration.ofMillis(5));
          order.add("lets go");
          lock.unlock();
          simulation.sleep(Duration.ofMillis(5));
          assertThat(order).containsExactly("heard it", "lets go", "has the lock");
        });
  }

  /** Turns are stopped while they have the monitor; others wait for it. */
  @Test
  void monitorsAreSimulatedToo() {
    Simulation.Body body =
        simulation -> {
          var monitor = new Object();
          List<String> order = new ArrayList<>();
          for (String name : List.of("a", "b", "c"))
            simulation
                .<String>spawn(
                    name,
                    () ->
                        (_, _) -> {
                          synchronized (monitor) {
                            order.add(name + " in");
                            io.turnwise.weaving.Safepoint.poll();
                            order.add(name + " out");
                          }
                        })
                .cast("go");
          simulation.sleep(Duration.ofSeconds(1));
          assertThat(order).hasSize(6);
          for (int i = 0; i < 6; i += 2)
            assertThat(order.get(i + 1)).isEqualTo(order.get(i).replace("in", "out"));
        };
    for (int seed = 1; seed <= 50; seed++) Simulation.run(seed, body);
  }

  @Test
  void messagesOvertakeEachOtherOnlyBetweenSenders() {
    var orders = new java.util.HashSet<List<String>>();
    for (int seed = 1; seed <= 300; seed++)
      Simulation.run(
          seed,
          simulation -> {
            List<String> order = new ArrayList<>();
            ActorRef<String> sink = simulation.spawn("sink", () -> (m, _) -> order.add(m));
            simulation.mayDelay(sink, Duration.ofMillis(100));
            for (String name : List.of("a", "b"))
              simulation
                  .<String>spawn(
                      name,
                      () ->
                          (_, _) -> {
                            sink.cast(name + 1);
                            sink.cast(name + 2);
                          })
                  .cast("go");
            simulation.sleep(Duration.ofSeconds(1));
            assertThat(order).containsSubsequence("a1", "a2").containsSubsequence("b1", "b2");
            orders.add(order);
          });
    assertThat(orders).hasSize(6);
  }

  @Test
  void whatGetsLostNeverArrives() {
    var counts = new java.util.TreeSet<Integer>();
    for (int seed = 1; seed <= 50; seed++)
      Simulation.run(
          seed,
          simulation -> {
            var arrived = new int[1];
            ActorRef<String> sink = simulation.spawn("sink", () -> (_, _) -> arrived[0]++);
            simulation.mayLose(sink);
            for (int i = 0; i < 10; i++) sink.cast("x");
            simulation.sleep(Duration.ofSeconds(1));
            counts.add(arrived[0]);
          });
    assertThat(counts).contains(10).hasSizeGreaterThan(2);
  }

  /** What follows a future is strangers' code: on a thread of its own, in the simulation. */
  @Test
  void callbacksMayBlock() {
    Simulation.run(
        1,
        simulation -> {
          ActorRef<Silent> echo =
              simulation.spawn(
                  "echo", () -> (question, context) -> context.reply(question, "here"));
          var heard = new CompletableFuture<String>();
          echo.callAsync(new Silent())
              .thenAccept(first -> heard.complete(first + " " + echo.call(new Silent())));
          assertThat(heard.get()).isEqualTo("here here");
        });
  }

  @Test
  void aCallTimesOutInTheTimeOfTheSimulation() {
    Simulation.run(
        1,
        simulation -> {
          ActorRef<Silent> silent =
              simulation.spawn("silent", () -> (_, _) -> simulationSleep(simulation));
          Duration before = simulation.time();
          assertThatThrownBy(() -> silent.call(new Silent()))
              .isInstanceOf(CallTimeoutException.class);
          assertThat(simulation.time().minus(before))
              .isBetween(Duration.ofSeconds(5), Duration.ofSeconds(6));
        });
  }

  private record Silent() implements io.turnwise.Call<Silent, String> {}

  private static void simulationSleep(Simulation simulation) {
    try {
      simulation.sleep(Duration.ofMinutes(1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The JDK keeps a list of virtual threads: one that does not end keeps its system for ever. */
  @Test
  void aSystemThatIsOverIsForgotten() {
    List<WeakReference<ActorSystem>> simulated = new ArrayList<>();
    List<WeakReference<ActorSystem>> driven = new ArrayList<>();
    for (int seed = 1; seed <= 50; seed++) {
      Simulation.run(
          seed,
          simulation -> {
            simulated.add(new WeakReference<>(simulation.system()));
            ActorRef<String> far = simulation.spawn("far", () -> (_, _) -> {});
            simulation.mayDelay(far, Duration.ofDays(1)); // under way at the end
            far.cast("x");
            chatter(simulation, new ArrayList<>());
          });
      try (var kit = Testkit.onVirtualTime()) {
        driven.add(new WeakReference<>(kit.system()));
        kit.probe().ref();
        kit.run();
      }
    }
    // One or two may still be on some stack.
    assertThat(left(simulated)).isLessThanOrEqualTo(2);
    assertThat(left(driven)).isLessThanOrEqualTo(2);
  }

  /** Also one that had to be ended. */
  @Test
  void aSystemThatDidNotEndByItselfIsForgotten() {
    List<WeakReference<ActorSystem>> systems = new ArrayList<>();
    for (int seed = 1; seed <= 20; seed++) {
      var plan = SimulationPlan.DEFAULT.withMaxTurns(100).withShrinks(false);
      int own = seed;
      assertThatThrownBy(
              () ->
                  Simulation.run(
                      plan,
                      own,
                      simulation -> {
                        systems.add(new WeakReference<>(simulation.system()));
                        simulation
                            .<String>spawn("spins", () -> (m, context) -> context.self().cast(m))
                            .cast("again");
                        simulation.sleep(Duration.ofDays(1));
                      }))
          .hasMessageContaining("[SIMULATION-ENDLESS]");
    }
    assertThat(left(systems)).isLessThanOrEqualTo(2);
  }

  private static long left(List<WeakReference<ActorSystem>> systems) {
    long left = systems.size();
    for (int i = 0; i < 20 && left > 2; i++) {
      System.gc();
      left = systems.stream().filter(system -> system.get() != null).count();
    }
    return left;
  }

  @Test
  void anEndlessLoopOfMessagesIsNamed() {
    assertThatThrownBy(
            () ->
                Simulation.run(
                    SimulationPlan.DEFAULT.withMaxTurns(1_000).withShrinks(false),
                    1,
                    simulation -> {
                      simulation
                          .<String>spawn("spins", () -> (m, context) -> context.self().cast(m))
                          .cast("again");
                      simulation.sleep(Duration.ofDays(1));
                    }))
        .hasMessageContaining("[SIMULATION-ENDLESS]");
  }

  @Test
  void everyScheduleOfTwoSendersIsTried() {
    var orders = new java.util.HashSet<List<String>>();
    Exploration all =
        Simulation.explore(
            SimulationPlan.DEFAULT.withPreempts(false),
            20,
            0,
            10_000,
            simulation -> {
              List<String> order = new ArrayList<>();
              ActorRef<String> sink = simulation.spawn("sink", () -> (m, _) -> order.add(m));
              for (String name : List.of("a", "b", "c"))
                simulation.<String>spawn(name, () -> (_, _) -> sink.cast(name)).cast("go");
              simulation.sleep(Duration.ofSeconds(1));
              orders.add(order);
            });
    assertThat(all.complete()).isTrue();
    assertThat(orders).hasSize(6);
  }

  @Test
  void crashesKillsAndStallsHappenWhereTheTestAllowsThem() {
    var seen = new java.util.TreeSet<String>();
    for (int seed = 1; seed <= 200; seed++) {
      Simulation.run(
          seed,
          simulation -> {
            ActorRef<String> weak = simulation.spawn("weak", () -> (_, _) -> {});
            simulation.mayCrash(weak);
            simulation.mayBeKilled(weak);
            weak.whenStopped().thenAccept(reason -> seen.add(reason.getClass().getSimpleName()));
            for (int i = 0; i < 10; i++) weak.cast("work");
            simulation.sleep(Duration.ofSeconds(1));
          });
    }
    assertThat(seen).contains("Crashed", "Killed");
  }

  /** Two that go on by themselves, for some time. */
  private static void busy(Simulation simulation, boolean inTheMiddle, List<String> log)
      throws Exception {
    for (String name : List.of("a", "b"))
      simulation
          .<Integer>spawn(
              name,
              () ->
                  (left, context) -> {
                    log.add(name + left + (simulation.system().isClosed() ? " closing" : ""));
                    if (left > 0) context.self().cast(left - 1);
                  })
          .cast(20);
    if (inTheMiddle) simulation.closesInTheMiddle();
    simulation.sleep(Duration.ofNanos(4_000));
  }

  @Test
  void aSystemThatIsClosedInTheMiddleGoesOnAsTheSeedDecides() {
    var courses = new java.util.HashSet<List<String>>();
    for (int seed = 1; seed <= 20; seed++) {
      List<String> first = new ArrayList<>();
      List<String> second = new ArrayList<>();
      Outcome one = Simulation.run(seed, simulation -> busy(simulation, true, first));
      Outcome two = Simulation.run(seed, simulation -> busy(simulation, true, second));
      assertThat(two).isEqualTo(one);
      assertThat(second).isEqualTo(first);
      assertThat(first).anyMatch(entry -> entry.endsWith("closing"));
      courses.add(first.stream().filter(entry -> entry.endsWith("closing")).toList());
    }
    assertThat(courses).hasSizeGreaterThan(10);
  }

  @Test
  void otherwiseWhatCanRunIsDoneBeforeTheClose() {
    for (int seed = 1; seed <= 20; seed++) {
      List<String> log = new ArrayList<>();
      Simulation.run(seed, simulation -> busy(simulation, false, log));
      assertThat(log).noneMatch(entry -> entry.endsWith("closing"));
    }
  }
}
