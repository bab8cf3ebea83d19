package io.turnwise.testkit.supervision;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.ActorRef;
import io.turnwise.StopReason;
import io.turnwise.supervision.Backoff;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.ChildState;
import io.turnwise.supervision.ChildStatus;
import io.turnwise.supervision.Recovery;
import io.turnwise.supervision.RestartLimit;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorRequest;
import io.turnwise.supervision.SupervisorSpec;
import io.turnwise.testkit.supervision.Family.Life;
import io.turnwise.testkit.supervision.Family.Order;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A supervisor under another whose start fails at the third of five children. */
class FailedStartTest extends FamilyTest {
  private static final List<String> NAMES = List.of("a", "b", "c", "d", "e");

  enum Strategy {
    ONE_FOR_ONE(SupervisorSpec::oneForOne),
    ONE_FOR_ALL(SupervisorSpec::oneForAll),
    REST_FOR_ONE(SupervisorSpec::restForOne),
    GRAPH_ONE(() -> SupervisorSpec.graph(Recovery.ONE)),
    GRAPH_UPSTREAM(() -> SupervisorSpec.graph(Recovery.UPSTREAM)),
    GRAPH_DOWNSTREAM(() -> SupervisorSpec.graph(Recovery.DOWNSTREAM)),
    GRAPH_ALL(() -> SupervisorSpec.graph(Recovery.ALL)),
    DYNAMIC(SupervisorSpec::dynamic);

    private final Supplier<SupervisorSpec> spec;

    Strategy(Supplier<SupervisorSpec> spec) {
      this.spec = spec;
    }

    /** The first two are up before the third begins, and the last two wait for it. */
    SupervisorSpec with(List<ChildSpec<Order>> children) {
      SupervisorSpec all = spec.get();
      for (int i = 0; i < children.size(); i++) {
        ChildSpec<Order> child = children.get(i);
        boolean graph = all.shape() == SupervisorSpec.Shape.GRAPH;
        all = all.withChild(graph && i > 0 ? child.withDependsOn(NAMES.get(i - 1)) : child);
      }
      return all.withLimit(RestartLimit.of(0));
    }
  }

  private List<ChildSpec<Order>> five() {
    return NAMES.stream().map(family::child).toList();
  }

  private Supervisor under(SupervisorSpec spec, int restarts) {
    ChildSpec<SupervisorRequest> inner =
        ChildSpec.supervisor("inner", spec).withBackoff(Backoff.constant(ofSeconds(1)));
    return start(SupervisorSpec.oneForOne().withChild(inner).withLimit(RestartLimit.of(restarts)));
  }

  @SuppressWarnings("unchecked") // all children are made of such specs
  private ActorRef<Order> find(String name) {
    return (ActorRef<Order>) kit.system().find("sup/inner/" + name).orElseThrow();
  }

  private Supervisor inner() {
    @SuppressWarnings("unchecked") // a supervisor is one
    var actor = (ActorRef<SupervisorRequest>) kit.system().find("sup/inner").orElseThrow();
    return Supervisor.at(actor);
  }

  private void expectAllUp(List<ActorRef<Order>> addresses) {
    assertThat(inner().children())
        .extracting(ChildStatus::state)
        .containsExactly(ChildState.UP, ChildState.UP, ChildState.UP, ChildState.UP, ChildState.UP);
    assertThat(NAMES).extracting(this::find).containsExactlyElementsOf(addresses);
  }

  @ParameterizedTest
  @EnumSource
  void itsChildrenComeBackWithItAtTheirAddresses(Strategy strategy) {
    family.crashInInit.put("c", 1);
    under(strategy.with(five()), 1);
    // Its first life is over, and the second waits for its time.
    List<String> before = new ArrayList<>(family.diary);
    if (strategy != Strategy.DYNAMIC)
      assertThat(before).containsExactly("a starts", "b starts", "c fails", "b stops", "a stops");
    assertThat(before).filteredOn(line -> line.endsWith(" starts")).hasSizeBetween(2, 4);
    assertThat(before)
        .filteredOn(line -> line.endsWith(" stops"))
        .hasSameSizeAs(before.stream().filter(line -> line.endsWith(" starts")).toList());
    List<ActorRef<Order>> addresses = NAMES.stream().map(this::find).toList();
    List<CompletableFuture<Integer>> lives = new ArrayList<>();
    for (ActorRef<Order> child : addresses)
      lives.add(child.callAsync(new Life(), ofSeconds(10)).toCompletableFuture()); // are kept
    kit.run();
    assertThat(lives).noneMatch(CompletableFuture::isDone);
    kit.advance(ofSeconds(2));
    expectAllUp(addresses);
    assertThat(lives).allMatch(CompletableFuture::isDone);
    assertThat(lives.get(0).join()).isEqualTo(2);
    assertThat(lives.get(2).join()).isEqualTo(2);
    for (String name : NAMES)
      assertThat(family.diary).filteredOn(line -> line.equals(name + " starts")).isNotEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void alsoIfALaterLifeFailsSo(Strategy strategy) {
    under(strategy.with(five()), 2);
    List<ActorRef<Order>> addresses = NAMES.stream().map(this::find).toList();
    expectAllUp(addresses);
    family.crashInInit.put("c", 1);
    kit.await(inner().actor().kill());
    kit.advance(ofSeconds(1)); // begins its second life, which fails
    kit.advance(ofSeconds(2));
    expectAllUp(addresses);
    assertThat(find("c").call(new Life())).isEqualTo(3);
    assertThat(find("a").call(new Life())).isEqualTo(3);
  }

  @ParameterizedTest
  @EnumSource
  void whereItFailsForEverNobodyIsLeft(Strategy strategy) {
    family.crashInInit.put("c", Integer.MAX_VALUE);
    Supervisor outer = under(strategy.with(five()), 3);
    List<ActorRef<Order>> addresses = NAMES.stream().map(this::find).toList();
    kit.advance(ofSeconds(10));
    kit.expectStopped(outer.actor());
    for (ActorRef<Order> child : addresses) kit.expectStopped(child);
    assertThat(family.livesOf("c")).isEqualTo(4);
  }

  // ---- a child that cannot even be made --------------------------------------------------------

  private List<ChildSpec<Order>> thirdIsNowhere() {
    List<ChildSpec<Order>> five = new ArrayList<>(five());
    five.set(2, ChildSpec.of("c", five.get(2).actor().withDispatcher("nowhere")));
    return five;
  }

  @ParameterizedTest
  @EnumSource
  void thoseThatWereMadeWaitForItsNextLife(Strategy strategy) {
    Supervisor outer = under(strategy.with(thirdIsNowhere()), 2);
    ActorRef<Order> a = find("a");
    CompletableFuture<StopReason> ended = a.whenStopped().toCompletableFuture();
    for (int i = 0; i < 2; i++) {
      assertThat(ended).isNotDone();
      assertThat(find("a")).isSameAs(a);
      assertThat(outer.children().getFirst().lastReason())
          .isInstanceOfSatisfying(
              StopReason.Crashed.class,
              crash -> assertThat(crash.cause()).hasMessageContainingAll("'c'", "nowhere"));
      kit.advance(ofSeconds(1));
    }
    assertThat(family.diary).isEmpty(); // none of them was started
    kit.expectStopped(outer.actor());
    kit.expectStopped(a);
  }

  @Test
  void whoStopsItBetweenItsLivesStopsThemToo() {
    Supervisor outer = under(Strategy.ONE_FOR_ALL.with(thirdIsNowhere()), 10);
    ActorRef<Order> a = find("a");
    ActorRef<Order> b = find("b");
    assertThat(outer.stop(inner().actor())).isTrue();
    kit.expectStopped(a);
    kit.expectStopped(b);
  }
}
