package io.turnwise.faults.trial;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * How a row is to run.
 *
 * @param full the full size, or the small one for every build
 * @param seed where all chance comes from
 * @param workers the number of workers, or 0 for 1 and 2, one after the other
 * @param progress says how far it is
 * @param minutes after so many a row that is done in parts ends, or 0: when it has done all
 * @param resumes whether such a row goes on with the run before
 */
public record Trial(
    boolean full, long seed, int workers, Consumer<String> progress, int minutes, boolean resumes) {

  public Trial(boolean full, long seed, int workers, Consumer<String> progress) {
    this(full, seed, workers, progress, 0, false);
  }

  /** The same, told to somebody else. */
  public Trial toldTo(Consumer<String> other) {
    return new Trial(full, seed, workers, other, minutes, resumes);
  }

  /** One of two sizes. */
  public long sized(long ci, long whole) {
    return full ? whole : ci;
  }

  public SplittableRandom random() {
    return new SplittableRandom(seed);
  }

  public void say(String text) {
    progress.accept(text);
  }

  /** The numbers of workers to run on, one after the other. */
  public List<Integer> workerCounts() {
    return workers > 0 ? List.of(workers) : List.of(1, 2);
  }

  /** The other side of {@link #asArguments}, in the child. */
  public static Trial of(String... arguments) {
    boolean full = false;
    long seed = 1;
    int workers = 0;
    int minutes = 0;
    boolean resumes = false;
    for (String argument : arguments) {
      String[] parts = argument.split("=", 2);
      switch (parts[0]) {
        case "--size" -> full = parts[1].equals("full");
        case "--seed" -> seed = Long.parseLong(parts[1]);
        case "--workers" -> workers = Integer.parseInt(parts[1]);
        case "--minutes" -> minutes = Integer.parseInt(parts[1]);
        case "--resume" -> resumes = true;
        default -> throw new IllegalArgumentException("unknown argument " + argument);
      }
    }
    return new Trial(full, seed, workers, System.out::println, minutes, resumes);
  }

  /** What a child JVM needs to run a part of this trial. */
  public List<String> asArguments() {
    var all = new ArrayList<String>();
    all.add("--size=" + (full ? "full" : "ci"));
    all.add("--seed=" + seed);
    if (workers > 0) all.add("--workers=" + workers);
    if (minutes > 0) all.add("--minutes=" + minutes);
    if (resumes) all.add("--resume");
    return all;
  }
}
