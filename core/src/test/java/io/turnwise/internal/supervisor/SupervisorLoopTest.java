package io.turnwise.internal.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.StopReason;
import io.turnwise.internal.supervisor.Playhouse.State;
import io.turnwise.supervision.Backoff;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.ChildState;
import io.turnwise.supervision.Recovery;
import io.turnwise.supervision.RestartLimit;
import io.turnwise.supervision.RestartType;
import io.turnwise.supervision.SupervisorGaveUpException;
import io.turnwise.supervision.SupervisorSpec;
import io.turnwise.supervision.SupervisorSpec.Shape;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every strategy, type, reason, place, delay and limit against a model that knows nothing of waves
 * and counts: who depends on whom, hence who stops and starts, after whom. Then long random runs
 * against what must always hold.
 */
class SupervisorLoopTest {
  private static final Duration DELAY = Duration.ofSeconds(3);
  private static final int SEEDS = 4;

  private static final List<StopReason> REASONS =
      List.of(
          new StopReason.Finished(),
          new StopReason.ShutDown("somebody"),
          new StopReason.Crashed(new IllegalStateException("crash")),
          new StopReason.Killed("somebody"));

  /** Names, and what each depends on. */
  private static final Map<String, List<String>> ROW = graph("a", "b:a", "c:b", "d:c", "e:d");

  /** A diamond with a tail, and one that stands alone. */
  private static final Map<String, List<String>> GRAPH = graph("a", "b:a", "c:a", "d:b,c", "e");

  private static Map<String, List<String>> graph(String... lines) {
    var all = new LinkedHashMap<String, List<String>>();
    for (String line : lines) {
      String[] parts = line.split(":");
      all.put(parts[0], parts.length == 1 ? List.of() : List.of(parts[1].split(",")));
    }
    return all;
  }

  // ---- the model -------------------------------------------------------------------------------

  private static boolean needs(Map<String, List<String>> arrows, String who, String whom) {
    return arrows.get(who).stream()
        .anyMatch(next -> next.equals(whom) || needs(arrows, next, whom));
  }

  private static Set<String> together(
      Map<String, List<String>> arrows, Recovery recovery, String failed) {
    Set<String> all = new LinkedHashSet<>();
    for (String name : arrows.keySet())
      if (name.equals(failed)
          || switch (recovery) {
            case ONE -> false;
            case ALL -> true;
            case UPSTREAM -> needs(arrows, failed, name);
            case DOWNSTREAM -> needs(arrows, name, failed);
          }) all.add(name);
    return all;
  }

  private static boolean comesBack(RestartType type, StopReason reason) {
    return switch (type) {
      case PERMANENT -> true;
      case TRANSIENT -> reason instanceof StopReason.Crashed || reason instanceof StopReason.Killed;
      case TEMPORARY -> false;
    };
  }

  private static SupervisorSpec spec(
      Shape shape, Recovery recovery, Map<String, List<String>> arrows, RestartLimit limit) {
    SupervisorSpec spec =
        shape == Shape.GRAPH
            ? SupervisorSpec.graph(recovery)
            : switch (recovery) {
              case ONE -> SupervisorSpec.oneForOne();
              case ALL -> SupervisorSpec.oneForAll();
              case DOWNSTREAM -> SupervisorSpec.restForOne();
              case UPSTREAM -> throw new AssertionError("not in a row");
            };
    return spec.withLimit(limit);
  }

  private static ChildSpec<?> child(Shape shape, Map<String, List<String>> arrows, String name) {
    ChildSpec<?> child = ChildSpec.of(name, () -> (_, _) -> {});
    return shape == Shape.GRAPH
        ? child.withDependsOn(arrows.get(name).toArray(String[]::new))
        : child;
  }

  // ---- one end, in every way -------------------------------------------------------------------

  record Strategy(Shape shape, Recovery recovery) {
    Map<String, List<String>> arrows() {
      return shape == Shape.GRAPH ? GRAPH : ROW;
    }
  }

  static Stream<Strategy> strategies() {
    return Stream.of(
        new Strategy(Shape.ROW, Recovery.ONE),
        new Strategy(Shape.ROW, Recovery.ALL),
        new Strategy(Shape.ROW, Recovery.DOWNSTREAM),
        new Strategy(Shape.GRAPH, Recovery.ONE),
        new Strategy(Shape.GRAPH, Recovery.UPSTREAM),
        new Strategy(Shape.GRAPH, Recovery.DOWNSTREAM),
        new Strategy(Shape.GRAPH, Recovery.ALL));
  }

  @ParameterizedTest
  @MethodSource("strategies")
  void oneEndStopsAndStartsWhomTheModelSaysInItsOrder(Strategy strategy) {
    for (RestartType type : RestartType.values())
      for (RestartType others : RestartType.values())
        for (StopReason reason : REASONS)
          for (String failed : strategy.arrows().keySet())
            for (boolean delayed : new boolean[] {false, true})
              for (boolean atLimit : new boolean[] {false, true})
                for (int seed = 0; seed < SEEDS; seed++)
                  check(strategy, type, others, reason, failed, delayed, atLimit, seed);
  }

  private static void check(
      Strategy strategy,
      RestartType type,
      RestartType others,
      StopReason reason,
      String failed,
      boolean delayed,
      boolean atLimit,
      int seed) {
    Map<String, List<String>> arrows = strategy.arrows();
    List<ChildSpec<?>> children = new ArrayList<>();
    for (String name : arrows.keySet()) {
      ChildSpec<?> child = child(strategy.shape, arrows, name);
      child = child.withRestart(name.equals(failed) ? type : others);
      children.add(delayed ? child.withBackoff(Backoff.constant(DELAY)) : child);
    }
    SupervisorSpec spec =
        spec(strategy.shape, strategy.recovery, arrows, RestartLimit.of(atLimit ? 0 : 1));
    var house = new Playhouse(spec.withChildren(children), true, seed, (_, _) -> false);
    house.run();
    house.diary.clear();
    long before = house.now;
    house.actor(failed).endsWith = reason;
    house.run();

    boolean back = comesBack(type, reason);
    boolean givesUp = back && atLimit;
    Set<String> stops =
        givesUp
            ? arrows.keySet()
            : back ? together(arrows, strategy.recovery, failed) : Set.of(failed);
    List<String> starts =
        back && !givesUp
            ? stops.stream()
                .filter(name -> name.equals(failed) || others != RestartType.TEMPORARY)
                .toList()
            : List.of();
    String what =
        List.of(strategy, type, others, reason, failed, delayed, atLimit, seed) + " " + house.diary;
    assertThat(told(house, "stop")).as(what).containsExactlyInAnyOrderElementsOf(stops);
    assertThat(told(house, "start")).as(what).containsExactlyInAnyOrderElementsOf(starts);
    if (strategy.shape == Shape.ROW) {
      List<String> inRow = new ArrayList<>(stops);
      java.util.Collections.reverse(inRow);
      if (!givesUp) {
        inRow.remove(failed);
        inRow.addFirst(failed);
        assertThat(told(house, "stop")).as(what).isEqualTo(inRow);
      }
      assertThat(told(house, "start")).as(what).isEqualTo(starts);
    }
    for (String one : stops)
      for (String other : stops)
        if (needs(arrows, one, other) && !other.equals(failed))
          assertThat(house.diary.indexOf("down " + one))
              .as(what)
              .isBetween(0, house.diary.indexOf("stop " + other));
    for (String one : starts) {
      for (String other : stops)
        assertThat(house.diary.indexOf("down " + other))
            .as(what)
            .isBetween(0, house.diary.indexOf("start " + one));
      for (String other : starts)
        if (needs(arrows, one, other))
          assertThat(house.diary.indexOf("up " + other))
              .as(what)
              .isBetween(0, house.diary.indexOf("start " + one));
      if (delayed)
        assertThat(house.startedAt.get(one)).as(what).isEqualTo(before + DELAY.toNanos());
    }
    assertThat(house.failure != null).as(what).isEqualTo(givesUp);
    if (givesUp) assertThat(house.failure).isInstanceOf(SupervisorGaveUpException.class);
    assertThat(house.stopped).as(what).isEqualTo(givesUp);
    assertThat(house.timersLeft()).as(what).isZero();
    for (String name : arrows.keySet())
      assertThat(house.actor(name).state)
          .as(what)
          .isEqualTo(stops.contains(name) && !starts.contains(name) ? State.ENDED : State.UP);
  }

  private static List<String> told(Playhouse house, String what) {
    return house.diary.stream()
        .filter(line -> line.startsWith(what + " "))
        .map(line -> line.substring(what.length() + 1))
        .toList();
  }

  // ---- many ends at once -----------------------------------------------------------------------

  @ParameterizedTest
  @MethodSource("strategies")
  void whateverHappensAllComeToRestInTheirOrder(Strategy strategy) {
    int runs = Integer.getInteger("turnwise.seeds", 1_000);
    for (int seed = 0; seed < runs; seed++) {
      try {
        storm(strategy, seed);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError(strategy + ", seed " + seed + ": " + e.getMessage(), e);
      }
    }
  }

  private static void storm(Strategy strategy, long seed) {
    var random = new SplittableRandom(seed);
    Map<String, List<String>> arrows = strategy.arrows();
    RestartType[] types = RestartType.values();
    List<ChildSpec<?>> children = new ArrayList<>();
    for (String name : arrows.keySet()) {
      ChildSpec<?> child =
          child(strategy.shape, arrows, name)
              .withRestart(types[Math.max(0, random.nextInt(6) - 3)])
              .withStopDeadline(random.nextInt(4) == 0 ? Duration.ZERO : Duration.ofSeconds(1));
      if (random.nextBoolean()) child = child.withBackoff(Backoff.exponential(DELAY));
      children.add(child);
    }
    boolean root = random.nextBoolean();
    RestartLimit limit = RestartLimit.of(random.nextBoolean() ? 100 : random.nextInt(5));
    var house =
        new Playhouse(
            spec(strategy.shape, strategy.recovery, arrows, limit).withChildren(children),
            root,
            seed,
            (other, child) -> isBehind(strategy, arrows, other, child));
    int troubles = random.nextInt(12);
    boolean stopsInTheMiddle = random.nextInt(3) == 0;
    for (int i = 0; i < troubles; i++) {
      for (int steps = random.nextInt(12); steps > 0; steps--) {
        house.step();
      }
      trouble(random, house, arrows);
    }
    if (stopsInTheMiddle) house.stops = true;
    house.run();
    List<Playhouse.Actor> hanging =
        house.actors.values().stream().filter(actor -> actor.hangs).toList();
    hanging.forEach(Playhouse.Actor::goOn);
    house.run();
    checkRest(house, root);
    hanging.forEach(actor -> actor.hangs = true);
    if (house.stopped) return;
    house.stops = true;
    house.run();
    checkRest(house, root);
  }

  /** In a row by when they came; in the graph, where those between are forgotten, by nothing. */
  private static boolean isBehind(
      Strategy strategy, Map<String, List<String>> arrows, Child one, Child other) {
    if (strategy.shape == Shape.ROW) return place(one) > place(other);
    return place(one) < 5 && place(other) < 5 && arrows.get(name(one)).contains(name(other));
  }

  private static String name(Child child) {
    return String.valueOf(child.spec().name());
  }

  private static int place(Child child) {
    String name = name(child);
    return name.length() == 1 ? name.charAt(0) - 'a' : Integer.parseInt(name.substring(1));
  }

  private static final List<String> TROUBLES =
      List.of(
          "end",
          "end",
          "end",
          "fail",
          "hang",
          "order stop",
          "order restart",
          "cancel",
          "ask",
          "add");

  private static void trouble(
      SplittableRandom random, Playhouse house, Map<String, List<String>> arrows) {
    List<Playhouse.Actor> all = new ArrayList<>(house.actors.values());
    Playhouse.Actor actor = all.get(random.nextInt(all.size()));
    Child child = actor.child;
    boolean known = house.loop.children().contains(child);
    int what = random.nextInt(10);
    house.diary.add("(" + TROUBLES.get(what) + " " + actor.name() + ")");
    switch (what) {
      case 0, 1, 2 -> actor.endsWith = REASONS.get(random.nextInt(REASONS.size()));
      case 3 -> actor.failingStarts = 1 + random.nextInt(2);
      case 4 -> actor.hangs = true;
      case 5 -> {
        if (known && !house.stops) house.loop.stop(child, random.nextBoolean());
      }
      case 6 -> {
        if (known && !house.stops) house.loop.restart(child);
      }
      case 7 -> {
        if (known && !house.stops) house.loop.cancelRestarts(child);
      }
      case 8 -> { // somebody asks it to stop while it is down
        if (actor.state == State.DOWN || actor.state == State.STOPPING)
          actor.news.add(() -> house.loop.asksWhileDown(child, REASONS.get(1)));
      }
      default -> {
        String name = "x" + all.size();
        if (!house.stops) house.loop.add(ChildSpec.of(name, () -> (_, _) -> {}));
      }
    }
  }

  private static void checkRest(Playhouse house, boolean root) {
    assertThat(house.timersLeft()).as("timers").isZero();
    for (Child child : house.loop.children()) {
      var actor = (Playhouse.Actor) child.body();
      String who = actor.name() + " " + child.state() + " is " + actor.state + " " + house.diary;
      if (!house.stopped) {
        assertThat(child.state()).as(who).isIn(ChildState.UP, ChildState.ENDED);
        assertThat(actor.state)
            .as(who)
            .isEqualTo(child.state() == ChildState.UP ? State.UP : State.ENDED);
      } else if (root) {
        assertThat(actor.state).as(who).isEqualTo(State.ENDED);
      } else {
        assertThat(actor.state).as(who).isIn(State.DOWN, State.ENDED);
      }
    }
  }

  // ---- limits ----------------------------------------------------------------------------------

  @Test
  void itGivesUpExactlyAtOneRestartMoreThanItsLimit() {
    for (int limit = 0; limit < 6; limit++) {
      SupervisorSpec spec =
          SupervisorSpec.oneForOne()
              .withLimit(limit, Duration.ofSeconds(10))
              .withChild("a", () -> (_, _) -> {});
      var house = new Playhouse(spec, true, limit, (_, _) -> false);
      house.run();
      for (int i = 0; i < limit; i++) {
        house.actor("a").endsWith = REASONS.get(2);
        house.run();
        assertThat(house.failure).isNull();
      }
      house.actor("a").endsWith = REASONS.get(2);
      house.run();
      assertThat(house.failure).isInstanceOf(SupervisorGaveUpException.class);
      assertThat(house.actor("a").starts).isEqualTo(limit + 1);
    }
  }

  @Test
  void restartsThatLieFurtherApartThanTheWindowDoNotCountTogether() {
    SupervisorSpec spec =
        SupervisorSpec.oneForOne()
            .withLimit(2, Duration.ofSeconds(10))
            .withChild("a", () -> (_, _) -> {});
    var house = new Playhouse(spec, true, 1, (_, _) -> false);
    house.run();
    for (int i = 0; i < 100; i++) {
      house.now += Duration.ofSeconds(5).plusNanos(1).toNanos();
      house.actor("a").endsWith = REASONS.get(2);
      house.run();
    }
    assertThat(house.failure).isNull();
    house.now += Duration.ofSeconds(5).toNanos() - 1;
    house.actor("a").endsWith = REASONS.get(2);
    house.run();
    assertThat(house.failure).isNotNull();
  }

  @Test
  void whoNeverGivesUpDoesNotHoweverManyFailuresThereAre() {
    SupervisorSpec spec =
        SupervisorSpec.oneForOne()
            .withLimit(RestartLimit.NONE)
            .withChild(
                ChildSpec.of("a", () -> (_, _) -> {}).withBackoff(Backoff.exponential(DELAY)));
    var house = new Playhouse(spec, true, 1, (_, _) -> false);
    house.run();
    house.actor("a").child.failures = Integer.MAX_VALUE;
    house.actor("a").endsWith = REASONS.get(2);
    house.run();
    assertThat(house.actor("a").state).isEqualTo(State.UP);
    var window = new RestartWindow(RestartLimit.NONE);
    window.count = Integer.MAX_VALUE;
    assertThat(window.allows(0)).isTrue();
  }

  // ---- starts that fail ------------------------------------------------------------------------

  /** Where the third of five cannot be made, for whatever reason. */
  @ParameterizedTest
  @MethodSource("strategies")
  void aStartThatFailsInTheMiddleStartsNobodyAndCanBeStopped(Strategy strategy) {
    for (boolean root : new boolean[] {false, true}) {
      List<ChildSpec<?>> children = new ArrayList<>();
      for (String name : strategy.arrows().keySet())
        children.add(child(strategy.shape, strategy.arrows(), name));
      SupervisorSpec spec =
          spec(strategy.shape, strategy.recovery, strategy.arrows(), RestartLimit.of(1));
      var house =
          new Playhouse(
              spec.withChildren(children),
              root,
              1,
              (_, _) -> false,
              child -> {
                if (name(child).equals("c")) throw new OutOfMemoryError("for a test");
              });
      house.run();
      assertThat(told(house, "start")).isEmpty();
      assertThat(house.actors).containsOnlyKeys("a", "b");
      house.stops = true;
      house.run();
      assertThat(house.stopped).isTrue();
      checkRest(house, root);
    }
  }

  // ---- cost ------------------------------------------------------------------------------------

  @Test
  void aFailureOfOneAmongManyThatStartIsNoMatterOfTheOthers() {
    int many = 300;
    for (SupervisorSpec shape :
        List.of(
            SupervisorSpec.oneForOne(),
            SupervisorSpec.graph(Recovery.ONE),
            SupervisorSpec.dynamic())) {
      SupervisorSpec spec = shape.withLimit(RestartLimit.NONE);
      for (int i = 0; i < many; i++) spec = spec.withChild("c" + i, () -> (_, _) -> {});
      var house = new Playhouse(spec, true, 1, (_, _) -> false);
      for (Playhouse.Actor actor : house.actors.values()) actor.failingStarts = 1;
      house.run();
      assertThat(house.actors.values()).allMatch(actor -> actor.starts == 2);
      assertThat(house.loop.looks).as(shape.shape().toString()).isLessThan(2 * many);
    }
  }

  /** However many it tells something in one event: between two of them others may run. */
  @Test
  void othersMayRunBetweenAnyTwoOrders() {
    for (SupervisorSpec shape :
        List.of(
            SupervisorSpec.oneForOne(),
            SupervisorSpec.oneForAll(),
            SupervisorSpec.restForOne(),
            SupervisorSpec.graph(Recovery.ALL),
            SupervisorSpec.dynamic())) {
      SupervisorSpec spec = shape.withLimit(RestartLimit.NONE);
      for (int i = 0; i < 300; i++) {
        ChildSpec<?> child = ChildSpec.of("c" + i, () -> (_, _) -> {});
        boolean leans = i > 0 && shape.shape() == Shape.GRAPH;
        spec = spec.withChild(leans ? child.withDependsOn("c0") : child);
      }
      var house = new Playhouse(spec, true, 1, (_, _) -> false);
      house.run();
      house.actor("c0").endsWith = REASONS.get(2);
      house.run();
      house.stops = true;
      house.run();
      assertThat(house.stopped).isTrue();
      assertThat(house.mostOrdersAtOnce).as(shape.toString()).isLessThanOrEqualTo(2);
    }
  }
}
