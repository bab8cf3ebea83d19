package io.turnwise.agent;

import io.turnwise.agent.weaver.CallRedirector;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The classes of the JDK whose clock reads a simulation answers: what waiting for a time is made
 * of. None are changed unless there is to be a simulation.
 */
final class JdkClocks {
  private static final CallRedirector WAITING = CallRedirector.ofJdkClasses(BootWorld.NAME);

  /** Its other methods time the JVM's own parking. */
  private static final CallRedirector SLEEP = WAITING.onlyIn(Set.of("sleepNanos"));

  private static final Set<String> REAL =
      Set.of(
          // A thread in no simulation compares the times that all others give it.
          "java/util/concurrent/DelayScheduler",
          // Seeds itself from the clock, once.
          "java/util/concurrent/ThreadLocalRandom");

  private JdkClocks() {}

  /**
   * Null for those that stay as they are.
   *
   * @param name with slashes
   */
  static @Nullable CallRedirector redirectorOf(String name) {
    if (name.equals("java/lang/VirtualThread")) return SLEEP;
    if (name.equals("jdk/internal/misc/ThreadFlock")) return WAITING;
    if (!name.startsWith("java/util/concurrent/")) return null;
    int nested = name.indexOf('$');
    return REAL.contains(nested < 0 ? name : name.substring(0, nested)) ? null : WAITING;
  }
}
