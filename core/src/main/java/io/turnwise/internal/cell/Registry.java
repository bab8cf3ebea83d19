package io.turnwise.internal.cell;

import io.turnwise.internal.name.Names;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Names that people gave to actors, beside those of the tree. A name goes with its actor's last
 * end, before anybody is told of that; restarts do not touch it.
 *
 * <p>Who registers puts the name in and then looks whether the actor has told its end; who ends
 * takes its names out before and after that is written. So a name that comes too late is taken out
 * by the one or the other.
 *
 * <p>What an actor's names are is changed in both maps at once, inside {@code names.compute}, which
 * lets one in at a time for each actor. Else a name could be put beside a set that is just being
 * taken out, and would be that actor's for ever.
 */
final class Registry {
  private final Map<String, ActorCell<?>> byName = new ConcurrentHashMap<>();
  private final Map<ActorCell<?>, Set<String>> names = new ConcurrentHashMap<>();

  void register(String name, ActorCell<?> actor) {
    Names.checkOf("The name to register, ", name);
    names.compute(
        actor,
        (_, all) -> {
          ActorCell<?> before = byName.putIfAbsent(name, actor);
          if (before != null && before != actor) throw taken(name, before);
          Set<String> own = all == null ? new HashSet<>(2) : all;
          own.add(name);
          return own;
        });
    if (!actor.hasToldItsEnd()) return;
    forget(actor);
    throw new IllegalStateException(
        "Actor " + actor.path() + " has ended and can have no name '" + name + "'. [STOPPED]");
  }

  private static IllegalArgumentException taken(String name, ActorCell<?> by) {
    return new IllegalArgumentException(
        "The name '"
            + name
            + "' is registered for "
            + by.path()
            + ". [NAME-TAKEN]\n  next:  choose another name, or unregister that one first");
  }

  boolean unregister(String name) {
    for (ActorCell<?> actor; (actor = byName.get(name)) != null; )
      if (takeOut(name, actor)) return true;
    return false;
  }

  /** Returns false when that actor has it no more. */
  private boolean takeOut(String name, ActorCell<?> actor) {
    boolean[] had = new boolean[1];
    names.computeIfPresent(
        actor,
        (_, all) -> {
          had[0] = byName.remove(name, actor);
          all.remove(name);
          return all.isEmpty() ? null : all;
        });
    return had[0];
  }

  @Nullable ActorCell<?> find(String name) {
    return byName.get(name);
  }

  /** The actor ends for good. */
  void forget(ActorCell<?> actor) {
    if (names.isEmpty()) return;
    names.computeIfPresent(
        actor,
        (_, all) -> {
          for (String name : all) byName.remove(name, actor);
          return null;
        });
  }
}
