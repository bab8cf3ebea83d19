package io.turnwise.agent;

import io.turnwise.agent.weaver.CallRedirector;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The classes of the JDK whose clock reads a simulation answers: what waiting for a time is made
 * of; and some that differ from run to run. None are changed unless there is to be a simulation.
 */
final class JdkClocks {
  private static final CallRedirector WAITING = CallRedirector.ofJdkClasses(BootWorld.NAME);

  /** Its other methods time the JVM's own parking. */
  private static final CallRedirector SLEEP = WAITING.onlyIn(Set.of("sleepNanos"));

  /** How it goes on from its seed. It reads the clock only once, for the first seed of all. */
  private static final CallRedirector CHANCE =
      CallRedirector.ofJdkSeeds(BootWorld.NAME).onlyIn(Set.of("nextSeed"));

  /** Their hash codes, which decide the order of maps whose keys are constants. */
  private static final CallRedirector CONSTANTS =
      CallRedirector.ofJdkConstants(BootWorld.NAME).onlyIn(Set.of("hashCode"));

  private JdkClocks() {}

  /**
   * Null for those that stay as they are.
   *
   * @param name with slashes
   */
  static @Nullable CallRedirector redirectorOf(String name) {
    return switch (outermost(name)) {
      case "java/lang/VirtualThread" -> SLEEP;
      case "java/util/concurrent/ThreadLocalRandom" -> CHANCE;
      case "java/lang/Enum" -> CONSTANTS;
      case "java/util/ImmutableCollections" -> CallRedirector.ofJdkOrder();
      // A thread that is in no simulation compares the times that all others give it.
      case "java/util/concurrent/DelayScheduler" -> null;
      case "jdk/internal/misc/ThreadFlock" -> WAITING;
      default -> name.startsWith("java/util/concurrent/") ? WAITING : null;
    };
  }

  private static String outermost(String name) {
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
  }
}
