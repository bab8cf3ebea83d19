package io.turnwise.faults.preemption;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Trial;
import io.turnwise.faults.trial.WovenRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * T12: what is cheap to send and dear to handle: names that all have one hash code, and regular
 * expressions that never come to an end.
 */
public final class CollisionRow extends WovenRow {
  /** What others may wait for, 99 of 100, on a machine of its own. As beside any other loop. */
  private static final double OTHERS_WAIT_MILLIS = 2;

  @Override
  public String id() {
    return "T12";
  }

  @Override
  public String what() {
    return "colliding names, regular expression bombs";
  }

  @Override
  protected String runWoven(Trial trial) throws Exception {
    int bits = (int) trial.sized(12, 19);
    collide(trial, bits);
    int bombs = (int) trial.sized(10, 200);
    for (int workers : trial.workerCounts()) bomb(trial, workers, bombs);
    return (1 << bits) + " names, " + bombs + " bombs each";
  }

  private static void collide(Trial trial, int bits) {
    long usual = Long.MAX_VALUE;
    long colliding = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) { // the best of some: a busy machine only ever adds
      usual = Math.min(usual, lookups(bits, "Aa", "Ba"));
      colliding = Math.min(colliding, lookups(bits, "Aa", "BB"));
    }
    double ratio = colliding / (double) usual;
    trial.say(
        String.format(
            Locale.ROOT,
            "%d names: %d ns for a lookup, %d if all collide: x %.1f",
            1 << bits,
            usual >> bits,
            colliding >> bits,
            ratio));
    if (ratio > 10) throw new Broken("colliding names cost x " + ratio);
  }

  /** Spawns actors with names made of these two parts, and looks each of them up. */
  private static long lookups(int bits, String zero, String one) {
    var system =
        ActorSystem.open("names", c -> c.withWorkers(1).withCloseDeadline(Duration.ofSeconds(120)));
    try (system) {
      List<String> names = new ArrayList<>();
      for (int i = 0; i < 1 << bits; i++) {
        var name = new StringBuilder();
        for (int b = 0; b < bits; b++) name.append((i >> b & 1) == 0 ? zero : one);
        names.add(name.toString());
      }
      for (String name : names) system.spawn(name, () -> (message, context) -> {});
      long began = System.nanoTime();
      for (String name : names)
        if (system.find(name).isEmpty()) throw new Broken("nobody is called " + name);
      return System.nanoTime() - began;
    }
  }

  private static void bomb(Trial trial, int workers, int bombs) throws Exception {
    var system =
        ActorSystem.open(
            "bombs", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(30)));
    var kills = new KillBook(system);
    Bystander others;
    try (system;
        var bystander = new Bystander(system)) {
      others = bystander;
      List<ActorRef<Loop>> running = new ArrayList<>();
      for (int i = 0; i < workers; i++) running.add(start(system));
      bystander.awaitMore(100);
      bystander.forget();
      for (int i = 0; i < bombs; i++) {
        bystander.awaitMore(5);
        kills.kill(running.removeFirst());
        running.add(start(system));
      }
      for (ActorRef<Loop> each : running) kills.kill(each);
    }
    trial.say(workers + " workers: " + kills.figures() + "; " + others.figures());
    if (!trial.full()) return;
    if (kills.millis(0.99) > 100) throw new Broken("late: " + kills.figures());
    if (others.millis(0.99) > OTHERS_WAIT_MILLIS)
      throw new Broken("others wait for expressions: " + others.figures());
  }

  private static ActorRef<Loop> start(ActorSystem system) {
    ActorRef<Loop> actor = system.spawn(() -> (loop, context) -> loop.run());
    actor.cast(Loop.REGULAR_EXPRESSION);
    return actor;
  }
}
