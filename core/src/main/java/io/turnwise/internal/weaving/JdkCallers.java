package io.turnwise.internal.weaving;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Whether a poll in the JDK's code may stop the turn there: only when woven code called it, through
 * nothing but packages that hold no lock and no state of the JVM's own. The same sort runs for a
 * user's handler, for a class loader, and for this runtime; in the latter two it must not stop.
 *
 * <p>And whether the turn may be ended there: not where a collection called what polls. A list
 * sorts its elements where they are, and while two parts of it are merged, one of them is nowhere
 * but in a place of the sort's own: an error thrown through that would lose elements. For the same
 * reason polls in a user's function ask, before they throw, whether a collection has called it to
 * put itself in order.
 *
 * <p>Walks the stack, but only when a turn is really asked to stop. It uses nothing that is woven,
 * or it would poll, and walk, for ever: so no streams here.
 */
public final class JdkCallers {
  /** What a poll in the JDK's code may do to the turn. */
  enum Leave {
    NOTHING,
    PAUSE,
    END
  }

  private static final Set<String> HARMLESS =
      Set.of(
          "java.util",
          "java.util.function",
          "java.util.regex",
          "java.util.stream",
          "java.math",
          "java.lang.invoke");

  /** Single classes of packages that are otherwise not harmless. */
  private static final Set<String> HARMLESS_CLASSES =
      Set.of(
          "java.lang.TurnwiseSafepoint",
          "jdk.internal.util.random.RandomSupport",
          "java.lang.Iterable",
          "java.lang.String",
          "java.lang.CharSequence",
          "java.lang.Comparable",
          "java.util.concurrent.ConcurrentHashMap",
          "java.util.concurrent.ConcurrentLinkedDeque",
          "java.util.concurrent.ConcurrentLinkedQueue",
          "java.util.concurrent.ConcurrentSkipListMap",
          "java.util.concurrent.CopyOnWriteArrayList",
          // Large numbers and parallel streams: a task that is run where it was made.
          "java.util.concurrent.ForkJoinTask",
          "java.util.concurrent.RecursiveAction",
          "java.util.concurrent.RecursiveTask",
          "java.util.concurrent.CountedCompleter");

  private static final StackWalker WALKER =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  /** Which classes are woven, by name. Nobody's, until the agent says otherwise. */
  private static volatile Predicate<String> woven = name -> false;

  private JdkCallers() {}

  public static void wovenAre(Predicate<String> classes) {
    woven = classes;
  }

  /** Asked in a poll of the JDK's. */
  static Leave leave() {
    try {
      WALKER.forEach(new Leaving());
      return Leave.NOTHING;
    } catch (Verdict verdict) {
      return verdict.leave;
    }
  }

  /**
   * Whether a collection is being put in order by moving its elements, and what polls is a function
   * that it compares them by, or was called by one. Asked in any poll of a handler.
   */
  public static boolean arePuttingInOrder() {
    try {
      WALKER.forEach(new Ordering());
      return false;
    } catch (Verdict verdict) {
      return verdict == Verdict.PAUSE;
    } catch (OutOfMemoryError e) { // the end of the turn may be what brings memory back
      return false;
    }
  }

  /** From the poll to who called the JDK. */
  private static final class Leaving implements Consumer<StackWalker.StackFrame> {
    private boolean mayEnd = true;

    /**
     * What was passed so far is a function that a collection was given: none calls it by itself.
     */
    private boolean given;

    @Override
    public void accept(StackWalker.StackFrame frame) {
      String name = frame.getClassName();
      if (name.startsWith(OURS) || name.startsWith(DOOR)) return;
      if (!isJdk(name)) throw !woven.test(name) ? Verdict.NOTHING : Verdict.of(mayEnd);
      if (!isHarmless(name)) throw Verdict.NOTHING;
      if (name.startsWith(SORTED_STREAM)) mayEnd = true; // the list was the stream's own
      if (name.startsWith("java.util.stream.") || name.startsWith("java.util.regex.")) given = true;
      else if (!given && isCollection(frame)) mayEnd = false;
    }
  }

  /** From the poll to who called the handler. */
  private static final class Ordering implements Consumer<StackWalker.StackFrame> {
    private boolean polls = true;

    /** Since the last frame that was not the JDK's. */
    private boolean sorts;

    private boolean ofCollection;

    @Override
    public void accept(StackWalker.StackFrame frame) {
      String name = frame.getClassName();
      boolean ours = name.startsWith("io.turnwise.internal.");
      if (polls && (ours || name.equals(SAFEPOINT) || name.equals(BOOT_SAFEPOINT))) return;
      polls = false;
      if (ours) throw Verdict.NOTHING; // who called the handler
      if (!isJdk(name)) {
        if (ofCollection) throw Verdict.PAUSE;
        sorts = false;
      } else if (name.equals("java.util.TimSort") || name.equals("java.util.ComparableTimSort")) {
        sorts = true;
      } else if (name.startsWith(SORTED_STREAM)) {
        ofCollection = false; // the list was the stream's own
      } else if (sorts ? isCollection(frame) : isHeap(frame)) {
        ofCollection = true;
      }
    }
  }

  private static boolean isJdk(String name) {
    return name.startsWith("java.")
        || name.startsWith("jdk.")
        || name.startsWith("sun.")
        || name.startsWith("javax.")
        || name.startsWith("com.sun.");
  }

  private static boolean isHarmless(String name) {
    if (HARMLESS.contains(name.substring(0, name.lastIndexOf('.')))) return true;
    int nested = name.indexOf('$');
    return HARMLESS_CLASSES.contains(nested < 0 ? name : name.substring(0, nested));
  }

  /** Whether a collection's own code runs, in which it may be half changed. */
  private static boolean isCollection(StackWalker.StackFrame frame) {
    Class<?> type = frame.getDeclaringClass();
    if (List.class.isAssignableFrom(type)) return !onlyLooks(type, frame.getMethodName());
    return Collection.class.isAssignableFrom(type)
        || Map.class.isAssignableFrom(type)
        || type == Collections.class;
  }

  /** Such as a linked list, which goes a long way for an element; or it sorts a copy. */
  private static boolean onlyLooks(Class<?> type, String method) {
    return method.equals("get")
        || method.equals("node")
        || type == List.class && method.equals("sort");
  }

  /** Whether an element is on its way up or down, and stands in two places or in none. */
  private static boolean isHeap(StackWalker.StackFrame frame) {
    Class<?> type = frame.getDeclaringClass();
    if (type != PriorityQueue.class && type != PriorityBlockingQueue.class) return false;
    String method = frame.getMethodName();
    return method.startsWith("sift") || method.equals("heapify");
  }

  private static final String OURS = "io.turnwise.internal.weaving.";
  private static final String DOOR = "io.turnwise.internal.door.BootFlag";
  private static final String SAFEPOINT = "io.turnwise.weaving.Safepoint";
  private static final String BOOT_SAFEPOINT = "java.lang.TurnwiseSafepoint";
  private static final String SORTED_STREAM = "java.util.stream.SortedOps";

  /** Walking on is the only other way to leave the walk. */
  private static final class Verdict extends RuntimeException {
    private static final long serialVersionUID = 1;
    static final Verdict NOTHING = new Verdict(Leave.NOTHING);
    static final Verdict PAUSE = new Verdict(Leave.PAUSE);
    static final Verdict END = new Verdict(Leave.END);

    final Leave leave;

    private Verdict(Leave leave) {
      super(null, null, false, false);
      this.leave = leave;
    }

    static Verdict of(boolean mayEnd) {
      return mayEnd ? END : PAUSE;
    }
  }
}
