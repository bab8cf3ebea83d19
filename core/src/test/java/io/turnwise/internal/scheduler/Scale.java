package io.turnwise.internal.scheduler;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What happens on many workers: each scene is one simulation, and its figures come from its seed.
 */
final class Scale {
  static final int MILLISECOND = 1_000_000;
  static final int MICROSECOND = 1_000;
  private static final long SECOND = 1_000L * MILLISECOND;

  /** A thread outside sends so fast, on average. */
  private static final int SEND_APART_NANOS = 300;

  private Scale() {}

  /** The figures of one scene, by name. */
  record Row(String scene, int workers, Map<String, Double> figures) {
    double get(String name) {
      Double value = figures.get(name);
      if (value == null) throw new IllegalArgumentException(scene + " has no figure " + name);
      return value;
    }
  }

  // ---- equal loops -----------------------------------------------------------------------------

  /**
   * So many endless loops, started from outside: who gets how much of a second, and of the next?
   */
  static Row loops(String name, int workers, int loops, long seed) {
    var machine = new SimulatedMachine(workers, seed);
    for (int i = 0; i < loops; i++) {
      startLoop(machine);
    }
    machine.runUntil(SECOND);
    double[] first = shares(machine);
    machine.countFromHere();
    machine.runUntil(2 * SECOND);
    double[] second = shares(machine);
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("loops", (double) loops);
    figures.put("jain in the first second", jain(first));
    figures.put("worst/mean in the first second", worstOverMean(first));
    figures.put("jain", jain(second));
    figures.put("worst/mean", worstOverMean(second));
    figures.put("used", Arrays.stream(second).sum() / SECOND / Math.min(workers, loops));
    perSecond(machine, SECOND, figures);
    machine.close();
    return new Row(name, workers, figures);
  }

  private static void startLoop(SimulatedMachine machine) {
    var loop = machine.add(new SimulatedActor(machine));
    machine.at(soon(machine), () -> machine.sendFromOutside(loop, SimulatedActor.ENDLESS));
  }

  /** Some time in the first ten milliseconds. */
  private static long soon(SimulatedMachine machine) {
    return machine.random.nextLong(10 * MILLISECOND);
  }

  private static void perSecond(SimulatedMachine machine, long nanos, Map<String, Double> figures) {
    double seconds = (double) nanos / SECOND;
    SimulatedMachine.Tally tally = machine.tally;
    double each = machine.workers() * seconds;
    figures.put("steals/s", machine.steals() / seconds);
    figures.put("steals/s per worker", machine.steals() / each);
    figures.put("moves/s per worker", tally.migrations / each);
    figures.put("slices/s per worker", tally.slices / each);
    figures.put("requests/s per worker", tally.requests / each);
    figures.put("looks/s per worker", tally.looks / each);
    figures.put("searching, share of time", tally.searchNanos / 1e9 / each);
    figures.put("flag up, share of time", (double) tally.flagUpNanos / nanos);
    figures.put("wakes/s per worker", tally.wakes / each);
  }

  private static double[] shares(SimulatedMachine machine) {
    long now = machine.now();
    return machine.actors.stream().mapToDouble(a -> a.ran(now) - a.ranBefore).toArray();
  }

  /** 1 when all are equal, 1/n when one has everything. */
  static double jain(double[] shares) {
    double sum = 0;
    double squares = 0;
    for (double share : shares) {
      sum += share;
      squares += share * share;
    }
    return sum * sum / (shares.length * squares);
  }

  private static double worstOverMean(double[] shares) {
    return Arrays.stream(shares).min().orElse(0) / Arrays.stream(shares).average().orElse(1);
  }

  // ---- a skewed start --------------------------------------------------------------------------

  /**
   * Four loops for each worker, all of them in the wheel of the first, and everybody else sleeps.
   */
  static Row skewed(int workers, long seed) {
    var machine = new SimulatedMachine(workers, seed);
    machine.runUntil(10 * MILLISECOND + soon(machine)); // everybody has fallen asleep
    machine.countFromHere();
    int loops = 4 * workers;
    RunQueue crowded = machine.worker(0).queue;
    for (int i = 0; i < loops; i++) {
      var loop = machine.add(new SimulatedActor(machine));
      loop.receive(machine.now(), SimulatedActor.ENDLESS);
      loop.queuedAt(0);
      loop.credit = 0;
      loop.refillAt = crowded.wheel.position() + Wheel.SEGMENTS;
      crowded.wheel.add(loop, crowded.wheel.position());
    }
    machine.scheduler.wake(crowded);
    return untilBalanced("skewed", machine, loops);
  }

  /** One actor starts four loops for each worker, in one turn. */
  static Row spawned(int workers, long seed) {
    var machine = new SimulatedMachine(workers, seed);
    machine.runUntil(10 * MILLISECOND + soon(machine));
    machine.countFromHere();
    int loops = 4 * workers;
    List<SimulatedActor> born = new ArrayList<>();
    var parent =
        new SimulatedActor(machine) {
          @Override
          void turnEnded(SimulatedWorker on) {
            for (SimulatedActor loop : born) {
              loop.home = (short) on.index;
              machine.send(on, loop, SimulatedActor.ENDLESS);
            }
          }
        };
    for (int i = 0; i < loops; i++) born.add(machine.add(new SimulatedActor(machine)));
    machine.sendFromOutside(parent, 10 * MICROSECOND);
    return untilBalanced("spawned", machine, loops);
  }

  private static Row untilBalanced(String name, SimulatedMachine machine, int loops) {
    long began = machine.now();
    long allAtWork = -1;
    long balanced = -1;
    long stealsThen = 0;
    double[] before = shares(machine);
    long end = began + 2 * SECOND;
    for (long time = began; time < end; time += MILLISECOND / 10) {
      machine.runUntil(time);
      if (allAtWork < 0 && areAllAtWork(machine)) allAtWork = time - began;
      if (balanced < 0 && isBalanced(machine, loops)) {
        balanced = time - began;
        stealsThen = machine.steals();
      }
    }
    double[] after = shares(machine);
    for (int i = 0; i < after.length; i++) after[i] -= before[i];
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("all at work after, ms", allAtWork < 0 ? Double.NaN : allAtWork / 1e6);
    figures.put("balanced after, ms", balanced < 0 ? Double.NaN : balanced / 1e6);
    figures.put("steals until balanced", (double) stealsThen);
    figures.put("wakes", (double) machine.tally.wakes);
    figures.put("wakes in vain", (double) machine.tally.vainWakes);
    figures.put("jain of two seconds", jain(after));
    machine.close();
    return new Row(name, machine.workers(), figures);
  }

  private static boolean areAllAtWork(SimulatedMachine machine) {
    for (int i = 0; i < machine.workers(); i++)
      if (machine.worker(i).actorInHand() == null) return false;
    return true;
  }

  /** No worker has more than twice its part, nor less than half of it. */
  private static boolean isBalanced(SimulatedMachine machine, int loops) {
    double part = (double) loops / machine.workers();
    for (int i = 0; i < machine.workers(); i++) {
      SimulatedWorker worker = machine.worker(i);
      int has = worker.queue.queued() + (worker.actorInHand() == null ? 0 : 1);
      if (has > 2 * part || 2 * has < part) return false;
    }
    return true;
  }

  // ---- light actors beside loops ---------------------------------------------------------------

  /** Two loops and four light actors for each worker; a light one gets a message every 10 ms. */
  static Row light(int workers, long seed) {
    var machine = new SimulatedMachine(workers, seed);
    var waits = new Waits();
    for (int i = 0; i < 2 * workers; i++) {
      startLoop(machine);
    }
    for (int i = 0; i < 4 * workers; i++) {
      var actor =
          new SimulatedActor(machine) {
            @Override
            void waited(long nanos) {
              super.waited(nanos);
              if (machine.now() >= SECOND / 2) waits.add(nanos);
            }
          };
      sendNow(machine, actor, soon(machine));
    }
    machine.runUntil(SECOND / 2);
    machine.countFromHere();
    machine.runUntil(SECOND + SECOND / 2);
    double[] loops = shares(machine);
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("messages/s", (double) waits.size());
    figures.put("median wait, us", waits.at(0.5) / 1e3);
    figures.put("p99 wait, us", waits.at(0.99) / 1e3);
    figures.put("p99.9 wait, us", waits.at(0.999) / 1e3);
    figures.put("longest wait, us", waits.at(1) / 1e3);
    figures.put("jain of the loops", jain(loops));
    figures.put("worst/mean of the loops", worstOverMean(loops));
    perSecond(machine, SECOND, figures);
    figures.put("looks per message", machine.tally.looks / (double) Math.max(1, waits.size()));
    machine.close();
    return new Row("light", workers, figures);
  }

  private static void sendNow(SimulatedMachine machine, SimulatedActor to, long time) {
    machine.at(
        time,
        () -> {
          machine.sendFromOutside(to, 5 * MICROSECOND);
          double chance = machine.random.nextDouble();
          sendNow(machine, to, time + (long) (-Math.log(1 - chance) * 10 * MILLISECOND));
        });
  }

  // ---- workers that are not all needed ---------------------------------------------------------

  /** Messages from outside, each to an actor of its own, that keep four workers in ten busy. */
  static Row half(int workers, long seed) {
    var machine = new SimulatedMachine(workers, seed);
    var waits = new Waits();
    long begin = 20L * MILLISECOND;
    long nanos = 50L * MILLISECOND;
    List<SimulatedActor> actors = new ArrayList<>();
    for (int i = 0; i < 64 * workers; i++)
      actors.add(
          machine.add(
              new SimulatedActor(machine) {
                @Override
                void waited(long wait) {
                  if (machine.now() >= begin) waits.add(wait);
                }
              }));
    double apart = 20.0 * MICROSECOND / (0.4 * workers);
    arrive(machine, actors, 0, apart);
    machine.runUntil(begin);
    machine.countFromHere();
    machine.runUntil(begin + nanos);
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("messages", (double) waits.size());
    figures.put("median wait, us", waits.at(0.5) / 1e3);
    figures.put("p99 wait, us", waits.at(0.99) / 1e3);
    figures.put("longest wait, us", waits.at(1) / 1e3);
    figures.put("looks per message", machine.tally.looks / (double) Math.max(1, waits.size()));
    figures.put("wakes per message", machine.tally.wakes / (double) Math.max(1, waits.size()));
    figures.put(
        "wakes in vain", machine.tally.vainWakes / (double) Math.max(1, machine.tally.wakes));
    perSecond(machine, nanos, figures);
    machine.close();
    return new Row("half", workers, figures);
  }

  private static void arrive(
      SimulatedMachine machine, List<SimulatedActor> actors, double time, double apart) {
    machine.at(
        (long) time,
        () -> {
          machine.sendFromOutside(
              actors.get(machine.random.nextInt(actors.size())), 20 * MICROSECOND);
          double chance = machine.random.nextDouble();
          arrive(machine, actors, time - Math.log(1 - chance) * apart, apart);
        });
  }

  // ---- talkers ---------------------------------------------------------------------------------

  /** Four pairs for each worker; each passes one message to and fro, a turn takes 10 us. */
  static Row talkers(int workers, long seed) {
    var machine = new SimulatedMachine(workers, seed);
    for (int i = 0; i < 4 * workers; i++) {
      var one = machine.add(new Talker(machine));
      var other = machine.add(new Talker(machine));
      one.partner = other;
      other.partner = one;
      machine.at(soon(machine), () -> machine.sendFromOutside(one, 10 * MICROSECOND));
    }
    machine.runUntil(100L * MILLISECOND);
    machine.countFromHere();
    double[] before = handled(machine);
    long nanos = 400L * MILLISECOND;
    machine.runUntil(100L * MILLISECOND + nanos);
    double[] after = handled(machine);
    for (int i = 0; i < after.length; i++) after[i] -= before[i];
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("messages/s per worker", Arrays.stream(after).sum() * SECOND / nanos / workers);
    figures.put("jain", jain(after));
    perSecond(machine, nanos, figures);
    machine.close();
    return new Row("talkers", workers, figures);
  }

  private static double[] handled(SimulatedMachine machine) {
    return machine.actors.stream().mapToDouble(a -> a.messagesHandled).toArray();
  }

  private static final class Talker extends SimulatedActor {
    private final SimulatedMachine machine;
    private SimulatedActor partner = this;

    Talker(SimulatedMachine machine) {
      super(machine);
      this.machine = machine;
    }

    @Override
    void turnEnded(SimulatedWorker on) {
      super.turnEnded(on);
      machine.send(on, partner, 10 * MICROSECOND);
    }
  }

  // ---- bursts ----------------------------------------------------------------------------------

  /** So many messages from outside, each to an actor of its own, while all workers sleep. */
  static Row burst(int workers, int messages, int turnNanos, long seed) {
    var machine = new SimulatedMachine(workers, seed);
    machine.runUntil(10 * MILLISECOND + soon(machine));
    machine.countFromHere();
    long began = machine.now();
    long sentAt = began;
    var waits = new Waits();
    long[] last = new long[1];
    for (int i = 0; i < messages; i++) {
      var actor =
          machine.add(
              new SimulatedActor(machine) {
                @Override
                void waited(long nanos) {
                  waits.add(nanos);
                }

                @Override
                void turnEnded(SimulatedWorker on) {
                  super.turnEnded(on);
                  last[0] = machine.now();
                }
              });
      machine.at(sentAt, () -> machine.sendFromOutside(actor, turnNanos));
      sentAt += machine.random.nextLong(2 * SEND_APART_NANOS);
    }
    machine.runUntil(began + SECOND);
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("handled", Arrays.stream(handled(machine)).sum());
    figures.put("workers woken", (double) machine.tally.wakes);
    figures.put("in vain", (double) machine.tally.vainWakes);
    figures.put("done after, us", (last[0] - began) / 1e3);
    figures.put("longest wait, us", waits.at(1) / 1e3);
    figures.put("steals", (double) machine.steals());
    machine.close();
    String name = "burst of " + messages + ", " + turnNanos / MICROSECOND + " us each";
    return new Row(name, workers, figures);
  }

  /** Times, of which one wants to know how many are shorter. */
  private static final class Waits {
    private long[] nanos = new long[1 << 10];
    private int size;
    private boolean sorted;

    void add(long wait) {
      if (size == nanos.length) nanos = Arrays.copyOf(nanos, 2 * size);
      nanos[size++] = wait;
      sorted = false;
    }

    int size() {
      return size;
    }

    double at(double part) {
      if (size == 0) return Double.NaN;
      if (!sorted) Arrays.sort(nanos, 0, size);
      sorted = true;
      return nanos[Math.max(0, (int) Math.ceil(part * size) - 1)];
    }
  }
}
