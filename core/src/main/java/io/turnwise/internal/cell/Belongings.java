package io.turnwise.internal.cell;

import io.turnwise.internal.mailbox.BoundedStore;
import io.turnwise.internal.mailbox.Envelope;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What only some actors have. Made when the first of it is needed; mostly the actor's own. */
final class Belongings {
  /** Shared with observers and children. */
  final Children children = new Children();

  /** Whom it watches. */
  @Nullable Set<ActorCell<?>> watching;

  /**
   * With whom its present life is to end, and from which of the other's lives on: news of an
   * earlier one may still be on its way when it is linked to anew.
   */
  @Nullable Map<ActorCell<?>, Integer> links;

  /** Notices that a slice had no room for, in order. */
  Notice.@Nullable Link laterNotices;

  /** The children have been told to stop. */
  boolean childrenTold;

  /** Put aside, oldest first. */
  @Nullable ArrayDeque<Envelope> stash;

  /** To be handled before the mailbox, oldest first. */
  @Nullable ArrayDeque<Envelope> replay;

  /** Calls it has promised to answer later, numbered. Shared with whoever answers them. */
  @Nullable Map<PendingCall<?>, Long> deferred;

  /** How many there were so far. */
  long deferrals;

  static final int DEFERRED_TO_TIDY = 1_000;

  /** With so many of them, those that are over are taken out. */
  int deferredToTidy = DEFERRED_TO_TIDY;

  /** Its timers. */
  @Nullable KeyedTimers<?> timers;

  /** The timeout of the handler under way, if it has one. The owner writes; others look. */
  volatile @Nullable TurnLimit limit;

  /** Its life after life, if it has a supervisor. Set before anybody knows the actor. */
  @Nullable Supervised supervised;

  /** The messages of a bounded mailbox. Shared with senders; it has a lock of its own. */
  final @Nullable BoundedStore store;

  Belongings(@Nullable BoundedStore store) {
    this.store = store;
  }

  Set<ActorCell<?>> watchingOrNew() {
    if (watching == null) watching = new HashSet<>();
    return watching;
  }

  Map<ActorCell<?>, Integer> linksOrNew() {
    if (links == null) links = new LinkedHashMap<>();
    return links;
  }

  ArrayDeque<Envelope> stashOrNew() {
    if (stash == null) stash = new ArrayDeque<>();
    return stash;
  }
}
