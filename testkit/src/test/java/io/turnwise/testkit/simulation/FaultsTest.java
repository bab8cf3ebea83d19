package io.turnwise.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.StopReason;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.MailboxFullException;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorSpec;
import io.turnwise.weaving.Safepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What a test allows goes wrong, in every way it may, as the seed says, and is told. */
class FaultsTest {
  private static final int SEEDS = 300;

  /** Each seed twice: what goes wrong is the seed's to decide, and nobody else's. */
  private static void runAll(Simulation.Body body) {
    for (int seed = 1; seed <= SEEDS; seed++) {
      Outcome first = Simulation.run(seed, body);
      Simulation.repeat(SimulationPlan.DEFAULT, first, body);
    }
  }

  /** The first failure; it comes again from its schedule. */
  private static SimulationFailure find(Simulation.Body body) {
    for (int seed = 1; seed <= SEEDS; seed++) {
      try {
        Simulation.run(seed, body);
      } catch (SimulationFailure found) {
        var again = new Strategy.Replay(found.outcome().schedule());
        assertThatThrownBy(
                () -> Simulation.run(SimulationPlan.DEFAULT.withStrategy(again), 0, body))
            .isInstanceOf(SimulationFailure.class);
        return found;
      }
    }
    throw new AssertionError("not found with " + SEEDS + " seeds");
  }

  // ---- crashes -------------------------------------------------------------------------------

  @Test
  void aTurnCrashesBeforeAtAnyPollOfOrAfterItsHandler() {
    Set<List<String>> seen = new HashSet<>();
    runAll(
        simulation -> {
          List<String> done = new ArrayList<>();
          ActorRef<String> weak =
              simulation.spawn(
                  "weak",
                  () ->
                      (_, _) -> {
                        done.add("begins");
                        for (int i = 1; i <= 3; i++) {
                          Safepoint.poll();
                          done.add("step " + i);
                        }
                        done.add("ends");
                      });
          simulation.mayCrash(weak);
          weak.whenStopped().thenAccept(_ -> seen.add(List.copyOf(done)));
          weak.cast("work");
          simulation.sleep(Duration.ofSeconds(1));
        });
    assertThat(seen)
        .contains(
            List.of(),
            List.of("begins"),
            List.of("begins", "step 1"),
            List.of("begins", "step 1", "step 2"),
            List.of("begins", "step 1", "step 2", "step 3", "ends"));
  }

  /** Also where others have run in the middle of the turn. */
  @Test
  void aTurnCrashesInTheMiddleAfterAWait() {
    var crashed = new int[1];
    runAll(
        simulation -> {
          var waited = new boolean[1];
          ActorRef<String> weak =
              simulation.spawn(
                  "weak",
                  () ->
                      (_, _) -> {
                        sleep(simulation, Duration.ofMillis(1));
                        waited[0] = true;
                        Safepoint.poll();
                        waited[0] = false;
                      });
          simulation.mayCrash(weak);
          simulation.<String>spawn("other", () -> (_, _) -> {}).cast("runs meanwhile");
          weak.cast("work");
          simulation.sleep(Duration.ofSeconds(1));
          if (waited[0]) crashed[0]++;
        });
    assertThat(crashed[0]).isPositive();
  }

  @Test
  void asManyTurnsCrashAsTheTestAsksFor() {
    Set<Integer> seen = new TreeSet<>();
    for (int seed = 1; seed <= SEEDS; seed++)
      Simulation.run(
          seed,
          simulation -> {
            var crashes = new int[1];
            for (int i = 0; i < 8; i++) {
              ActorRef<String> weak = simulation.spawn("weak" + i, () -> (_, _) -> {});
              simulation.mayCrash(weak, 1);
              weak.whenStopped()
                  .thenAccept(reason -> crashes[0] += reason instanceof StopReason.Crashed ? 1 : 0);
              for (int j = 0; j < 5; j++) weak.cast("work");
            }
            simulation.sleep(Duration.ofSeconds(1));
            seen.add(crashes[0]);
          });
    assertThat(seen).contains(2, 4, 6);
  }

  /** One that a supervisor brings back has more turns to crash. */
  @Test
  void aChildThatIsRestartedCrashesAgain() {
    Set<Long> seen = new TreeSet<>();
    for (int seed = 1; seed <= 100; seed++)
      Simulation.run(
          seed,
          simulation -> {
            ChildSpec<String> spec = ChildSpec.of("weak", () -> (_, _) -> {});
            Supervisor supervisor =
                Supervisor.start(
                    simulation.system(),
                    "supervisor",
                    SupervisorSpec.oneForOne().withLimit(100, Duration.ofDays(1)).withChild(spec));
            ActorRef<String> weak = supervisor.child(spec);
            simulation.mayCrash(weak, 5);
            for (int i = 0; i < 40; i++) weak.cast("work");
            simulation.sleep(Duration.ofSeconds(1));
            seen.add((long) supervisor.children().getFirst().restarts());
          });
    assertThat(seen).contains(4L, 5L).allMatch(restarts -> restarts <= 5);
  }

  // ---- time ----------------------------------------------------------------------------------

  @Test
  void anActorStandsStillWhileOthersGoOn() {
    Set<Duration> late = new TreeSet<>();
    runAll(
        simulation -> {
          List<Duration> stuck = new ArrayList<>();
          List<Duration> free = new ArrayList<>();
          ActorRef<String> stalls =
              simulation.spawn("stalls", () -> (_, _) -> stuck.add(simulation.time()));
          ActorRef<String> runs =
              simulation.spawn("runs", () -> (_, _) -> free.add(simulation.time()));
          simulation.mayStall(stalls, Duration.ofSeconds(8));
          for (int i = 0; i < 3; i++) {
            stalls.cast("work");
            runs.cast("work");
          }
          simulation.sleep(Duration.ofMinutes(1));
          assertThat(free).hasSize(3).allMatch(time -> time.toMillis() < 100);
          assertThat(stuck).hasSize(3);
          stuck.forEach(time -> late.add(Duration.ofSeconds(time.toSeconds())));
        });
    assertThat(late).contains(Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(8));
  }

  @Test
  void ofTimersThatAreDueWhileTheMachineStandsStillAnyIsTheFirst() {
    SimulationFailure found =
        find(
            simulation -> {
              simulation.mayStall(Duration.ofSeconds(10));
              List<String> order = new ArrayList<>();
              for (int i = 1; i <= 2; i++) {
                int seconds = i;
                Thread.startVirtualThread(
                    () -> {
                      sleep(simulation, Duration.ofSeconds(seconds));
                      order.add("after " + seconds);
                    });
              }
              simulation.sleep(Duration.ofSeconds(1));
              for (int i = 0; i < 10; i++) simulation.sleep(Duration.ofMillis(200));
              simulation.sleep(Duration.ofSeconds(1));
              assertThat(order).isEqualTo(List.of("after 1", "after 2"));
            });
    assertThat(found.story()).contains("the machine stands still for ");
  }

  @Test
  void aSlowActorTakesItsTimeBeforeOrAfterItsHandler() {
    Set<String> seen = new TreeSet<>();
    runAll(
        simulation -> {
          List<Duration> begun = new ArrayList<>();
          ActorRef<String> slow =
              simulation.spawn("slow", () -> (_, _) -> begun.add(simulation.time()));
          simulation.mayBeSlow(slow, Duration.ofSeconds(8));
          slow.cast("first");
          slow.cast("second");
          simulation.sleep(Duration.ofMinutes(1));
          long first = begun.getFirst().toSeconds();
          long second = begun.getLast().toSeconds() - first;
          assertThat(first).isBetween(0L, 8L);
          assertThat(second).isBetween(0L, 16L);
          seen.add(first + " and " + second);
        });
    assertThat(seen).hasSizeGreaterThan(40);
  }

  @Test
  void aSlowTurnCanBeKilled() {
    runAll(
        simulation -> {
          ActorRef<String> slow = simulation.spawn("slow", () -> (_, _) -> {});
          simulation.mayBeSlow(slow, Duration.ofDays(1));
          slow.cast("work");
          simulation.sleep(Duration.ofSeconds(1));
          slow.kill();
          Duration before = simulation.time();
          slow.whenStopped().toCompletableFuture().join();
          assertThat(simulation.time().minus(before)).isLessThan(Duration.ofMinutes(1));
        });
  }

  // ---- messages ------------------------------------------------------------------------------

  @Test
  void aMailboxWithoutABoundGetsOneAndItsSendersWait() {
    Set<Integer> most = new TreeSet<>();
    runAll(
        simulation -> {
          simulation.mayShrinkMailboxes(2);
          var sent = new int[1];
          var ahead = new int[1];
          var handled = new int[1];
          ActorRef<Integer> slow =
              simulation.spawn(
                  "slow",
                  () ->
                      (_, _) -> {
                        sleep(simulation, Duration.ofMillis(1));
                        handled[0]++;
                      });
          simulation
              .<String>spawn(
                  "fast",
                  () ->
                      (_, _) -> {
                        for (; sent[0] < 20; sent[0]++) {
                          slow.cast(sent[0]);
                          ahead[0] = Math.max(ahead[0], sent[0] - handled[0]);
                        }
                      })
              .cast("go");
          simulation.sleep(Duration.ofSeconds(1));
          assertThat(handled[0]).isEqualTo(20);
          most.add(ahead[0]);
        });
    // Two in the mailbox and one in hand; or four, or eight; or all of them.
    assertThat(most).hasSize(4).contains(2, 4, 8, 19);
  }

  @Test
  void aSizeThatIsLargeForUsersIsSmallForTheTestAndThePolicyStays() {
    SimulationFailure found =
        find(
            simulation -> {
              simulation.mayShrinkMailboxes(2);
              var spec =
                  ActorSpec.<Integer>of(() -> (_, _) -> {})
                      .withMailbox(MailboxConfig.bounded(256, OverflowPolicy.FAIL));
              ActorRef<Integer> sink = simulation.system().spawn("sink", spec);
              for (int i = 0; i < 3; i++) sink.cast(i);
            });
    assertThat(found).hasCauseInstanceOf(MailboxFullException.class);
    assertThat(found.story()).contains("/simulation/sink has room for 2 messages");
  }

  /** It is nobody's turn that waits for room then. */
  @Test
  void whatComesLateWaitsForRoom() {
    runAll(
        simulation -> {
          List<Integer> got = new ArrayList<>();
          var spec =
              ActorSpec.<Integer>of(
                      () ->
                          (number, _) -> {
                            sleep(simulation, Duration.ofMillis(1));
                            got.add(number);
                          })
                  .withMailbox(MailboxConfig.bounded(1, OverflowPolicy.WAIT));
          ActorRef<Integer> sink = simulation.system().spawn("sink", spec);
          simulation.mayDelay(sink, Duration.ofMillis(3));
          for (int i = 0; i < 10; i++) sink.cast(i);
          simulation.sleep(Duration.ofSeconds(1));
          assertThat(got).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        });
  }

  /** Nor do messages of one thread that an actor has started, whatever it does in between. */
  @Test
  void messagesOfAThreadDoNotOvertakeEachOther() {
    runAll(
        simulation -> {
          List<Integer> got = new ArrayList<>();
          ActorRef<Integer> sink = simulation.spawn("sink", () -> (number, _) -> got.add(number));
          simulation.mayDelay(sink, Duration.ofMillis(3));
          Thread.startVirtualThread(
              () -> {
                for (int i = 0; i < 5; i++) {
                  sink.cast(i);
                  Thread.yield();
                }
              });
          simulation.sleep(Duration.ofSeconds(1));
          assertThat(got).containsExactly(0, 1, 2, 3, 4);
        });
  }

  @Test
  void whatIsStillUnderWayAtTheEndIsNoDefect() {
    runAll(
        simulation -> {
          ActorRef<Integer> sink = simulation.spawn("sink", () -> (_, _) -> {});
          simulation.mayDelay(sink, Duration.ofDays(1));
          sink.cast(1);
        });
  }

  private static void sleep(Simulation simulation, Duration time) {
    try {
      simulation.sleep(time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
