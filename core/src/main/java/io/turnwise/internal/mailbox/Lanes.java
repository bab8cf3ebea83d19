package io.turnwise.internal.mailbox;

/** The lanes beside the normal one; made when the first message for one of them comes. */
final class Lanes {
  final LaneQueue high = new LaneQueue();
  final LaneQueue low = new LaneQueue();

  /** Messages taken in a row from the high lane, and from the lanes above low. The owner's. */
  int highRun;

  int aboveLowRun;

  boolean isEmpty() {
    return high.isEmpty() && low.isEmpty();
  }
}
