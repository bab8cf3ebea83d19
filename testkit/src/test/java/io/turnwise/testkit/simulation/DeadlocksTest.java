package io.turnwise.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.Call;
import io.turnwise.Context;
import io.turnwise.Reply;
import io.turnwise.internal.weaving.World;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.weaving.Safepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Nobody gets on: it is found, and those who do not are named. */
class DeadlocksTest {
  private static SimulationFailure find(Simulation.Body body) {
    return find(SimulationPlan.DEFAULT, body);
  }

  private static SimulationFailure find(SimulationPlan plan, Simulation.Body body) {
    for (int seed = 1; seed <= 1_000; seed++) {
      try {
        Simulation.run(plan, seed, body);
      } catch (SimulationFailure found) {
        return found;
      }
    }
    throw new AssertionError("not found");
  }

  // ---- circles -------------------------------------------------------------------------------

  private static void lockBoth(Object first, Object second) {
    synchronized (first) {
      Safepoint.poll();
      synchronized (second) {
        Safepoint.poll();
      }
    }
  }

  @Test
  void twoMonitorsThatAreTakenInOppositeOrder() {
    SimulationFailure found =
        find(
            simulation -> {
              var left = new Object();
              var right = new StringBuilder();
              simulation.<String>spawn("a", () -> (_, _) -> lockBoth(left, right)).cast("go");
              simulation.<String>spawn("b", () -> (_, _) -> lockBoth(right, left)).cast("go");
              simulation.sleep(Duration.ofDays(1));
            });
    assertThat(found)
        .hasMessageContaining("[SIMULATION-DEADLOCK]")
        .hasMessageMatching(
            "(?s).*/simulation/a waits since turn \\d+ for a monitor \\(StringBuilder\\) that"
                + " /simulation/b has.*")
        .hasMessageMatching(
            "(?s).*/simulation/b waits since turn \\d+ for a monitor \\(Object\\) that"
                + " /simulation/a has.*");
  }

  /** No time passes before the test ends. */
  @Test
  void aDeadlockIsFoundAtTheEndToo() {
    SimulationFailure found =
        find(
            simulation -> {
              var left = new Object();
              var right = new Object();
              simulation.<String>spawn("a", () -> (_, _) -> lockBoth(left, right)).cast("go");
              simulation.<String>spawn("b", () -> (_, _) -> lockBoth(right, left)).cast("go");
            });
    assertThat(found).hasMessageContaining("[SIMULATION-DEADLOCK]");
  }

  @Test
  void aThreadOfAHandlerAndAnActorWithAMonitorAndALock() {
    SimulationFailure found =
        find(
            simulation -> {
              var monitor = new Object();
              var lock = new ReentrantLock();
              simulation
                  .<String>spawn(
                      "a",
                      () ->
                          (_, _) -> {
                            synchronized (monitor) {
                              Safepoint.poll();
                              lock.lock();
                              lock.unlock();
                            }
                          })
                  .cast("go");
              Thread.startVirtualThread(
                  () -> {
                    lock.lock();
                    Thread.yield();
                    synchronized (monitor) {
                      lock.unlock();
                    }
                  });
              simulation.sleep(Duration.ofDays(1));
            });
    assertThat(found)
        .hasMessageContaining("[SIMULATION-DEADLOCK]")
        .hasMessageContaining("for a lock (ReentrantLock$NonfairSync) that a virtual thread")
        .hasMessageContaining("for a monitor (Object) that /simulation/a has");
  }

  private sealed interface Talk {}

  private record Ask() implements Talk, Call<Talk, String> {}

  private record Flood(ActorRef<Talk> other, int times) implements Talk {}

  private record AskOf(ActorRef<Talk> other) implements Talk {}

  private record Drop() implements Talk {}

  private static final class Talker implements Actor<Talk> {
    @Override
    public void receive(Talk message, Context<Talk> context) {
      switch (message) {
        case Ask ask -> context.reply(ask, "here");
        case Flood(ActorRef<Talk> other, int times) -> {
          for (int i = 0; i < times; i++) other.cast(new Drop());
        }
        case AskOf(ActorRef<Talk> other) -> other.call(new Ask());
        default -> {}
      }
    }
  }

  /** One waits for the other's answer, which waits for room in the mailbox of the first. */
  @Test
  void aCallAndAWaitForRoom() {
    SimulationFailure found =
        find(
            simulation -> {
              var spec =
                  ActorSpec.<Talk>of(Talker::new)
                      .withMailbox(MailboxConfig.bounded(2, OverflowPolicy.WAIT));
              ActorRef<Talk> asks = simulation.system().spawn("asks", spec);
              ActorRef<Talk> floods = simulation.system().spawn("floods", spec);
              asks.cast(new AskOf(floods));
              floods.cast(new Flood(asks, 5));
              simulation.sleep(Duration.ofMinutes(1));
            });
    assertThat(found)
        .hasMessageContaining("[SIMULATION-DEADLOCK]")
        .hasMessageContaining(" for the answer of /simulation/floods")
        .hasMessageContaining(" for room in the mailbox of /simulation/asks");
  }

  /** The same where only the simulation has set a bound. */
  @Test
  void aCallAndAWaitForRoomThatIsOnlySmallInTheSimulation() {
    SimulationFailure found =
        find(
            simulation -> {
              simulation.mayShrinkMailboxes(2);
              ActorRef<Talk> asks = simulation.spawn("asks", Talker::new);
              ActorRef<Talk> floods = simulation.spawn("floods", Talker::new);
              asks.cast(new AskOf(floods));
              floods.cast(new Flood(asks, 5));
              simulation.sleep(Duration.ofMinutes(1));
            });
    assertThat(found)
        .hasMessageContaining("[SIMULATION-DEADLOCK]")
        .hasMessageContaining(" for room in the mailbox of /simulation/asks");
  }

  // ---- mixtures ------------------------------------------------------------------------------

  /** One way to wait for another, while one has a lock, a monitor, or its turn. */
  @FunctionalInterface
  private interface Step {
    void run() throws Exception;
  }

  private record Do(Step step) implements Talk {}

  private record DoAndAnswer(Step step) implements Talk, Call<Talk, String> {}

  private record DoLater(Step step) implements Talk, Call<Talk, String> {}

  private record PassOn(ActorRef<Talk> to) implements Talk, Call<Talk, String> {}

  private static final class Doer implements Actor<Talk> {
    private final List<Reply<String>> promised;

    Doer() {
      this(new ArrayList<>());
    }

    Doer(List<Reply<String>> promised) {
      this.promised = promised;
    }

    @Override
    public void receive(Talk message, Context<Talk> context) throws Exception {
      switch (message) {
        case Ask ask -> context.reply(ask, "here");
        case Do(Step step) -> step.run();
        case DoAndAnswer does -> {
          does.step.run();
          context.reply(does, "done");
        }
        case DoLater later -> {
          promised.add(context.defer(later));
          later.step.run();
        }
        case PassOn pass -> context.forward(pass, pass.to, new Ask());
        case Flood _, AskOf _, Drop _ -> {}
      }
    }
  }

  /** Threads of a simulation go on by chance: to wait is to let the others get where they are. */
  private static void waitFor(Simulation simulation) throws InterruptedException {
    simulation.sleep(Duration.ofMillis(10));
  }

  private static String circleOf(Simulation.Body body) {
    SimulationFailure found = find(SimulationPlan.DEFAULT.withShrinks(false), body);
    assertThat(found).hasMessageContaining("Actors wait for each other. [SIMULATION-DEADLOCK]");
    return found.getMessage();
  }

  private static ActorRef<Talk> full(Simulation simulation, String name) {
    return simulation
        .system()
        .spawn(
            name,
            ActorSpec.<Talk>of(Doer::new)
                .withMailbox(MailboxConfig.bounded(1, OverflowPolicy.WAIT)));
  }

  @Test
  void aCallAndALock() {
    assertThat(
            circleOf(
                simulation -> {
                  var lock = new ReentrantLock();
                  ActorRef<Talk> wants = simulation.spawn("wants", Doer::new);
                  ActorRef<Talk> has = simulation.spawn("has", Doer::new);
                  has.cast(
                      new Do(
                          () -> {
                            lock.lock();
                            waitFor(simulation);
                            wants.call(new Ask());
                          }));
                  waitFor(simulation);
                  wants.cast(new Do(lock::lock));
                  simulation.sleep(Duration.ofSeconds(1));
                }))
        .containsPattern(
            "/simulation/has waits since turn \\d+ for the answer of /simulation/wants")
        .containsPattern(
            "/simulation/wants waits since turn \\d+ for a lock"
                + " \\(ReentrantLock.NonfairSync\\) that /simulation/has has");
  }

  @Test
  void aCallAndAMonitor() {
    assertThat(
            circleOf(
                simulation -> {
                  var monitor = new Object();
                  ActorRef<Talk> wants = simulation.spawn("wants", Doer::new);
                  ActorRef<Talk> has = simulation.spawn("has", Doer::new);
                  has.cast(
                      new Do(
                          () -> {
                            synchronized (monitor) {
                              waitFor(simulation);
                              wants.call(new Ask());
                            }
                          }));
                  waitFor(simulation);
                  wants.cast(
                      new Do(
                          () -> {
                            synchronized (monitor) {
                              Safepoint.poll();
                            }
                          }));
                  simulation.sleep(Duration.ofSeconds(1));
                }))
        .containsPattern(
            "/simulation/has waits since turn \\d+ for the answer of /simulation/wants")
        .containsPattern(
            "/simulation/wants waits since turn \\d+ for a monitor \\(Object\\) that"
                + " /simulation/has has");
  }

  /** A call, room in a mailbox, and a monitor. */
  @Test
  void threeInThreeWays() {
    assertThat(
            circleOf(
                simulation -> {
                  var monitor = new Object();
                  ActorRef<Talk> enters = simulation.spawn("enters", Doer::new);
                  ActorRef<Talk> floods = simulation.spawn("floods", Doer::new);
                  ActorRef<Talk> calls = full(simulation, "calls");
                  calls.cast(
                      new Do(
                          () -> {
                            waitFor(simulation);
                            enters.call(new Ask());
                          }));
                  floods.cast(
                      new Do(
                          () -> {
                            synchronized (monitor) {
                              waitFor(simulation);
                              for (int i = 0; i < 3; i++) calls.cast(new Drop());
                            }
                          }));
                  waitFor(simulation);
                  enters.cast(
                      new Do(
                          () -> {
                            synchronized (monitor) {
                              Safepoint.poll();
                            }
                          }));
                  simulation.sleep(Duration.ofSeconds(1));
                }))
        .contains(" for the answer of /simulation/enters")
        .contains(" for a monitor (Object) that /simulation/floods has")
        .contains(" for room in the mailbox of /simulation/calls");
  }

  /** A call, a lock, and another call. */
  @Test
  void threeWithALockBetweenTwoCalls() {
    assertThat(
            circleOf(
                simulation -> {
                  var lock = new ReentrantLock();
                  ActorRef<Talk> first = simulation.spawn("first", Doer::new);
                  ActorRef<Talk> second = simulation.spawn("second", Doer::new);
                  ActorRef<Talk> third = simulation.spawn("third", Doer::new);
                  first.cast(
                      new Do(
                          () -> {
                            lock.lock();
                            waitFor(simulation);
                            second.call(new Ask());
                          }));
                  second.cast(
                      new Do(
                          () -> {
                            waitFor(simulation);
                            third.call(new Ask());
                          }));
                  waitFor(simulation);
                  third.cast(new Do(lock::lock));
                  simulation.sleep(Duration.ofSeconds(1));
                }))
        .contains(" for the answer of /simulation/second")
        .contains(" for the answer of /simulation/third")
        .contains(" that /simulation/first has");
  }

  /** Not an actor waits for the answer, but a thread that one has started. */
  @Test
  void aThreadThatCallsAndHasALock() {
    assertThat(
            circleOf(
                simulation -> {
                  var lock = new ReentrantLock();
                  ActorRef<Talk> wants = simulation.spawn("wants", Doer::new);
                  wants.cast(
                      new Do(
                          () -> {
                            waitFor(simulation);
                            waitFor(simulation);
                            lock.lock();
                          }));
                  Thread.startVirtualThread(
                      () -> {
                        lock.lock();
                        try {
                          waitFor(simulation);
                        } catch (InterruptedException e) {
                          return;
                        }
                        wants.call(new Ask());
                      });
                  simulation.sleep(Duration.ofSeconds(1));
                }))
        .contains(" for the answer of /simulation/wants")
        .contains("/simulation/wants waits since turn")
        .contains(" that a virtual thread");
  }

  /** The same for room in a mailbox. */
  @Test
  void aThreadThatWaitsForRoomAndHasALock() {
    assertThat(
            circleOf(
                simulation -> {
                  var lock = new ReentrantLock();
                  ActorRef<Talk> wants = full(simulation, "wants");
                  wants.cast(
                      new Do(
                          () -> {
                            waitFor(simulation);
                            waitFor(simulation);
                            lock.lock();
                          }));
                  Thread.startVirtualThread(
                      () -> {
                        lock.lock();
                        for (int i = 0; i < 3; i++) wants.cast(new Drop());
                      });
                  simulation.sleep(Duration.ofSeconds(1));
                }))
        .contains(" for room in the mailbox of /simulation/wants")
        .contains(" that a virtual thread");
  }

  /** Who forwards a request does not wait; nobody begins to when the circle closes. */
  @Test
  void aRequestThatIsForwardedIntoACircle() {
    assertThat(
            circleOf(
                simulation -> {
                  var lock = new ReentrantLock();
                  ActorRef<Talk> end = simulation.spawn("end", Doer::new);
                  ActorRef<Talk> between = simulation.spawn("between", Doer::new);
                  ActorRef<Talk> begin = simulation.spawn("begin", Doer::new);
                  between.cast(new Do(() -> simulation.sleep(Duration.ofMillis(100))));
                  begin.cast(
                      new Do(
                          () -> {
                            lock.lock();
                            between.call(new PassOn(end));
                          }));
                  waitFor(simulation);
                  end.cast(new Do(lock::lock));
                  simulation.sleep(Duration.ofSeconds(1));
                }))
        .contains("/simulation/begin waits since turn")
        .contains(" for the answer of /simulation/end")
        .contains(" that /simulation/begin has");
  }

  /** The one that has deferred its answer waits for the one that is to get it. */
  @Test
  void anAnswerThatWasPromisedAndCannotBeGiven() {
    assertThat(
            circleOf(
                simulation -> {
                  ActorRef<Talk> asks = simulation.spawn("asks", Doer::new);
                  ActorRef<Talk> promises = simulation.spawn("promises", Doer::new);
                  asks.cast(
                      new Do(() -> promises.call(new DoLater(() -> {}), Duration.ofSeconds(2))));
                  waitFor(simulation);
                  promises.cast(new Do(() -> asks.call(new Ask(), Duration.ofSeconds(3))));
                  simulation.sleep(Duration.ofSeconds(10));
                }))
        .contains(" for the answer of /simulation/asks")
        .contains(" for the answer of /simulation/promises");
  }

  /** The same, but somebody else has the reply, and gives it after a while: no deadlock. */
  @Test
  void anAnswerThatSomebodyElseGivesIsNoDeadlock() {
    for (int seed = 1; seed <= 100; seed++)
      Simulation.run(
          seed,
          simulation -> {
            List<Reply<String>> promised = new ArrayList<>();
            ActorRef<Talk> asks = simulation.spawn("asks", Doer::new);
            ActorRef<Talk> promises = simulation.spawn("promises", () -> new Doer(promised));
            ActorRef<Talk> other = simulation.spawn("other", Doer::new);
            asks.cast(new Do(() -> promises.call(new DoLater(() -> {}))));
            other.cast(
                new Do(
                    () -> {
                      simulation.sleep(Duration.ofSeconds(1));
                      promised.getFirst().send("at last");
                    }));
            simulation.sleep(Duration.ofMillis(500));
            promises.cast(new Do(() -> asks.call(new Ask())));
            simulation.sleep(Duration.ofSeconds(10));
          });
  }

  /** No circle: nobody will ever say the word. */
  @Test
  void aWaitThatNobodyWillEnd() {
    SimulationFailure found =
        find(
            simulation -> {
              var word = new CompletableFuture<String>();
              var monitor = new Object();
              simulation
                  .<String>spawn(
                      "waits",
                      () ->
                          (_, _) -> {
                            synchronized (monitor) {
                              monitor.wait();
                            }
                          })
                  .cast("go");
              word.join();
            });
    assertThat(found)
        .hasMessageContaining("Nothing can happen any more, and these wait. [SIMULATION-DEADLOCK]")
        .hasMessageContaining(
            "/simulation/test waits since turn 1 for a CompletableFuture$Signaller")
        .hasMessageContaining("/simulation/waits waits since turn 2 in a monitor");
  }

  private static void takeBoth(Semaphore first, Semaphore second) throws InterruptedException {
    first.acquire();
    Safepoint.poll();
    second.acquire();
    second.release();
    first.release();
  }

  private static void crossSemaphores(Simulation simulation) throws InterruptedException {
    var left = new Semaphore(1);
    var right = new Semaphore(1);
    simulation.<String>spawn("a", () -> (_, _) -> takeBoth(left, right)).cast("go");
    simulation.<String>spawn("b", () -> (_, _) -> takeBoth(right, left)).cast("go");
    simulation.sleep(Duration.ofDays(1));
  }

  /** Nobody owns a semaphore. But when all is over, these two are in the middle of their turns. */
  @Test
  void turnsThatNothingWillEverEndAreNamedWhenTheTestsCodeHasReturned() {
    assertThat(find(DeadlocksTest::crossSemaphores))
        .hasMessageContaining("Nothing can happen any more, and these wait.")
        .hasMessageMatching("(?s).*/simulation/a waits since turn \\d+ for a Semaphore.*")
        .hasMessageMatching("(?s).*/simulation/b waits since turn \\d+ for a Semaphore.*")
        .message()
        .doesNotContain("/simulation/test waits");
  }

  @Test
  void aTestMayLeaveTurnsBehindThatNothingWillEverEnd() {
    Simulation.runAll(
        SimulationPlan.DEFAULT,
        1,
        100,
        simulation -> {
          simulation.mayDeadlock();
          crossSemaphores(simulation);
        });
  }

  /** The numbers of the story count more than turns. */
  @Test
  void sinceWhichStepOfTheStoryIsSaid() {
    SimulationFailure found = find(DeadlocksTest::crossSemaphores);
    for (String name : List.of("/simulation/a", "/simulation/b")) {
      Matcher said =
          Pattern.compile(name + " waits since turn .*, in step (\\d+)\n")
              .matcher(found.getMessage());
      assertThat(said.find()).as(found.getMessage()).isTrue();
      int step = Integer.parseInt(said.group(1));
      assertThat(found.story().lines().skip(step - 1).findFirst().orElseThrow())
          .contains("s  " + name + " ");
      assertThat(found.story().lines().skip(step)).noneMatch(line -> line.contains(name));
    }
  }

  /** What a thread outside does has no place in time. */
  @Test
  void aWaitForAThreadOutsideIsSaidToBeOne() {
    SimulationFailure found =
        find(
            simulation -> {
              var outside = new CountDownLatch(1);
              World.Source here = Objects.requireNonNull(World.here());
              here.leaked("new Thread", new StackTraceElement("Some", "method", "Some.java", 1));
              outside.await();
            });
    assertThat(found)
        .hasMessageContaining("[SIMULATION-DEADLOCK]")
        .hasMessageContaining("What is outside has no part in a simulation, and this was used:")
        .hasMessageContaining("new Thread at Some.method");
  }

  @Test
  void timedWaitsAndWaitsForWhomeverAreNoDeadlock() {
    for (int seed = 1; seed <= 200; seed++)
      Simulation.run(
          seed,
          simulation -> {
            var monitor = new Object();
            var lock = new ReentrantLock();
            simulation
                .<String>spawn(
                    "a",
                    () ->
                        (_, _) -> {
                          synchronized (monitor) {
                            Safepoint.poll();
                            if (lock.tryLock(1, TimeUnit.SECONDS)) lock.unlock();
                          }
                        })
                .cast("go");
            simulation
                .<String>spawn(
                    "b",
                    () ->
                        (_, _) -> {
                          lock.lock();
                          Safepoint.poll();
                          synchronized (monitor) {
                            lock.unlock();
                          }
                        })
                .cast("go");
            simulation.sleep(Duration.ofSeconds(5));
          });
  }

  // ---- no end --------------------------------------------------------------------------------

  @Test
  void twoThatSendToEachOtherForEverAreNamedWithTheTurnSinceWhen() {
    SimulationFailure found =
        find(
            SimulationPlan.DEFAULT.withMaxTurns(2_000),
            simulation -> {
              List<ActorRef<Integer>> two = new ArrayList<>();
              two.add(simulation.spawn("ping", () -> (m, _) -> two.get(1).cast(m)));
              two.add(simulation.spawn("pong", () -> (m, _) -> two.get(0).cast(m)));
              simulation.<String>spawn("bystander", () -> (_, _) -> {}).cast("done soon");
              two.getFirst().cast(1);
              simulation.sleep(Duration.ofDays(1));
            });
    assertThat(found)
        .hasMessageContaining("[SIMULATION-ENDLESS]")
        .hasMessageMatching(
            "(?s).*since turn \\d+, for 0.00\\d+ s of its time, only these have run.*")
        .hasMessageMatching("(?s).*/simulation/ping: \\d+ slices, the last with Integer.*")
        .hasMessageMatching("(?s).*/simulation/pong: \\d+ slices, the last with Integer.*");
    assertThat(found.getMessage().substring(0, found.getMessage().indexOf("next:")))
        .doesNotContain("bystander");
  }

  /** A loop that waits for what only another turn could do, and no other turn will. */
  @Test
  void aTurnThatSpinsForEverIsNamed() {
    var never = new AtomicBoolean();
    SimulationFailure found =
        find(
            SimulationPlan.DEFAULT.withMaxTurns(10_000).withShrinks(false),
            simulation -> {
              simulation
                  .<String>spawn(
                      "spins",
                      () ->
                          (_, _) -> {
                            while (!never.get()) Safepoint.poll();
                          })
                  .cast("wait");
              simulation.sleep(Duration.ofDays(1));
            });
    never.set(true);
    assertThat(found)
        .hasMessageContaining("[SIMULATION-ENDLESS]")
        .hasMessageContaining("/simulation/spins does not come to the end of its turn of String");
  }

  /** As many polls, but it waits in between. */
  @Test
  void aLongTurnThatWaitsNowAndThenIsNotEndless() {
    Simulation.run(
        SimulationPlan.DEFAULT.withMaxTurns(10_000).withPreempts(false),
        1,
        simulation -> {
          for (int i = 0; i < 30; i++) {
            for (int j = 0; j < 10_000; j++) Safepoint.poll();
            simulation.sleep(Duration.ofMillis(1));
          }
        });
  }
}
