package io.turnwise.testkit.simulation;

import io.turnwise.ActorRef;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A number for what a message says: the same in each run and on each machine, if it says the same.
 *
 * <p>It runs no code of the user's: that has polls, and may say anything. Records are read field by
 * field, and so are arrays and the common collections of the JDK, sets and maps without regard to
 * their order. Strings, numbers, constants, dates and their like count by their value, actors by
 * their paths. Of all other objects the type counts, and of what is nested deeper than {@link
 * #DEPTH} or comes after the first {@link #MOST} elements nothing.
 */
final class Contents {
  static final int DEPTH = 4;
  static final int MOST = 64;
  private static final long PRIME = 0x100000001B3L;

  /** Their hash codes are of their values alone, as the JDK says or does. */
  private static final Set<Class<?>> VALUES =
      Set.of(
          String.class,
          Boolean.class,
          Character.class,
          Byte.class,
          Short.class,
          Integer.class,
          Long.class,
          Float.class,
          Double.class,
          BigInteger.class,
          BigDecimal.class,
          UUID.class,
          URI.class);

  /** Their elements can be had without code of others, and without a lock. */
  private static final Set<Class<?>> COLLECTIONS =
      Set.of(
          ArrayList.class,
          ArrayDeque.class,
          LinkedList.class,
          HashSet.class,
          LinkedHashSet.class,
          TreeSet.class,
          HashMap.class,
          LinkedHashMap.class,
          TreeMap.class,
          Optional.class);

  private Contents() {}

  private enum Shape {
    VALUE,
    CONSTANT,
    ACTOR,
    RECORD,
    ARRAY,
    COLLECTION,
    OTHER
  }

  /**
   * What is known of a class.
   *
   * @param name the same everywhere
   * @param fields of a record, those that can be read
   */
  private record Type(Shape shape, int name, List<MethodHandle> fields) {}

  private static final ClassValue<Type> TYPES =
      new ClassValue<>() {
        @Override
        protected Type computeValue(Class<?> of) {
          Shape shape = shapeOf(of);
          return new Type(
              shape, Story.nameOf(of).hashCode(), shape == Shape.RECORD ? fieldsOf(of) : List.of());
        }
      };

  private static Shape shapeOf(Class<?> of) {
    if (VALUES.contains(of)) return Shape.VALUE;
    if (Enum.class.isAssignableFrom(of)) return Shape.CONSTANT;
    if (of.getPackageName().equals("java.time") && Comparable.class.isAssignableFrom(of))
      return Shape.VALUE;
    if (ActorRef.class.isAssignableFrom(of)) return Shape.ACTOR;
    if (of.isRecord()) return Shape.RECORD;
    if (of.isArray()) return Shape.ARRAY;
    // Those of List.of and its like, and of Arrays.asList.
    boolean fixed =
        of.getName().startsWith("java.util.ImmutableCollections$")
            || of.getName().equals("java.util.Arrays$ArrayList");
    return fixed || COLLECTIONS.contains(of) ? Shape.COLLECTION : Shape.OTHER;
  }

  private static List<MethodHandle> fieldsOf(Class<?> of) {
    List<MethodHandle> fields = new ArrayList<>();
    for (Field field : of.getDeclaredFields()) {
      if (Modifier.isStatic(field.getModifiers()) || !field.trySetAccessible()) continue;
      try {
        fields.add(
            MethodHandles.lookup()
                .unreflectGetter(field)
                .asType(MethodType.methodType(Object.class, Object.class)));
      } catch (IllegalAccessException e) {
        // A module that lets nobody look: the type must do.
      }
    }
    return fields;
  }

  static long of(@Nullable Object message) {
    return of(message, DEPTH);
  }

  private static long of(@Nullable Object value, int depth) {
    if (value == null) return PRIME;
    Type type = TYPES.get(value.getClass());
    return switch (type.shape) {
      case VALUE -> mix(type.name, value.hashCode());
      case CONSTANT -> mix(type.name, ((Enum<?>) value).name().hashCode());
      case ACTOR -> mix(1, ((ActorRef<?>) value).path().hashCode());
      case OTHER -> type.name;
      case RECORD, ARRAY, COLLECTION -> depth == 0 ? type.name : inside(value, type, depth - 1);
    };
  }

  private static long inside(Object value, Type type, int depth) {
    return switch (type.shape) {
      case RECORD -> ofRecord(value, type, depth);
      case ARRAY -> ofArray(value, type.name, depth);
      default ->
          switch (value) {
            case Map<?, ?> map -> ofMap(map, depth);
            case Set<?> set -> ofSet(set, depth);
            case Collection<?> list -> ofList(list, depth);
            case Optional<?> maybe -> mix(type.name, of(maybe.orElse(null), depth));
            default -> type.name;
          };
    };
  }

  private static long ofRecord(Object value, Type type, int depth) {
    long hash = type.name;
    try {
      for (MethodHandle field : type.fields)
        hash = mix(hash, of((Object) field.invokeExact(value), depth));
      return hash;
    } catch (Throwable e) {
      throw new AssertionError("reading a field throws nothing", e);
    }
  }

  private static long ofArray(Object array, int name, int depth) {
    int length = Array.getLength(array);
    long hash = mix(name, length);
    for (int i = 0; i < Math.min(MOST, length); i++)
      hash = mix(hash, of(Array.get(array, i), depth));
    return hash;
  }

  private static long ofList(Collection<?> list, int depth) {
    long hash = list.size();
    int left = MOST;
    for (Object each : list) {
      if (left-- == 0) break;
      hash = mix(hash, of(each, depth));
    }
    return hash;
  }

  /** In which order they come may be chance: so all, or none of them, count. */
  private static long ofSet(Set<?> set, int depth) {
    long hash = set.size();
    if (hash <= MOST) for (Object each : set) hash += mix(1, of(each, depth));
    return hash;
  }

  private static long ofMap(Map<?, ?> map, int depth) {
    long hash = map.size();
    if (hash <= MOST)
      for (Map.Entry<?, ?> each : map.entrySet())
        hash += mix(of(each.getKey(), depth), of(each.getValue(), depth));
    return hash;
  }

  private static long mix(long hash, long value) {
    long mixed = (hash ^ value) * PRIME;
    return mixed ^ (mixed >>> 29);
  }
}
