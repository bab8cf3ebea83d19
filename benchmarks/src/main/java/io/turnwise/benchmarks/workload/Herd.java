package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.Group;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Some hogs. All of them are created before the first one begins. */
final class Herd<A> {
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final Stage<A> stage;
  private final Map<Hog<A>, A> addresses = new LinkedHashMap<>();

  Herd(Stage<A> stage, int size) {
    this(stage, size, stage.runtime()::spawn);
  }

  private Herd(Stage<A> stage, int size, Function<Hog<A>, A> spawn) {
    this.stage = stage;
    for (int seed = 1; seed <= size; seed++) {
      Hog<A> hog = new Hog<>(seed);
      addresses.put(hog, spawn.apply(hog));
    }
  }

  /** So many that each would wait for seconds if slices had their usual length. */
  static <A> Herd<A> withShortSlices(Stage<A> stage, int size) {
    return new Herd<>(stage, size, stage.runtime()::spawnWithShortSlices);
  }

  /** All of them in one group. */
  static <A> Herd<A> inGroup(Stage<A> stage, int size, Group group) {
    return new Herd<>(stage, size, hog -> stage.runtime().spawnInGroup(hog, group));
  }

  static <A> Herd<A> withQuantum(Stage<A> stage, int size, Duration quantum) {
    return new Herd<>(stage, size, hog -> stage.runtime().spawnWithQuantum(hog, quantum));
  }

  int size() {
    return addresses.size();
  }

  void begin() {
    addresses.values().forEach(address -> stage.runtime().send(address, Cue.GO));
  }

  /** What each has finished. */
  List<Long> blocks() {
    List<Long> blocks = new ArrayList<>();
    addresses.keySet().forEach(hog -> blocks.add(hog.blocks()));
    return blocks;
  }

  /** What all of them have finished. */
  long total() {
    return blocks().stream().mapToLong(Long::longValue).sum();
  }

  /** What all of them have used, in nanoseconds, by the peer's own accounts. */
  long ranNanos() {
    return addresses.values().stream().mapToLong(it -> stage.runtime().ran(it).toNanos()).sum();
  }

  long thatRan() {
    return blocks().stream().filter(finished -> finished > 0).count();
  }

  /** Ends all of them, also those that never ran, and waits a little until they are gone. */
  void end() throws InterruptedException {
    addresses.keySet().forEach(Hog::end);
    long limit = System.nanoTime() + PATIENCE.toNanos();
    while (!addresses.keySet().stream().allMatch(Hog::hasEnded) && System.nanoTime() - limit < 0) {
      Thread.sleep(1);
    }
  }
}
