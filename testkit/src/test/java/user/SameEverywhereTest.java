package user;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.ActorRef;
import io.turnwise.Call;
import io.turnwise.CallTimeoutException;
import io.turnwise.testkit.simulation.Simulation;
import io.turnwise.testkit.simulation.SimulationPlan;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/**
 * The same seeds take the same course in another JVM and on another machine: here is the number of
 * their courses, and each build is another JVM. A change of the simulation changes the number.
 */
class SameEverywhereTest {
  private static final int SEEDS = 20;
  private static final long NUMBER = 2264329283192728897L;

  private enum Colour {
    RED,
    GREEN
  }

  /** Enough of them that two JVMs would not put them into the same order by chance. */
  private enum Day {
    MONDAY,
    TUESDAY,
    WEDNESDAY,
    THURSDAY,
    FRIDAY,
    SATURDAY,
    SUNDAY
  }

  private record Order(
      String name, double price, Colour colour, List<Integer> parts, Set<Colour> others, UUID id) {}

  private record Stock(String name) implements Call<Object, Integer> {}

  private static void trade(Simulation simulation) throws Exception {
    var monitor = new Object();
    Map<String, Integer> stock = new HashMap<>();
    ActorRef<Object> shop =
        simulation.spawn(
            "shop",
            () ->
                (message, context) -> {
                  if (message instanceof Stock ask) {
                    if (ThreadLocalRandom.current().nextInt(4) == 0) Thread.sleep(2_000);
                    context.reply(ask, stock.getOrDefault(ask.name, 0));
                  } else if (message instanceof Order order) {
                    for (int part : order.parts) stock.merge(order.name, part, Integer::sum);
                  }
                });
    for (int i = 0; i < 4; i++) {
      int own = i;
      simulation
          .<Integer>spawn(
              "customer" + i,
              () ->
                  (left, context) -> {
                    shop.cast(order(own, left));
                    synchronized (monitor) {
                      Thread.sleep(new Random().nextInt(5));
                    }
                    try {
                      shop.call(new Stock("thing" + own), Duration.ofSeconds(1));
                    } catch (CallTimeoutException late) {
                      context.self().cast(0);
                    }
                    if (left > 0) context.self().cast(left - 1);
                  })
          .cast(3);
    }
    simulation.sleep(Duration.ofMinutes(1));
    Map<Day, String> days = new HashMap<>();
    for (Day day : Day.values()) days.put(day, day.name());
    Set<ActorRef<Object>> readers = new HashSet<>();
    for (int i = 0; i < 8; i++) readers.add(simulation.spawn("reader" + i, () -> (_, _) -> {}));
    for (ActorRef<Object> reader : readers) reader.cast(List.copyOf(days.values()));
    Map<String, Instant> seen = new HashMap<>();
    stock.forEach((name, _) -> seen.put(name, Instant.now()));
    ActorRef<Object> log = simulation.spawn("log", () -> (_, _) -> {});
    seen.forEach((name, when) -> log.cast(List.of(name, when)));
    simulation.sleep(Duration.ofSeconds(1));
  }

  private static Order order(int own, int left) {
    List<Integer> parts = new ArrayList<>();
    for (int i = 0; i < left; i++) parts.add(ThreadLocalRandom.current().nextInt(10));
    return new Order(
        "thing" + own,
        Math.random(),
        Colour.values()[left & 1],
        parts,
        Set.of(Colour.values()),
        UUID.randomUUID());
  }

  @Test
  void theNumberOfTheirCourses() {
    Simulation.Body body = SameEverywhereTest::trade;
    Simulation.run(1, body); // what is done once in a JVM is done then
    long number = 0;
    for (int seed = 1; seed <= SEEDS; seed++)
      number = 31 * number + Simulation.run(SimulationPlan.DEFAULT, seed, body).hash();
    assertThat(number).isEqualTo(NUMBER);
  }
}
