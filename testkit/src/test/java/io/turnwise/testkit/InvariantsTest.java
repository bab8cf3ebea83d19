package io.turnwise.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.internal.cell.Audit;
import io.turnwise.internal.cell.Auditor;
import io.turnwise.internal.cell.BrokenCells;
import io.turnwise.internal.cell.LocalActorSystem;
import io.turnwise.internal.scheduler.BrokenTasks;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.observation.CloseReport;
import io.turnwise.testkit.simulation.Simulation;
import io.turnwise.testkit.simulation.SimulationPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What must hold after every test is looked at after every test, simulated or not: each is broken
 * on purpose, and found.
 */
class InvariantsTest {
  /** Two actors of the system that is tried: one at rest, one in the middle of a turn. */
  private record Scene(
      ActorRef<String> idle, ActorRef<String> inTheMiddle, CompletableFuture<String> goOn) {
    static Scene in(ActorSystem system) {
      var goOn = new CompletableFuture<String>();
      var bounded =
          ActorSpec.<String>of(() -> (_, _) -> {})
              .withMailbox(MailboxConfig.bounded(8, OverflowPolicy.FAIL));
      var scene =
          new Scene(
              system.spawn("idle", bounded),
              system.spawn("in-the-middle", () -> (_, _) -> goOn.join()),
              goOn);
      scene.inTheMiddle.cast("wait");
      return scene;
    }
  }

  /** What is broken, when everybody rests or when all has ended. */
  private enum Break {
    NOTHING(""),
    IDLE_WITH_A_MESSAGE("/idle rests although 1 messages wait for it."),
    IDLE_IN_A_QUEUE("/idle is idle and in the line of worker 0"),
    IN_TWO_QUEUES("/idle is in the line of worker 0"),
    TO_RUN_IN_NO_QUEUE("/in-the-middle is to run and in no queue."),
    TOO_MUCH_CREDIT("/idle has a credit of 2,147,483,646 ns;"),
    TOO_MUCH_DEBT("/idle has a credit of -2,147,483,648 ns;"),
    FIBER_OF_TWO("and to /"),
    MESSAGE_KEPT("/idle has ended and kept 1 messages."),
    MESSAGE_LOST(" handled, failed or dead letters."),
    TIMER_LEFT("1 timers of actors are left.");

    final String says;

    Break(String says) {
      this.says = says;
    }

    /** Returns what mends it before the close. */
    Runnable atRest(Scene scene) {
      return switch (this) {
        case NOTHING, MESSAGE_KEPT, TIMER_LEFT -> () -> {};
        case MESSAGE_LOST -> BrokenCells.countOneTooMany(scene.idle);
        case IDLE_WITH_A_MESSAGE -> BrokenCells.putUnseen(scene.idle);
        case IDLE_IN_A_QUEUE -> BrokenTasks.queueIdle(scene.idle);
        case IN_TWO_QUEUES -> BrokenTasks.queueTwice(scene.idle);
        case TO_RUN_IN_NO_QUEUE -> BrokenTasks.loseFiber(scene.inTheMiddle);
        case TOO_MUCH_CREDIT -> BrokenTasks.raiseCredit(scene.idle);
        case TOO_MUCH_DEBT -> BrokenTasks.lowerCredit(scene.idle);
        case FIBER_OF_TWO -> BrokenTasks.lendFiberTwice(scene.inTheMiddle, scene.idle);
      };
    }

    /** Whether whoever drives the system would run it, and so mend it. */
    boolean isInAQueue() {
      return this == IDLE_IN_A_QUEUE || this == IN_TWO_QUEUES;
    }

    boolean needsATurn() {
      return this == TO_RUN_IN_NO_QUEUE || this == FIBER_OF_TWO;
    }

    void atEnd(Scene scene) {
      if (this == MESSAGE_KEPT) BrokenCells.keepAfterItsEnd(scene.idle);
      if (this == TIMER_LEFT) BrokenCells.leaveTimer(scene.idle);
    }
  }

  /** Mends what was broken before the close, and breaks what is to be broken after it. */
  private static final class Saboteur implements Auditor {
    private final Break broken;
    private final List<Runnable> mends = new ArrayList<>();
    private Scene scene;

    Saboteur(Break broken) {
      this.broken = broken;
    }

    /** Nobody runs. */
    void strike(Scene here) {
      scene = here;
      mends.add(broken.atRest(here));
    }

    void mend() {
      mends.forEach(Runnable::run);
      mends.clear();
    }

    @Override
    public void closes(LocalActorSystem system) {
      mend();
      scene.goOn.complete("go on");
    }

    @Override
    public void closed(LocalActorSystem system, CloseReport report) {
      broken.atEnd(scene);
    }
  }

  private enum Kind {
    ON_VIRTUAL_TIME,
    ON_THREADS,
    IN_A_SIMULATION
  }

  private static Stream<Arguments> all() {
    return Stream.of(Kind.values())
        .flatMap(kind -> Stream.of(Break.values()).map(broken -> Arguments.of(kind, broken)))
        .filter(InvariantsTest::canBePlanted);
  }

  /** What lies in a queue of a worker that has a thread is run, sooner or later. */
  private static boolean canBePlanted(Arguments both) {
    Object[] given = both.get();
    return given[0] != Kind.ON_THREADS || !((Break) given[1]).isInAQueue();
  }

  @AfterEach
  void nobodyListens() {
    LocalActorSystem.auditBy(null);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("all")
  void eachIsFound(Kind kind, Break broken) {
    var saboteur = new Saboteur(broken);
    LocalActorSystem.auditBy(saboteur);
    Throwable found =
        catchThrowable(
            () -> {
              if (kind == Kind.IN_A_SIMULATION) simulate(saboteur);
              else test(kind, saboteur);
            });
    String said = found == null ? "" : found.getMessage();
    if (broken == Break.NOTHING) assertThat(said).doesNotContainIgnoringCase("defect");
    else assertThat(said).contains(broken.says).containsIgnoringCase("a defect of the runtime");
  }

  private static void test(Kind kind, Saboteur saboteur) {
    try (Testkit kit =
        kind == Kind.ON_THREADS
            ? Testkit.onThreads(c -> c.withWorkers(1))
            : Testkit.onVirtualTime()) {
      Scene scene = Scene.in(kit.system());
      if (!saboteur.broken.needsATurn()) scene.goOn.complete("not needed");
      kit.awaitStill();
      saboteur.strike(scene);
      if (!saboteur.broken.isInAQueue()) return;
      List<String> found = new Audit((LocalActorSystem) kit.system()).lookWhileOpen(List.of());
      saboteur.mend();
      throw new AssertionError(found + " A defect of the runtime.");
    }
  }

  /** The code that is tried is a turn itself: what comes after it is done by another. */
  private static void simulate(Saboteur saboteur) {
    Simulation.run(
        SimulationPlan.DEFAULT.withShrinks(false),
        1,
        simulation -> {
          simulation.mayDeadlock(); // one is left in the middle of its turn, until the close
          Scene scene = Scene.in(simulation.system());
          simulation.sleep(Duration.ofSeconds(1));
          saboteur.strike(scene);
        });
  }
}
