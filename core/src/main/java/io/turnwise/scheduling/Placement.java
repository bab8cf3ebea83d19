package io.turnwise.scheduling;

/**
 * Whether an actor may move between the workers of its dispatcher. Means nothing where its {@link
 * Backend} has no workers: on any but {@link Backend#ASYNC}.
 */
public sealed interface Placement {
  /** Wherever there is room: the default. */
  Placement ANYWHERE = new Anywhere();

  /** Goes where there is room. */
  record Anywhere() implements Placement {}

  /**
   * Always on the same worker. The index wraps around the number of workers, so that it stays valid
   * when the dispatcher shrinks.
   */
  record Pinned(int worker) implements Placement {
    /** No dispatcher has more workers than this one would be the last of. */
    private static final int HIGHEST = 1023;

    public Pinned {
      if (worker < 0 || worker > HIGHEST)
        throw new IllegalArgumentException(
            "Placement.Pinned.worker is " + worker + "; use 0 to " + HIGHEST);
    }
  }

  /** All members of a group on one worker, chosen by the group's name. */
  record Grouped(String group) implements Placement {
    public Grouped {
      if (group == null || group.isBlank())
        throw new IllegalArgumentException("Placement.Grouped.group is blank; give it a name");
    }
  }

  static Placement pinnedTo(int worker) {
    return new Pinned(worker);
  }

  static Placement groupedAs(String group) {
    return new Grouped(group);
  }
}
