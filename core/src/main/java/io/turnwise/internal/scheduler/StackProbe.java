package io.turnwise.internal.scheduler;

/**
 * Uses as much stack as what follows may need, so that an overflow comes before anything is done
 * and not in the middle. Its frames are the smallest there are, and the numbers generous; a send to
 * a plain mailbox does without.
 */
public final class StackProbe {
  private static final int FRAMES_TO_SEND = 48;
  private static final int FRAMES_TO_WAIT = 200;
  private static final int FRAMES_TO_END = 1_000;

  private StackProbe() {}

  /** Before a send that needs more than one step. */
  public static void forSend() {
    use(FRAMES_TO_SEND);
  }

  /** Before a sender gets in line, or wakes a worker. */
  public static void forWait() {
    use(FRAMES_TO_WAIT);
  }

  /**
   * Before a thread takes a turn away from itself: from then on its actor is in its hands alone.
   */
  public static void forEnding() {
    use(FRAMES_TO_END);
  }

  private static int use(int frames) {
    return frames == 0 ? 0 : use(frames - 1) + 1;
  }
}
