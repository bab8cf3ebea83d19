package io.turnwise.internal.cell;

import io.turnwise.internal.mailbox.Envelope;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Messages of an actor that are not in its mailbox any more: those in its stash, and those that
 * come before all that are in the mailbox. The owner; observers count.
 */
final class Aside {
  /** Oldest first. */
  private @Nullable ArrayDeque<Envelope> stash;

  /** To be handled next, oldest first. */
  private @Nullable ArrayDeque<Envelope> replay;

  int stashed() {
    return size(stash);
  }

  void stash(Envelope envelope) {
    if (stash == null) stash = new ArrayDeque<>();
    stash.add(envelope);
  }

  /** One that was stashed in this turn, and may have been unstashed since, is not here any more. */
  void takeBack(Envelope envelope) {
    if (stash != null && stash.removeLastOccurrence(envelope)) return;
    if (replay != null) replay.removeLastOccurrence(envelope);
  }

  /** All that is in the stash comes next. Returns whether that is anything. */
  boolean unstash() {
    ArrayDeque<Envelope> all = stash;
    if (all == null || all.isEmpty()) return false;
    if (replay != null) all.addAll(replay); // may find no memory: then all is as it was
    stash = null;
    replay = all;
    return true;
  }

  /** Null: nothing comes before the mailbox any more. */
  @Nullable Envelope next() {
    Envelope next = replay == null ? null : replay.poll();
    if (next == null) replay = null;
    return next;
  }

  void putFirst(Envelope envelope) {
    if (replay == null) replay = new ArrayDeque<>();
    replay.addFirst(envelope);
  }

  /**
   * What is kept for the actor comes after all this; its own list, from now on. Where memory is
   * missing, nothing has changed. Returns whether there is anything at all.
   */
  boolean putLast(@Nullable ArrayDeque<Envelope> kept) {
    if (kept != null && !kept.isEmpty()) {
      if (replay == null) replay = kept;
      else replay.addAll(kept);
    }
    return replay != null && !replay.isEmpty();
  }

  /** What comes next first, then the stash; nothing stays. */
  void takeAll(Consumer<Envelope> bury) {
    ArrayDeque<Envelope> next = replay;
    ArrayDeque<Envelope> stashed = stash;
    replay = null;
    stash = null;
    if (next != null) next.forEach(bury);
    if (stashed != null) stashed.forEach(bury);
  }

  int count() {
    return size(stash) + size(replay);
  }

  private static int size(@Nullable ArrayDeque<?> held) {
    return held == null ? 0 : held.size();
  }
}
