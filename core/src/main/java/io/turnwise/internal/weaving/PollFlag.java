package io.turnwise.internal.weaving;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The one flag of the whole JVM that every poll reads. Raised while some turn is to stop; whose it
 * is, the answer finds out.
 *
 * <p>Polls in the JDK's own code cannot see this class. They read a copy of the flag in a class of
 * {@code java.lang}, which raising and lowering write too, as their last step: so what is true of
 * the order of both is true of the copy.
 */
public final class PollFlag {
  /** What becomes of a poll that found the flag up. */
  public interface Answer {
    /** Whether a poll on this thread could lead to anything. Cheap; asked before what is not. */
    boolean concernsThisThread();

    /**
     * @param mayEnd whether the turn may be ended here; otherwise only others may be let run
     */
    void stop(boolean mayEnd);

    /** Before a call: the turn is ended there only in a recursion, or after very many of these. */
    void stopAtCall();

    /** Before a call that may clean up: the turn is ended there only if nobody waits for it. */
    void stopInCleanUp();
  }

  /** Where polls in the JDK look. */
  public interface Copy {
    void set(boolean raised);
  }

  private static final Answer NOBODY =
      new Answer() {
        @Override
        public boolean concernsThisThread() {
          return false;
        }

        @Override
        public void stop(boolean mayEnd) {}

        @Override
        public void stopAtCall() {}

        @Override
        public void stopInCleanUp() {}
      };

  /** Read by every poll. Volatile: a plain load would be hoisted out of the loop it is for. */
  public static volatile boolean raised;

  private static volatile Answer answer = NOBODY;

  /** Threads in the middle of {@link #leave}. Its single steps are not woven. */
  private static final Set<Thread> DECIDING = ConcurrentHashMap.newKeySet();

  private static volatile Copy copy = raised -> {};

  private PollFlag() {}

  /** Any thread. */
  public static void raise() {
    if (!raised) raised = true;
    copy.set(true);
  }

  /** Any thread. Whoever lowers it looks afterwards whether somebody still needs it. */
  public static void lower() {
    raised = false;
    copy.set(false);
  }

  /** What a poll does while the flag is up, on whatever thread polls. */
  public static void answerBy(Answer next) {
    answer = next;
  }

  /** The JDK is woven, and this is where its polls look. */
  public static void copyTo(Copy next) {
    copy = next;
    next.set(raised);
  }

  /** Called by polls that found the flag up. */
  public static void answer() {
    answer.stop(true);
  }

  /** Called by polls before calls that found the flag up. */
  public static void answerAtCall() {
    answer.stopAtCall();
  }

  /** Called by polls before calls that are made on the way out, too, that found the flag up. */
  public static void answerInCleanUp() {
    answer.stopInCleanUp();
  }

  /**
   * Called by polls in the JDK that found the flag up.
   *
   * @param mayEnd whether an error may be thrown out of the code that polls
   */
  public static void answerInJdk(boolean mayEnd) {
    Answer now = answer;
    JdkCallers.Leave leave = leave(now);
    if (leave != JdkCallers.Leave.NOTHING) now.stop(mayEnd && leave == JdkCallers.Leave.END);
  }

  /** Once at a time for each thread: what is asked here may run JDK code that polls. */
  private static JdkCallers.Leave leave(Answer now) {
    if (!DECIDING.add(Thread.currentThread())) return JdkCallers.Leave.NOTHING;
    try {
      return now.concernsThisThread() ? JdkCallers.leave() : JdkCallers.Leave.NOTHING;
    } finally {
      DECIDING.remove(Thread.currentThread());
    }
  }
}
