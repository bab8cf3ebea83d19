package io.turnwise.internal.cell;

import io.turnwise.internal.mailbox.BoundedStore;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What only some actors have. Made when the first of it is needed; mostly the actor's own. */
final class Belongings {
  /** Shared with observers and children. */
  final Children children = new Children();

  /** Whom it watches. */
  @Nullable Set<ActorCell<?>> watching;

  /** With whom its present life is to end. */
  @Nullable Links links;

  /** The children have been told to stop. */
  boolean childrenTold;

  /** That it masks for longer than it said has been said. */
  boolean maskOverranSaid;

  /** A supervisor, or about to become one, that nobody has told to stop. */
  boolean supervises;

  /** Its messages outside its mailbox. */
  @Nullable Aside aside;

  /** Calls it has promised to answer later. */
  @Nullable DeferredCalls deferred;

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

  Links linksOrNew() {
    if (links == null) links = new Links();
    return links;
  }

  Aside asideOrNew() {
    if (aside == null) aside = new Aside();
    return aside;
  }

  DeferredCalls deferredOrNew() {
    if (deferred == null) deferred = new DeferredCalls();
    return deferred;
  }
}
