package io.turnwise.internal.weaving;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * What time it is and what chance says, for the code of the current thread: as in the real world,
 * or, on the threads of a simulation, as its source says. Redirected calls of woven code land here,
 * those of user classes by way of {@link io.turnwise.weaving.Redirected}.
 *
 * <p>Clock reads in the JDK's own code cannot see this class. They look at a flag in a class of
 * {@code java.lang}, and ask here only while it is up: that is, while there is a finder.
 */
public final class World {
  /** Stands in for the clocks, the sleep and the chance of the real world. */
  public interface Source {
    /** As {@link System#nanoTime}. */
    long nanoTime();

    /** As {@link System#currentTimeMillis}. Dates and instants are made from it. */
    long currentTimeMillis();

    /**
     * As {@link Thread#sleep(java.time.Duration)}: also with 0, and when the thread is interrupted
     * before. The thread may be switched meanwhile; its clock reads go on to come here.
     *
     * @param nanos not negative
     */
    void sleep(long nanos) throws InterruptedException;

    /** Each call another one; all that is random is seeded with these. */
    long nextRandomLong();

    /**
     * Woven code has just used something that differs from run to run and that nobody can redirect.
     *
     * @param what such as {@code System.identityHashCode}
     * @param where the call
     */
    default void leaked(String what, StackTraceElement where) {}

    /**
     * Woven code is about to read, write or open something outside. Throws where that is refused.
     *
     * @param what such as {@code Files.readString}
     * @param where the call
     */
    default void opens(String what, StackTraceElement where) {}
  }

  /** Knows the threads of simulations. */
  public interface Finder {
    /**
     * The source that the current thread's code sees, or null: the real world. What it does is not
     * redirected, so it may run any code of the JDK that is brief.
     */
    @Nullable Source ofThisThread();
  }

  /** Where the JDK's own code looks. */
  public interface Jdk {
    /** Whether its clock reads on any thread are to ask here. */
    void askHere(boolean up);

    /** Sets from where the current thread's {@code ThreadLocalRandom} goes on. */
    void seedThreadLocalRandom(long seed);
  }

  private static volatile @Nullable Finder finder;
  private static volatile @Nullable Jdk jdk;

  private World() {}

  /**
   * From now on each redirected call asks the finder. Any thread.
   *
   * @param next null: no simulation, everything is real
   */
  public static synchronized void findBy(@Nullable Finder next) {
    finder = next;
    if (jdk != null) jdk.askHere(next != null);
  }

  /** The JDK is woven, and this is where its clock reads look. */
  public static synchronized void link(Jdk woven) {
    jdk = woven;
    woven.askHere(finder != null);
  }

  /** The source of the current thread; null: the real world. */
  public static @Nullable Source here() {
    Finder now = finder;
    int place = now == null ? Asking.NONE : Asking.begin();
    if (now == null || place == Asking.NONE) return null;
    try {
      return now.ofThisThread();
    } finally {
      Asking.end(place);
    }
  }

  public static long nanoTime() {
    Finder now = finder;
    int place = now == null ? Asking.NONE : Asking.begin();
    if (now == null || place == Asking.NONE) return System.nanoTime();
    try {
      Source source = now.ofThisThread();
      return source == null ? System.nanoTime() : source.nanoTime();
    } finally {
      Asking.end(place);
    }
  }

  public static long currentTimeMillis() {
    Finder now = finder;
    int place = now == null ? Asking.NONE : Asking.begin();
    if (now == null || place == Asking.NONE) return System.currentTimeMillis();
    try {
      Source source = now.ofThisThread();
      return source == null ? System.currentTimeMillis() : source.currentTimeMillis();
    } finally {
      Asking.end(place);
    }
  }

  /** Returns false in the real world, where the caller must sleep by itself. */
  public static boolean sleeps(long nanos) throws InterruptedException {
    Source source = here();
    if (source == null) return false;
    source.sleep(nanos);
    return true;
  }

  /**
   * What runs the tasks of this thread that are meant for a pool of real threads: in a simulation,
   * new virtual threads, which are scheduled by whoever schedules this one.
   */
  public static Executor executor(Executor real) {
    return Thread.currentThread().isVirtual() && here() != null ? Thread::startVirtualThread : real;
  }

  /** Returns false where the JDK is not woven: then it cannot be seeded. */
  public static boolean seedThreadLocalRandom(long seed) {
    Jdk woven = jdk;
    if (woven == null) return false;
    woven.seedThreadLocalRandom(seed);
    return true;
  }
}
