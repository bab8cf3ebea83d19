package io.turnwise.agent;

import io.turnwise.agent.weaver.LoopWeaver;
import io.turnwise.agent.weaver.PollTarget;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The classes of the JDK that are woven, because a turn can spend a long time in them. All others
 * stay as they are: what runs below every thread of the JVM is not for us to change.
 */
final class JdkClasses {
  /** Backtracking is recursion, so calls poll too. */
  private static final LoopWeaver REGULAR_EXPRESSIONS = LoopWeaver.atRunTime(BootSafepoint.STOP);

  private static final LoopWeaver COMPUTATION =
      LoopWeaver.atRunTime(BootSafepoint.STOP).withoutCalls().sparing();

  /**
   * Its other methods serve the JVM's own linking of calls, where every poll would be in the way.
   */
  private static final LoopWeaver SORTING_OF_ARRAYS =
      COMPUTATION.onlyIn(Set.of("sort", "mergeSort", "legacyMergeSort", "setAll"));

  /** What goes over a whole collection. Single steps stay as fast as they were. */
  private static final Set<String> OVER_ALL =
      Set.of(
          "forEach",
          "forEachRemaining",
          "replaceAll",
          "replaceAllRange",
          "removeIf",
          "bulkRemove",
          "batchRemove",
          "sort",
          "putAll",
          "putMapEntries",
          "addAll",
          "removeAll",
          "retainAll",
          "containsAll",
          "containsValue",
          "indexOf",
          "indexOfRange",
          "lastIndexOf",
          "lastIndexOfRange",
          "contains",
          "equals",
          "equalsRange",
          "equalsArrayList",
          "hashCode",
          "hashCodeRange",
          "toString",
          "frequency",
          "disjoint",
          "reverse",
          "shuffle",
          "fill",
          "copy",
          "min",
          "max");

  private static final LoopWeaver COLLECTIONS = collections(BootSafepoint.PAUSE, OVER_ALL);

  /**
   * A step by index goes half the way from an end, and whoever goes over a list by index does so
   * each time. To look for a node changes nothing, so that may be ended: the runtime, which asks
   * who has called, lets a poll in any of the others only stop.
   */
  private static final LoopWeaver LINKED_LIST = collections(BootSafepoint.STOP, withNode());

  private static final Set<String> COMPUTING =
      Set.of(
          "java/util/DualPivotQuicksort",
          "java/util/TimSort",
          "java/util/ComparableTimSort",
          "java/util/Spliterator",
          "java/util/Spliterators",
          "java/util/PrimitiveIterator",
          "jdk/internal/util/random/RandomSupport",
          "java/math/BigInteger",
          "java/math/MutableBigInteger",
          "java/math/SignedMutableBigInteger",
          "java/math/BitSieve",
          "java/math/BigDecimal");

  private static final Set<String> COLLECTING =
      Set.of(
          "java/lang/Iterable",
          "java/util/Iterator",
          "java/util/Collection",
          "java/util/List",
          "java/util/Map",
          "java/util/AbstractCollection",
          "java/util/AbstractList",
          "java/util/AbstractMap",
          "java/util/AbstractSet",
          "java/util/ArrayDeque",
          "java/util/ArrayList",
          "java/util/Collections",
          "java/util/HashMap",
          "java/util/HashSet",
          "java/util/IdentityHashMap",
          "java/util/LinkedHashMap",
          "java/util/LinkedList",
          "java/util/PriorityQueue",
          "java/util/TreeMap",
          "java/util/Vector",
          "java/util/WeakHashMap",
          "java/util/concurrent/ConcurrentHashMap",
          "java/util/concurrent/ConcurrentLinkedDeque",
          "java/util/concurrent/ConcurrentLinkedQueue",
          "java/util/concurrent/ConcurrentSkipListMap",
          "java/util/concurrent/CopyOnWriteArrayList");

  private JdkClasses() {}

  private static LoopWeaver collections(PollTarget target, Set<String> methods) {
    return LoopWeaver.atRunTime(target).withoutCalls().seldom().onlyIn(methods);
  }

  private static Set<String> withNode() {
    Set<String> methods = new HashSet<>(OVER_ALL);
    methods.add("node");
    return methods;
  }

  /**
   * The weaver for a class of the JDK; null for those that are not woven.
   *
   * @param name with slashes
   */
  static @Nullable LoopWeaver weaverOf(String name) {
    if (name.startsWith("java/util/regex/")) return REGULAR_EXPRESSIONS;
    if (name.startsWith("java/util/stream/")) return COMPUTATION;
    if (name.equals("java/util/Arrays")) return SORTING_OF_ARRAYS;
    if (name.equals("java/util/LinkedList")) return LINKED_LIST;
    int nested = name.indexOf('$');
    String outer = nested < 0 ? name : name.substring(0, nested);
    if (COMPUTING.contains(outer)) return COMPUTATION;
    return COLLECTING.contains(outer) ? COLLECTIONS : null;
  }
}
