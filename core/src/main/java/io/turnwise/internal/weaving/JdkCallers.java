package io.turnwise.internal.weaving;

import java.util.Set;
import java.util.function.Predicate;

/**
 * Whether a poll in the JDK's code may stop the turn there: only when woven code called it, through
 * nothing but packages that hold no lock and no state of the JVM's own. The same sort runs for a
 * user's handler, for a class loader, and for this runtime; in the latter two it must not stop.
 *
 * <p>Walks the stack, but only when a turn is really asked to stop. It uses nothing that is woven,
 * or it would poll, and walk, for ever: so no streams here.
 */
public final class JdkCallers {
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

  private static final StackWalker WALKER = StackWalker.getInstance();

  /** Which classes are woven, by name. Nobody's, until the agent says otherwise. */
  private static volatile Predicate<String> woven = name -> false;

  private JdkCallers() {}

  public static void wovenAre(Predicate<String> classes) {
    woven = classes;
  }

  static boolean mayStop() {
    try {
      WALKER.forEach(JdkCallers::judge);
      return false;
    } catch (Verdict verdict) {
      return verdict.mayStop;
    }
  }

  /** Walking on is the only other way to leave the walk. */
  private static void judge(StackWalker.StackFrame frame) {
    String name = frame.getClassName();
    if (name.startsWith("io.turnwise.internal.weaving.") || name.startsWith(DOOR)) return;
    boolean jdk =
        name.startsWith("java.")
            || name.startsWith("jdk.")
            || name.startsWith("sun.")
            || name.startsWith("javax.")
            || name.startsWith("com.sun.");
    if (!jdk) throw woven.test(name) ? Verdict.YES : Verdict.NO;
    if (!isHarmless(name)) throw Verdict.NO;
  }

  private static final String DOOR = "io.turnwise.internal.door.BootFlag";

  private static boolean isHarmless(String name) {
    if (HARMLESS.contains(name.substring(0, name.lastIndexOf('.')))) return true;
    int nested = name.indexOf('$');
    return HARMLESS_CLASSES.contains(nested < 0 ? name : name.substring(0, nested));
  }

  private static final class Verdict extends RuntimeException {
    private static final long serialVersionUID = 1;
    static final Verdict YES = new Verdict(true);
    static final Verdict NO = new Verdict(false);

    final boolean mayStop;

    private Verdict(boolean mayStop) {
      super(null, null, false, false);
      this.mayStop = mayStop;
    }
  }
}
