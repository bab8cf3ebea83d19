package io.turnwise.internal.door;

import java.lang.instrument.Instrumentation;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The agent that opens {@code java.lang} to Turnwise, and to nobody else. Started by {@code
 * -javaagent}, by {@code Launcher-Agent-Class} in a runnable jar's manifest, or by {@link
 * SelfAttach}.
 *
 * <p>The JVM loads an agent by the system class loader, whatever loader the runtime lives in (in a
 * Spring Boot jar, say, it is another one). So the runtime looks for this class there, and calls
 * {@link #open} by name.
 */
public final class OpeningAgent {
  private static volatile @Nullable Instrumentation instrumentation;

  private OpeningAgent() {}

  public static void premain(@Nullable String arguments, Instrumentation given) {
    instrumentation = given;
  }

  public static void agentmain(@Nullable String arguments, Instrumentation given) {
    instrumentation = given;
  }

  /** Opens {@code java.lang} to the module. Does nothing when no agent was started. */
  public static void open(Module to) {
    Instrumentation given = instrumentation;
    if (given == null) return;
    given.redefineModule(
        Object.class.getModule(),
        Set.of(),
        Map.of(),
        Map.of("java.lang", Set.of(to)),
        Set.of(),
        Map.of());
  }
}
