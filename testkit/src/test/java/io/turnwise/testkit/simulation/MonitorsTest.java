package io.turnwise.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.weaving.Safepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Whoever waits for a monitor is simulated like everybody else: nothing but the seed decides. */
class MonitorsTest {
  private static final int SEEDS = 2_000;

  private static void twice(Simulation.Body body, Set<Long> courses) {
    for (int seed = 1; seed <= SEEDS; seed++) {
      Outcome first = Simulation.run(seed, body);
      Simulation.repeat(SimulationPlan.DEFAULT, first, body);
      courses.add(first.hash());
    }
  }

  /** Turns are stopped while they have two of three monitors, and others want these. */
  @Test
  void contendedMonitorsTakeTheSameCourseWithTheSameSeed() {
    Set<Long> courses = new HashSet<>();
    Set<List<String>> orders = new HashSet<>();
    twice(
        simulation -> {
          List<Object> monitors = List.of(new Object(), new Object(), new Object());
          List<String> order = new ArrayList<>();
          for (int i = 0; i < 6; i++) {
            int own = i;
            simulation
                .<Integer>spawn(
                    "actor" + i,
                    () ->
                        (number, _) -> {
                          Object outer = monitors.get((own + number) % 2);
                          synchronized (outer) {
                            Safepoint.poll();
                            synchronized (monitors.get(2)) {
                              order.add(own + ":" + number);
                              Safepoint.poll();
                            }
                            Safepoint.poll();
                          }
                        })
                .cast(0);
          }
          for (int i = 0; i < 3; i++)
            Thread.startVirtualThread(
                () -> {
                  synchronized (monitors.get(2)) {
                    order.add("thread");
                    Thread.yield();
                  }
                });
          simulation.sleep(Duration.ofSeconds(1));
          assertThat(order).hasSize(9);
          orders.add(List.copyOf(order));
        },
        courses);
    assertThat(courses).hasSizeGreaterThan(SEEDS / 2);
    assertThat(orders).hasSizeGreaterThan(SEEDS / 4);
  }

  /** One gives up several monitors in one slice: who gets one goes by how long it has waited. */
  @Test
  void manyMonitorsThatAreGivenUpAtOnceTakeTheSameCourse() {
    Set<Long> courses = new HashSet<>();
    twice(
        simulation -> {
          List<Object> monitors = List.of(new Object(), new Object(), new Object(), new Object());
          List<String> order = new ArrayList<>();
          simulation
              .<String>spawn(
                  "owner",
                  () ->
                      (_, _) -> {
                        synchronized (monitors.get(0)) {
                          synchronized (monitors.get(1)) {
                            synchronized (monitors.get(2)) {
                              synchronized (monitors.get(3)) {
                                simulation.sleep(Duration.ofMillis(1));
                              }
                            }
                          }
                        }
                        order.add("gave them up");
                      })
              .cast("go");
          for (int i = 0; i < 4; i++) {
            Object wanted = monitors.get(i);
            String name = "wants" + i;
            simulation
                .<String>spawn(
                    name,
                    () ->
                        (_, _) -> {
                          synchronized (wanted) {
                            order.add(name);
                          }
                        })
                .cast("go");
          }
          simulation.sleep(Duration.ofSeconds(1));
          assertThat(order).hasSize(5);
        },
        courses);
    assertThat(courses).hasSizeGreaterThan(100);
  }

  @Test
  void waitAndNotifyTakeTheSameCourseWithTheSameSeed() {
    Set<Long> courses = new HashSet<>();
    twice(
        simulation -> {
          var monitor = new Object();
          var food = new int[1];
          List<String> order = new ArrayList<>();
          for (String name : List.of("a", "b", "c"))
            simulation
                .<String>spawn(
                    name,
                    () ->
                        (_, _) -> {
                          synchronized (monitor) {
                            while (food[0] == 0) monitor.wait(name.equals("b") ? 5 : 0);
                            food[0]--;
                            order.add(name);
                            Safepoint.poll();
                          }
                        })
                .cast("eat");
          simulation
              .<String>spawn(
                  "cook",
                  () ->
                      (_, _) -> {
                        for (int i = 0; i < 3; i++) {
                          synchronized (monitor) {
                            food[0]++;
                            if (i == 1) monitor.notifyAll();
                            else monitor.notify();
                            Safepoint.poll();
                          }
                          Thread.sleep(i);
                        }
                      })
              .cast("cook");
          simulation.sleep(Duration.ofMillis(50));
          synchronized (monitor) {
            monitor.notifyAll();
          }
          simulation.sleep(Duration.ofSeconds(1));
          assertThat(order).containsExactlyInAnyOrder("a", "b", "c");
        },
        courses);
    assertThat(courses).hasSizeGreaterThan(SEEDS / 2);
  }
}
