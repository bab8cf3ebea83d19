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
  private static final int MANY = 10_000_000;

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

  /** Ten million actors with their names take some gigabytes. */
  @Override
  protected List<List<String>> jvms(Trial trial) {
    return List.of(trial.full() ? List.of("-Xmx10g") : List.of());
  }

  @Override
  protected String runWoven(Trial trial) throws Exception {
    int few = (int) trial.sized(4_096, 500_000);
    collide(trial, few);
    int bombs = (int) trial.sized(10, 200);
    for (int workers : trial.workerCounts()) bomb(trial, workers, bombs);
    if (trial.full()) collide(trial, MANY); // last: collectors have much to do afterwards
    return (trial.full() ? MANY : few) + " names, " + bombs + " bombs each";
  }

  private static void collide(Trial trial, int names) {
    long usual = Long.MAX_VALUE;
    long colliding = Long.MAX_VALUE;
    for (int i = 0; i < 2; i++) { // the best of some: a busy machine only ever adds
      usual = Math.min(usual, lookups(names, "Aa", "Ba"));
      colliding = Math.min(colliding, lookups(names, "Aa", "BB"));
    }
    double ratio = colliding / (double) usual;
    trial.say(
        String.format(
            Locale.ROOT,
            "%d names: %d ns for a lookup, %d if all collide: x %.1f",
            names,
            usual / names,
            colliding / names,
            ratio));
    if (ratio > 10) throw new Broken("colliding names cost x " + ratio);
  }

  /** Spawns actors with names made of these two parts, and looks each of them up. */
  private static long lookups(int names, String zero, String one) {
    var system =
        ActorSystem.open("names", c -> c.withWorkers(1).withCloseDeadline(Duration.ofSeconds(300)));
    try (system) {
      for (int i = 0; i < names; i++)
        system.spawn(name(i, zero, one), () -> (message, context) -> {});
      long nanos = 0;
      for (int i = 0; i < names; ) {
        List<String> some = new ArrayList<>(); // made before the clock runs, and forgotten after
        for (; i < names && some.size() < AT_A_TIME; i++) some.add(name(i, zero, one));
        long began = System.nanoTime();
        for (String name : some)
          if (system.find(name).isEmpty()) throw new Broken("nobody is called " + name);
        nanos += System.nanoTime() - began;
      }
      return nanos;
    }
  }

  private static final int AT_A_TIME = 10_000;

  private static String name(int number, String zero, String one) {
    var name = new StringBuilder();
    for (int bit = 0; bit < BITS; bit++) name.append((number >> bit & 1) == 0 ? zero : one);
    return name.toString();
  }

  /** Enough for ten million. */
  private static final int BITS = 24;

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
      for (int i = -bombs; i < bombs; i++) {
        if (i == 0) bystander.forget(); // until then compilers were at work
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
