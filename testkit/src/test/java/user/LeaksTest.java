package user;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.turnwise.ActorRef;
import io.turnwise.Call;
import io.turnwise.testkit.simulation.Outcome;
import io.turnwise.testkit.simulation.Simulation;
import io.turnwise.testkit.simulation.SimulationPlan;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** Code that something besides the seed decides is found, and what it is is named. */
class LeaksTest {
  private static final int TRIES = 50;

  /** What is said of the first seed with which two runs differ. */
  private static String find(Simulation.Body body) {
    String said = findAnyhow(body);
    assertThat(said).contains("one time ").contains("another ");
    return said;
  }

  /** The same where it may be told in other words. */
  private static String findAnyhow(Simulation.Body body) {
    for (int seed = 1; seed <= TRIES; seed++) {
      Outcome first = Simulation.run(seed, body);
      Throwable found =
          catchThrowable(() -> Simulation.repeat(SimulationPlan.DEFAULT, first, body));
      if (found != null) {
        assertThat(found).hasMessageContaining("[SIMULATION-DIFFERS]");
        return found.getMessage();
      }
    }
    throw new AssertionError("no two runs differed");
  }

  private static List<ActorRef<String>> spawn(Simulation simulation, int count) {
    List<ActorRef<String>> all = new ArrayList<>();
    for (int i = 0; i < count; i++) all.add(simulation.spawn("actor" + i, () -> (_, _) -> {}));
    return all;
  }

  /** Has no hash code of its own. */
  private static final class Member {
    private final ActorRef<String> actor;

    Member(ActorRef<String> actor) {
      this.actor = actor;
    }
  }

  /** Its initialiser reads the clock, in the run that needs it first: each look takes a moment. */
  private static final class Late {
    static final long MADE_AT = System.nanoTime();
  }

  @Test
  void theInitialiserOfAClass() {
    Simulation.Body body =
        simulation -> {
          List<ActorRef<String>> all = spawn(simulation, 4);
          if (Late.MADE_AT != 0) all.forEach(actor -> actor.cast("hello"));
          simulation.sleep(Duration.ofSeconds(1));
        };
    Outcome first = Simulation.run(1, body);
    assertThat(catchThrowable(() -> Simulation.repeat(SimulationPlan.DEFAULT, first, body)))
        .hasMessageContaining("[SIMULATION-DIFFERS]")
        .hasMessageContaining("what happens once in a JVM, such as the initialiser of a class");
  }

  @Test
  void theOrderOfAHashSetOfIdentities() {
    String said =
        find(
            simulation -> {
              Set<Member> members = new HashSet<>();
              for (ActorRef<String> actor : spawn(simulation, 8)) members.add(new Member(actor));
              for (Member member : members) member.actor.cast("in the set's order");
              simulation.sleep(Duration.ofSeconds(1));
            });
    assertThat(said)
        .contains("the order of a HashSet with objects that have no hashCode of their own")
        .contains("LeaksTest$Member at user.LeaksTest");
  }

  @Test
  void theOrderOfAHashMapOfIdentities() {
    String said =
        find(
            simulation -> {
              Map<Member, String> members = new HashMap<>();
              for (ActorRef<String> actor : spawn(simulation, 8))
                members.put(new Member(actor), "in the map's order");
              members.forEach((member, text) -> member.actor.cast(text));
              simulation.sleep(Duration.ofSeconds(1));
            });
    assertThat(said).contains("the order of a HashMap with objects that have no hashCode");
  }

  @FunctionalInterface
  private interface Order {
    Iterable<Member> of(Set<Member> members);
  }

  private static String findInOrder(Order order) {
    return find(
        simulation -> {
          Set<Member> members = new HashSet<>();
          for (ActorRef<String> actor : spawn(simulation, 8)) members.add(new Member(actor));
          for (Member member : order.of(members)) member.actor.cast("in its order");
          simulation.sleep(Duration.ofSeconds(1));
        });
  }

  /** As most code does that must not go through what it changes. */
  @Test
  void theOrderInWhichAHashSetIsCopied() {
    Map<String, Order> copies =
        Map.of(
            "new list", set -> new ArrayList<>(set),
            "list of all", set -> List.copyOf(set),
            "into a list", LeaksTest::added,
            "array", set -> List.of(set.toArray(new Member[0])),
            "array of a type", set -> List.of(set.toArray(Member[]::new)),
            "queue", set -> new ArrayDeque<>(set),
            "set that keeps its order", set -> new LinkedHashSet<>(set));
    copies.forEach(
        (name, copy) ->
            assertThat(findInOrder(copy))
                .as(name)
                .contains(
                    "the order of a HashSet with objects that have no hashCode of their own"));
  }

  private static List<Member> added(Set<Member> set) {
    List<Member> list = new ArrayList<>();
    list.addAll(set);
    return list;
  }

  @Test
  void theOrderOfOtherSetsOfIdentities() {
    assertThat(findInOrder(set -> Set.copyOf(set))).contains("the order of a Set with objects");
    assertThat(
            findInOrder(
                set -> {
                  var keys = ConcurrentHashMap.<Member>newKeySet();
                  keys.addAll(set);
                  return new ArrayList<>(keys);
                }))
        .contains("the order of a ConcurrentHashMap with objects");
  }

  /** The hash codes of actors are those of their paths, and of constants those of their names. */
  @Test
  void setsOfActorsAndOfConstantsHaveTheSameOrderEachTime() {
    Simulation.Body body =
        simulation -> {
          for (ActorRef<String> actor : new HashSet<>(spawn(simulation, 8))) actor.cast("x");
          simulation.sleep(Duration.ofSeconds(1));
        };
    for (int seed = 1; seed <= TRIES; seed++)
      Simulation.repeat(SimulationPlan.DEFAULT, Simulation.run(seed, body), body);
  }

  private static final class Dice {
    static final Random RANDOM = new Random();
  }

  /** The most common of all: it is made once, and used in every run. */
  @Test
  void aStaticRandomDrawsFromEachSimulationAnew() {
    Simulation.Body body =
        simulation -> {
          spawn(simulation, 8).get(Dice.RANDOM.nextInt(8)).cast("x");
          ActorRef<Double> log = simulation.spawn("log", () -> (_, _) -> {});
          log.cast(Dice.RANDOM.nextGaussian());
          simulation.sleep(Duration.ofSeconds(1));
        };
    Set<Long> courses = new HashSet<>();
    Simulation.run(1, body); // in which the class is initialised
    for (int seed = 1; seed <= TRIES; seed++) {
      Outcome outcome = Simulation.run(seed, body);
      Simulation.repeat(SimulationPlan.DEFAULT, outcome, body);
      courses.add(outcome.hash());
    }
    assertThat(courses).hasSizeGreaterThan(TRIES / 2);
  }

  private static final class SplitDice {
    static final SplittableRandom RANDOM = new SplittableRandom();
  }

  /** Its type is final, so nothing can stand in for it. */
  @Test
  void chanceThatIsKeptInAStaticField() {
    Simulation.run(1, _ -> SplitDice.RANDOM.nextInt());
    String said =
        find(
            simulation -> {
              spawn(simulation, 8).get(SplitDice.RANDOM.nextInt(8)).cast("x");
              simulation.sleep(Duration.ofSeconds(1));
            });
    assertThat(said)
        .contains("new SplittableRandom at user.LeaksTest$SplitDice.<clinit>")
        .contains("once, when a class was initialised");
  }

  @Test
  void anIdentityHashCode() {
    String said =
        find(
            simulation -> {
              List<ActorRef<String>> all = spawn(simulation, 8);
              all.get(System.identityHashCode(new Object()) & 7).cast("x");
              all.get(new Object().hashCode() & 7).cast("x");
              simulation.sleep(Duration.ofSeconds(1));
            });
    assertThat(said)
        .contains("System.identityHashCode at user.LeaksTest")
        .contains("hashCode of a Object at user.LeaksTest");
  }

  /** A subclass cannot be given another seed. */
  private static final class OwnRandom extends Random {
    private static final long serialVersionUID = 1;
  }

  @Test
  void chanceThatCannotBeSeeded() {
    String said =
        find(
            simulation -> {
              spawn(simulation, 8).get(new OwnRandom().nextInt(8)).cast("x");
              simulation.sleep(Duration.ofSeconds(1));
            });
    assertThat(said).contains("new Random at user.LeaksTest$OwnRandom.<init>");
  }

  /** The number of a thread is the JVM's, and so are its memory and how long it has run. */
  @Test
  void aClockOfTheJvm() {
    String said =
        find(
            simulation -> {
              long uptime = java.lang.management.ManagementFactory.getRuntimeMXBean().getUptime();
              long real = uptime + Thread.currentThread().threadId();
              spawn(simulation, 8).get((int) (real & 7)).cast("x");
              simulation.sleep(Duration.ofSeconds(1));
            });
    assertThat(said)
        .contains("RuntimeMXBean.getUptime at user.LeaksTest")
        .contains("Thread.threadId at user.LeaksTest");
  }

  @Test
  void aThreadOutside() {
    String said =
        find(
            simulation -> {
              var told = new CompletableFuture<String>();
              List<ActorRef<String>> all = spawn(simulation, 8);
              var outside =
                  new Thread(
                      () -> {
                        all.get((int) (System.nanoTime() & 7)).cast("x");
                        told.complete("now");
                      },
                      "outsider");
              outside.start();
              for (int i = 0; i < 1_000_000 && !told.isDone(); i++) Thread.onSpinWait();
              told.orTimeout(1, java.util.concurrent.TimeUnit.DAYS).get();
            });
    assertThat(said)
        .contains("new Thread at user.LeaksTest")
        .contains("a thread outside, outsider, sent to /simulation/actor");
  }

  private record Reading(String sensor, List<Double> values) {}

  /** Nobody goes another way for it: only what is said differs. */
  @Test
  void aValueInAMessage() {
    String said =
        find(
            simulation -> {
              ActorRef<Reading> log = simulation.spawn("log", () -> (_, _) -> {});
              log.cast(new Reading("t", List.of(20.0, new OwnRandom().nextDouble())));
              simulation.sleep(Duration.ofSeconds(1));
            });
    assertThat(said).contains("/simulation/log handles Reading[sensor=t");
  }

  /** The same where the story tells no more than the type. */
  @Test
  void aValueInAMessageThatIsNotTold() {
    String said =
        findAnyhow(
            simulation -> {
              ActorRef<List<Double>> log = simulation.spawn("log", () -> (_, _) -> {});
              log.cast(List.of(20.0, new OwnRandom().nextDouble()));
              simulation.sleep(Duration.ofSeconds(1));
            });
    assertThat(said)
        .contains("s  /simulation/log handles ImmutableCollections$List12")
        .contains("what that message holds")
        .contains("new Random at user.LeaksTest$OwnRandom.<init>");
  }

  private record Temperature() implements Call<Temperature, Double> {}

  @Test
  void aValueInAnAnswer() {
    String said =
        findAnyhow(
            simulation -> {
              ActorRef<Temperature> sensor =
                  simulation.spawn(
                      "sensor", () -> (ask, c) -> c.reply(ask, new OwnRandom().nextDouble()));
              sensor.call(new Temperature());
              simulation.sleep(Duration.ofSeconds(1));
            });
    assertThat(said)
        .contains("/simulation/test goes on")
        .contains("or what was answered or chosen since the step before");
  }

  /** What has no value of its own counts by its type; the order of sets does not count. */
  @Test
  void objectsWithoutAValueAreNoLeaks() {
    record Odd(Object thing, Set<Object> things, Runnable code, Map<Object, Member> members) {}
    Simulation.Body body =
        simulation -> {
          ActorRef<Odd> odd = simulation.spawn("odd", () -> (_, _) -> {});
          Set<Object> things = new HashSet<>();
          for (int i = 0; i < 8; i++) things.add(new Object());
          odd.cast(new Odd(new Object(), things, () -> {}, Map.of("a", new Member(null))));
          simulation.sleep(Duration.ofSeconds(1));
        };
    for (int seed = 1; seed <= TRIES; seed++)
      Simulation.repeat(SimulationPlan.DEFAULT, Simulation.run(seed, body), body);
  }

  @Test
  void whatStaysFromRunToRunIsAmongTheGuesses() {
    var runs = new int[1];
    String said =
        find(
            simulation -> {
              spawn(simulation, 8).get(runs[0]++ & 7).cast("x");
              simulation.sleep(Duration.ofSeconds(1));
            });
    assertThat(said).contains("what one run leaves behind for the next in static fields");
  }
}
