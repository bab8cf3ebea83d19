package io.turnwise.internal.weaving;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Whether the order of a collection follows from where its objects happen to be in memory. */
public final class IdentityOrder {
  /** Of a large collection so many are looked at. */
  private static final int LOOKS = 16;

  /** Whether the hash code of its objects is their identity's. */
  private static final ClassValue<Boolean> BY_IDENTITY =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
          try {
            Class<?> from = type.getMethod("hashCode").getDeclaringClass();
            return from == Object.class;
          } catch (NoSuchMethodException e) {
            throw new AssertionError("every object has a hash code", e);
          }
        }
      };

  private IdentityOrder() {}

  /**
   * What is wrong with the order of a collection, for people; or null. An object that is none has
   * only its own hash code.
   */
  public static @Nullable String find(Object object) {
    return switch (object) {
      case LinkedHashMap<?, ?> _ -> null;
      case LinkedHashSet<?> _ -> null;
      case IdentityHashMap<?, ?> map -> map.size() < 2 ? null : "the order of an IdentityHashMap";
      case HashMap<?, ?> map -> find("HashMap", map.keySet());
      case WeakHashMap<?, ?> map -> find("WeakHashMap", map.keySet());
      case ConcurrentHashMap<?, ?> map -> find("ConcurrentHashMap", map.keySet());
      case HashSet<?> set -> find("HashSet", set);
      case ConcurrentHashMap.KeySetView<?, ?> set -> find("ConcurrentHashMap", set);
      case Set<?> set when isImmutable(set) -> find("Set", set);
      case Map<?, ?> map when isImmutable(map) -> find("Map", map.keySet());
      case Map<?, ?> _, Iterable<?> _ -> null;
      default -> isByIdentity(object) ? "hashCode of a " + nameOf(object) : null;
    };
  }

  private static @Nullable String find(String type, Collection<?> keys) {
    if (keys.size() < 2) return null;
    Iterator<?> each = keys.iterator();
    for (int i = 0; i < LOOKS && each.hasNext(); i++) {
      Object key = each.next();
      if (key != null && isByIdentity(key))
        return "the order of a "
            + type
            + " with objects that have no hashCode of their own, "
            + nameOf(key);
    }
    return null;
  }

  /** A constant that was hashed before the agent came keeps what it got then. */
  private static boolean isByIdentity(Object object) {
    return object instanceof Enum<?> constant
        ? constant.hashCode() != constant.name().hashCode()
        : BY_IDENTITY.get(object.getClass());
  }

  /** What {@code Set.of} and {@code Map.of} make: in the order of hash codes, too. */
  private static boolean isImmutable(Object collection) {
    return collection.getClass().getName().startsWith("java.util.ImmutableCollections$");
  }

  private static String nameOf(Object object) {
    String name = object.getClass().getName();
    return name.substring(name.lastIndexOf('.') + 1);
  }
}
