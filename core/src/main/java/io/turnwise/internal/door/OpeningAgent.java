package io.turnwise.internal.door;

import java.lang.instrument.Instrumentation;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The agent that opens {@code java.lang} to Turnwise, and to nobody else. Started by {@code
 * -javaagent}, by {@code Launcher-Agent-Class} in a runnable jar's manifest, or by {@link
 * SelfAttach}.
 *
 * <p>The runtime may live in another class loader than the agent (a Spring Boot jar, say), so the
 * two meet in the system properties, where one leaves a function that the other calls.
 */
public final class OpeningAgent {
  static final String OPENER = "io.turnwise.door.opener";

  private OpeningAgent() {}

  public static void premain(@Nullable String arguments, Instrumentation instrumentation) {
    agentmain(arguments, instrumentation);
  }

  public static void agentmain(@Nullable String arguments, Instrumentation instrumentation) {
    Consumer<Module> opener =
        module ->
            instrumentation.redefineModule(
                Object.class.getModule(),
                Set.of(),
                Map.of(),
                Map.of("java.lang", Set.of(module)),
                Set.of(),
                Map.of());
    System.getProperties().put(OPENER, opener);
  }
}
