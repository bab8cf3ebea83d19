package io.turnwise.testkit.supervision;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.Context;
import io.turnwise.RootFailure;
import io.turnwise.StopReason;
import io.turnwise.supervision.AutoShutdown;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.RestartLimit;
import io.turnwise.supervision.RestartType;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorRequest;
import io.turnwise.supervision.SupervisorSpec;
import io.turnwise.testkit.Testkit;
import io.turnwise.testkit.VirtualTestkit;
import io.turnwise.testkit.simulation.Simulation;
import io.turnwise.testkit.simulation.SimulationPlan;
import io.turnwise.testkit.supervision.Family.Finish;
import io.turnwise.testkit.supervision.Family.Hang;
import io.turnwise.testkit.supervision.Family.Life;
import io.turnwise.testkit.supervision.Family.Order;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the end of a supervisor at the top is to the rest of its system. */
class RootFailureTest {
  @BeforeAll
  static void quietLog() {
    Family.quietLog(true);
  }

  @AfterAll
  static void loudLog() {
    Family.quietLog(false);
  }

  /** A supervisor of one child, and an actor that is none of its business. */
  private static final class Scene implements AutoCloseable {
    final VirtualTestkit kit;
    final Family family;
    final ChildSpec<Order> child;
    final ActorRef<Object> other;

    Scene(RootFailure choice) {
      kit = Testkit.onVirtualTime(c -> c.withRootFailure(choice));
      family = new Family(kit);
      child = family.child("a");
      other = kit.system().spawn("other", () -> (_, _) -> {});
      kit.run();
    }

    Supervisor start(SupervisorSpec spec) {
      return Supervisor.start(kit.system(), "sup", spec);
    }

    boolean otherLives() {
      return kit.system().find("other").isPresent();
    }

    @Override
    public void close() {
      family.openGate();
      kit.allowCrashes();
      kit.allowDeadLetters();
      kit.close();
    }
  }

  /** Ends that nobody has ordered. */
  enum Failure {
    GIVES_UP {
      @Override
      Supervisor happensIn(Scene scene) {
        Supervisor sup =
            scene.start(
                SupervisorSpec.oneForOne().withChild(scene.child).withLimit(RestartLimit.of(0)));
        sup.child(scene.child).cast(Family.crash());
        return sup;
      }
    },
    IS_KILLED {
      @Override
      Supervisor happensIn(Scene scene) {
        Supervisor sup = scene.start(SupervisorSpec.oneForOne().withChild(scene.child));
        scene.kit.run();
        sup.actor().kill();
        return sup;
      }
    },
    IS_KILLED_BEFORE_IT_HAS_BEGUN {
      @Override
      Supervisor happensIn(Scene scene) {
        Supervisor sup = scene.start(SupervisorSpec.oneForOne().withChild(scene.child));
        sup.actor().kill();
        return sup;
      }
    },
    IS_KILLED_WITH_A_CHILD_THAT_HANGS {
      @Override
      Supervisor happensIn(Scene scene) {
        Supervisor sup = scene.start(SupervisorSpec.oneForOne().withChild(scene.child));
        sup.child(scene.child).cast(new Hang());
        scene.kit.run();
        sup.actor().kill();
        return sup;
      }
    },
    IS_LINKED_TO_ONE_THAT_CRASHES {
      @Override
      Supervisor happensIn(Scene scene) {
        Supervisor sup = scene.start(SupervisorSpec.oneForOne().withChild(scene.child));
        ActorRef<String> linked =
            scene
                .kit
                .system()
                .spawn(
                    "linked",
                    () ->
                        (_, context) -> {
                          context.link(sup.actor());
                          throw new IllegalStateException("with a link");
                        });
        scene.kit.run();
        linked.cast("crash");
        return sup;
      }
    },
    CANNOT_MAKE_ITS_CHILDREN {
      @Override
      Supervisor happensIn(Scene scene) {
        ActorSpec<Order> nowhere = scene.child.actor().withDispatcher("nowhere");
        SupervisorSpec spec = SupervisorSpec.oneForOne().withChild(ChildSpec.of("a", nowhere));
        return Supervisor.at(scene.kit.system().spawn("sup", spec.asActor()));
      }
    };

    abstract Supervisor happensIn(Scene scene);
  }

  @ParameterizedTest
  @EnumSource
  void aSupervisorAtTheTopThatFailsEndsItsSystem(Failure failure) {
    try (var scene = new Scene(RootFailure.CLOSE)) {
      Supervisor sup = failure.happensIn(scene);
      scene.kit.advance(ofMillis(100)); // what a kill may take
      assertThat(scene.kit.expectStopped(sup.actor()).orderly()).isFalse();
      assertThat(scene.kit.expectStopped(scene.other)).isInstanceOf(StopReason.ShutDown.class);
    }
  }

  @ParameterizedTest
  @EnumSource
  void orTheRestGoesOn(Failure failure) {
    try (var scene = new Scene(RootFailure.GO_ON)) {
      Supervisor sup = failure.happensIn(scene);
      scene.kit.advance(ofMillis(100));
      assertThat(scene.kit.expectStopped(sup.actor()).orderly()).isFalse();
      assertThat(scene.otherLives()).isTrue();
    }
  }

  /** Ends that are no failure of the root. */
  enum NoFailure {
    TOLD_TO_STOP {
      @Override
      void happensIn(Scene scene) {
        scene.start(SupervisorSpec.oneForOne().withChild(scene.child)).stop();
      }
    },
    TOLD_TO_STOP_AND_KILLED_SINCE_THAT_TAKES_LONG {
      @Override
      void happensIn(Scene scene) {
        Supervisor sup = scene.start(SupervisorSpec.oneForOne().withChild(scene.child));
        sup.child(scene.child).cast(new Hang());
        scene.kit.run();
        sup.stop();
        scene.kit.run();
        sup.actor().kill();
        scene.kit.advance(ofMillis(100));
        assertThat(scene.kit.expectStopped(sup.actor())).isInstanceOf(StopReason.Killed.class);
      }
    },
    NO_MORE_TO_DO {
      @Override
      void happensIn(Scene scene) {
        ChildSpec<Order> significant =
            scene.child.withRestart(RestartType.TRANSIENT).withSignificant(true);
        Supervisor sup =
            scene.start(
                SupervisorSpec.oneForOne()
                    .withAutoShutdown(AutoShutdown.ANY_SIGNIFICANT)
                    .withChild(significant));
        sup.child(significant).cast(new Finish());
        scene.kit.run();
        scene.kit.expectStopped(sup.actor());
      }
    },
    KILLED_UNDER_ANOTHER {
      @Override
      void happensIn(Scene scene) {
        ChildSpec<SupervisorRequest> inner =
            ChildSpec.supervisor("inner", SupervisorSpec.oneForOne().withChild(scene.child));
        Supervisor sup = scene.start(SupervisorSpec.oneForOne().withChild(inner));
        ActorRef<SupervisorRequest> middle = sup.child(inner);
        scene.kit.await(middle.kill());
        assertThat(Supervisor.at(middle).child(scene.child).call(new Life())).isEqualTo(2);
      }
    },
    A_PLAIN_ACTOR_KILLED {
      @Override
      void happensIn(Scene scene) {
        ActorRef<Object> plain = scene.kit.system().spawn(() -> (_, _) -> {});
        scene.kit.run();
        scene.kit.await(plain.kill());
      }
    },
    UNDER_A_PLAIN_ACTOR_KILLED {
      @Override
      void happensIn(Scene scene) {
        SupervisorSpec spec = SupervisorSpec.oneForOne().withChild(scene.child);
        scene.kit.system().spawn("plain", () -> new Parent(spec));
        scene.kit.run();
        scene.kit.await(scene.kit.system().find("plain/below").orElseThrow().kill());
      }
    };

    abstract void happensIn(Scene scene);
  }

  private record Parent(SupervisorSpec spec) implements Actor<Object> {
    @Override
    public void init(Context<Object> context) {
      Supervisor.start(context, "below", spec);
    }

    @Override
    public void receive(Object message, Context<Object> context) {}
  }

  @ParameterizedTest
  @EnumSource
  void otherEndsDoNot(NoFailure end) {
    try (var scene = new Scene(RootFailure.CLOSE)) {
      end.happensIn(scene);
      scene.kit.advance(ofMillis(100));
      assertThat(scene.otherLives()).isTrue();
    }
  }

  /** Whenever the kill comes: while it starts its children, while they run, while they restart. */
  @Test
  void aKillOfTheRootEndsTheSystemWheneverItComes() {
    Simulation.runAll(
        SimulationPlan.DEFAULT,
        1,
        500,
        simulation -> {
          var random = new SplittableRandom(simulation.seed());
          SupervisorSpec spec =
              random.nextBoolean() ? SupervisorSpec.oneForAll() : SupervisorSpec.dynamic();
          for (String name : new String[] {"a", "b", "c"})
            spec =
                spec.withChild(
                    name,
                    () ->
                        (_, _) -> {
                          throw new IllegalStateException("on purpose");
                        });
          Supervisor sup =
              Supervisor.start(simulation.system(), "sup", spec.withLimit(RestartLimit.NONE));
          ActorRef<Object> other = simulation.spawn("other", () -> (_, _) -> {});
          if (random.nextInt(4) > 0) sup.child("a").orElseThrow().kill();
          if (random.nextBoolean()) simulation.sleep(ofNanos(random.nextInt(20_000)));
          sup.actor().kill();
          assertThat(sup.whenStopped().toCompletableFuture().join().orderly()).isFalse();
          assertThat(other.whenStopped().toCompletableFuture().join())
              .isInstanceOf(StopReason.ShutDown.class);
        });
  }
}
