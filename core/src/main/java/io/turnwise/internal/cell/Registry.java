package io.turnwise.internal.cell;

import io.turnwise.internal.name.Names;
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
 */
final class Registry {
  private final Map<String, ActorCell<?>> byName = new ConcurrentHashMap<>();
  private final Map<ActorCell<?>, Set<String>> names = new ConcurrentHashMap<>();

  void register(String name, ActorCell<?> actor) {
    Names.checkOf("The name to register, ", name);
    ActorCell<?> before = byName.putIfAbsent(name, actor);
    if (before != null && before != actor)
      throw new IllegalArgumentException(
          "The name '"
              + name
              + "' is registered for "
              + before.path()
              + ". [NAME-TAKEN]\n  next:  choose another name, or unregister that one first");
    names.computeIfAbsent(actor, _ -> ConcurrentHashMap.newKeySet()).add(name);
    if (!actor.hasToldItsEnd()) return;
    forget(actor);
    throw new IllegalStateException(
        "Actor " + actor.path() + " has ended and can have no name '" + name + "'. [STOPPED]");
  }

  boolean unregister(String name) {
    ActorCell<?> actor = byName.remove(name);
    if (actor == null) return false;
    Set<String> all = names.get(actor);
    if (all != null) all.remove(name);
    return true;
  }

  @Nullable ActorCell<?> find(String name) {
    return byName.get(name);
  }

  /** The actor ends for good. */
  void forget(ActorCell<?> actor) {
    if (names.isEmpty()) return;
    Set<String> all = names.remove(actor);
    if (all != null) for (String name : all) byName.remove(name, actor);
  }
}
