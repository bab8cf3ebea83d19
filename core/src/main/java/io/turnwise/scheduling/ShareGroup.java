package io.turnwise.scheduling;

/**
 * Actors that share the processor as one: while several groups are busy on a worker, each gets time
 * in proportion to its weight, however many actors it has. Actors without a group are together one
 * of weight {@value #DEFAULT_WEIGHT}. What counts is time in whole quanta; actors that only answer
 * short messages are served first in any case. Threads of the backends {@link Backend#BLOCKING} and
 * {@link Backend#THREAD} are shared by the operating system, whatever their actors' groups.
 *
 * {@snippet file="ApiSnippets.java" region="share"}
 *
 * @param name names the group: specs of one dispatcher with the same name mean the same group, and
 *     one with another weight or ceiling is refused
 * @param weight its share against the others'
 * @param ceiling at most this part of all workers, also while nobody else is busy; 1 for no
 *     ceiling. As with weights, what counts is time in whole quanta: it does not hold back actors
 *     whose slices take less than 20 µs, nor one that somebody wants a lock from, or that is killed
 */
public record ShareGroup(String name, int weight, double ceiling) {
  /** The weight of all actors without a group together. */
  public static final int DEFAULT_WEIGHT = 100;

  private static final int LARGEST = 10_000;

  public ShareGroup {
    if (name == null || name.isBlank())
      throw new IllegalArgumentException("ShareGroup.name is '" + name + "'; give it a name");
    if (weight < 1 || weight > LARGEST)
      throw new IllegalArgumentException(
          "ShareGroup.weight is " + weight + "; use 1 to " + LARGEST + ", 100 is everybody else's");
    if (!(ceiling > 0 && ceiling <= 1))
      throw new IllegalArgumentException(
          "ShareGroup.ceiling is " + ceiling + "; use a part such as 0.5, or 1 for none");
  }

  /** Without a ceiling. */
  public ShareGroup(String name, int weight) {
    this(name, weight, 1);
  }

  public ShareGroup withCeiling(double ceiling) {
    return new ShareGroup(name, weight, ceiling);
  }
}
