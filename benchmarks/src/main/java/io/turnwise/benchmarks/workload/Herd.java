package io.turnwise.benchmarks.workload;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Some hogs. All of them are created before the first one begins. */
final class Herd<A> {
  private final Stage<A> stage;
  private final Map<Hog<A>, A> addresses = new LinkedHashMap<>();

  Herd(Stage<A> stage, int size) {
    this.stage = stage;
    for (int seed = 1; seed <= size; seed++) {
      Hog<A> hog = new Hog<>(seed);
      addresses.put(hog, stage.runtime().spawn(hog));
    }
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

  long thatRan() {
    return blocks().stream().filter(finished -> finished > 0).count();
  }

  void end() {
    addresses.keySet().forEach(Hog::end);
  }
}
