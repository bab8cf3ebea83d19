package io.turnwise.testkit.supervision;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.ActorRef;
import io.turnwise.observation.ActorState;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.ChildStatus;
import io.turnwise.supervision.Recovery;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorRequest;
import io.turnwise.supervision.SupervisorSpec;
import io.turnwise.testkit.Testkit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A supervisor that starts or stops very many children lets others run meanwhile. */
class ManyChildrenTest {
  private static final int MANY = 5_000;

  enum Shape {
    LISTED(SupervisorSpec::oneForOne),
    GRAPH(() -> SupervisorSpec.graph(Recovery.ALL)),
    DYNAMIC(SupervisorSpec::dynamic);

    private final Supplier<SupervisorSpec> spec;

    Shape(Supplier<SupervisorSpec> spec) {
      this.spec = spec;
    }

    SupervisorSpec many() {
      List<ChildSpec<String>> children = new ArrayList<>(MANY);
      for (int i = 0; i < MANY; i++) children.add(ChildSpec.of("c" + i, () -> (_, _) -> {}));
      return spec.get().withChildren(children);
    }
  }

  @ParameterizedTest
  @EnumSource
  void othersRunWhileItsChildrenAreMadeAndWhoCallsItWaits(Shape shape) {
    try (var kit = Testkit.onVirtualTime()) {
      List<Long> seen = new ArrayList<>();
      ActorRef<String> other =
          kit.system()
              .spawn(
                  "other",
                  () ->
                      (message, context) -> {
                        long live = context.system().snapshot().actorsLive();
                        if (seen.isEmpty() || seen.getLast() != live) seen.add(live);
                        if (live < MANY) context.self().cast(message);
                      });
      Supervisor sup = Supervisor.start(kit.system(), "sup", shape.many());
      CompletableFuture<List<ChildStatus>> listed =
          sup.actor()
              .callAsync(new SupervisorRequest.Children(), Duration.ofHours(1))
              .toCompletableFuture();
      other.cast("look");
      kit.run();
      assertThat(seen).hasSizeGreaterThan(MANY / 200);
      assertThat(listed).isDone();
      assertThat(listed.join()).hasSize(MANY); // not those that there were when it was asked
      assertThat(sup.children().getFirst().actor().name()).isEqualTo("c0");
      sup.awaitUp(Duration.ofSeconds(1));
    }
  }

  @ParameterizedTest
  @EnumSource
  void othersRunWhileItsChildrenAreTold(Shape shape) {
    try (var kit = Testkit.onVirtualTime()) {
      Supervisor sup = Supervisor.start(kit.system(), "sup", shape.many());
      kit.run();
      ActorRef<?> first = kit.system().find("sup/c0").orElseThrow();
      ActorRef<?> last = kit.system().find("sup/c" + (MANY - 1)).orElseThrow();
      var between = new int[1];
      ActorRef<String> other =
          kit.system()
              .spawn(
                  "other",
                  () ->
                      (message, context) -> {
                        boolean untold = first.snapshot().state() == ActorState.RECEIVING;
                        boolean ended = last.snapshot().state() == ActorState.HALTED;
                        if (untold && ended) between[0]++;
                        if (context.system().find("sup").isPresent()) context.self().cast(message);
                      });
      kit.run();
      other.cast("look");
      sup.stop();
      kit.run();
      kit.expectStopped(sup.actor());
      kit.expectStopped(first);
      assertThat(between[0]).isGreaterThan(MANY / 200);
    }
  }
}
