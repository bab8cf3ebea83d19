package io.turnwise.agent.weaver;

import java.util.Comparator;
import java.util.Set;

/*
 * How every recursion passes a poll although the weaver sees one class at a time.
 *
 * All methods of all classes stand in one fixed order, by name and descriptor alone, because these are what dispatch
 * keeps. A call to a method further up needs no poll; a call to the same place or further down gets one. Whoever goes
 * round in a circle must go down somewhere, so every circle of calls has a call that polls, whichever classes it runs
 * through and in whatever order they are loaded.
 *
 * Any order would do. This one puts what is often called and seldom calls (accessors, constructors, what collections
 * and strings offer) at the top, so that calls to them are free.
 *
 * What goes through code that is not woven is not seen as a call, so:
 *   - a call to a function object, a handle, or a method of the JDK or the runtime that takes a function polls, wherever
 *     it stands, unless it is known that the function is only kept;
 *   - lambda bodies and methods that a method reference of their own class names poll before any call: the hidden
 *     class that calls them does not;
 *   - methods that the JDK calls by itself (equals, compareTo, get ...) are the topmost, so that a call out of them
 *     goes down; and where one hands objects to the JDK, which may call them, it polls.
 * Not covered: a circle in which every round passes unwoven code that calls back by a name that is not listed here.
 */
final class CallOrder {
  private static final int ORDINARY = 0;
  private static final int BRIEF = 1;
  private static final int CALLED_BY_JDK = 2;

  /** Methods of types that the JDK calls and users write: objects, collections, text, streams. */
  private static final Set<String> JDK_CALLS =
      Set.of(
          ("toString hashCode equals compareTo compare close clone finalize "
                  + "iterator hasNext next hasPrevious previous spliterator tryAdvance "
                  + "forEachRemaining forEach size isEmpty contains containsAll containsKey "
                  + "containsValue get getOrDefault getKey getValue setValue put putAll putIfAbsent "
                  + "set add addAll remove removeAll removeIf retainAll clear indexOf lastIndexOf "
                  + "subList toArray keySet values entrySet first last firstKey lastKey lower higher "
                  + "floor ceiling headSet tailSet subSet comparator offer poll peek element push pop "
                  + "addFirst addLast removeFirst removeLast getFirst getLast "
                  + "length charAt subSequence append read write skip available mark reset flush "
                  + "run call accept apply test applyAsInt applyAsLong applyAsDouble getAsInt "
                  + "getAsLong getAsDouble")
              .split(" "));

  private static final Comparator<MethodKey> UPWARD =
      Comparator.comparingInt(CallOrder::rank)
          .thenComparing(MethodKey::name)
          .thenComparing(MethodKey::descriptor);

  private CallOrder() {}

  /** Whether a call from the method to the callee goes down, or stays where it is. */
  static boolean isUpward(MethodKey caller, MethodKey callee) {
    return UPWARD.compare(callee, caller) > 0;
  }

  static boolean isCalledByJdk(MethodKey method) {
    return JDK_CALLS.contains(method.name());
  }

  private static int rank(MethodKey method) {
    if (isCalledByJdk(method)) return CALLED_BY_JDK;
    if (method.isConstructor()) return BRIEF;
    boolean accessor = method.descriptor().startsWith("()") && !method.descriptor().endsWith(")V");
    return accessor ? BRIEF : ORDINARY;
  }
}
