package io.turnwise.internal.cell;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * With whom an actor's present life is to end, and from which of the other's lives on: news of an
 * earlier one may still be on its way when it is linked to anew. The owner.
 */
final class Links {
  private final Map<ActorCell<?>, Integer> others = new LinkedHashMap<>();

  /** By the actor itself. Returns whether it was not linked to the other before. */
  boolean add(ActorCell<?> other, int itsLife) {
    return others.putIfAbsent(other, itsLife) == null;
  }

  /** By the other. */
  void addFrom(ActorCell<?> other, int itsLife) {
    others.merge(other, itsLife, Math::max);
  }

  boolean remove(ActorCell<?> other) {
    return others.remove(other) != null;
  }

  /** Whether the end of that life of another is the end of this one. */
  boolean contain(ActorCell<?> other, int itsLife) {
    Integer from = others.get(other);
    return from != null && itsLife >= from;
  }

  Set<ActorCell<?>> all() {
    return others.keySet();
  }
}
