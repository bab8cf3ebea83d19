package io.turnwise.internal.cell;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * With whom an actor's present life is to end, and from which of the other's lives on: news of an
 * earlier one may still be on its way when it is linked to anew. Chained in the order they came, so
 * that to go through them takes no memory: it is gone through where that may be what has ended the
 * actor. The owner.
 */
final class Links {
  private final Map<ActorCell<?>, Link> others = new HashMap<>();
  private @Nullable Link first;
  private @Nullable Link last;

  private static final class Link {
    final ActorCell<?> other;
    int itsLife;
    @Nullable Link previous;
    @Nullable Link next;

    Link(ActorCell<?> other, int itsLife) {
      this.other = other;
      this.itsLife = itsLife;
    }
  }

  /** By the actor itself. Returns whether it was not linked to the other before. */
  boolean add(ActorCell<?> other, int itsLife) {
    if (others.containsKey(other)) return false;
    put(other, itsLife);
    return true;
  }

  /** By the other. */
  void addFrom(ActorCell<?> other, int itsLife) {
    Link there = others.get(other);
    if (there == null) put(other, itsLife);
    else there.itsLife = Math.max(there.itsLife, itsLife);
  }

  private void put(ActorCell<?> other, int itsLife) {
    var link = new Link(other, itsLife);
    boolean done = false;
    try {
      others.put(other, link);
      done = true;
    } finally { // a table that found no memory to grow may have it all the same
      if (!done) others.remove(other);
    }
    link.previous = last;
    if (last == null) first = link;
    else last.next = link;
    last = link;
  }

  boolean remove(ActorCell<?> other) {
    Link link = others.remove(other);
    if (link == null) return false;
    if (link.previous == null) first = link.next;
    else link.previous.next = link.next;
    if (link.next == null) last = link.previous;
    else link.next.previous = link.previous;
    return true;
  }

  /** Whether the end of that life of another is the end of this one. */
  boolean contain(ActorCell<?> other, int itsLife) {
    Link link = others.get(other);
    return link != null && itsLife >= link.itsLife;
  }

  /** Who came first, or null if there is nobody. */
  @Nullable ActorCell<?> first() {
    Link link = first;
    return link == null ? null : link.other;
  }
}
