package io.turnwise.demo;

import io.turnwise.agent.RuntimeAgent;
import java.lang.instrument.Instrumentation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Starts the runtime's agent before {@code main}, because the jar's manifest says so. A program
 * would name {@link RuntimeAgent} there itself; the demo must first look whether it is to show how
 * things are without preemption.
 */
public final class DemoAgent {
  private static final String OPTIONS = "turnwise.agent";
  private static final String NOTHING = "weave=off";

  private DemoAgent() {}

  public static void agentmain(@Nullable String arguments, Instrumentation instrumentation) {
    String[] command = ProcessHandle.current().info().arguments().orElse(new String[0]);
    if (List.of(command).contains(Options.NO_PREEMPTION)) weaveNothing();
    RuntimeAgent.agentmain(null, instrumentation); // null: it looks at the property
  }

  /** Takes effect unless an agent has been started already. */
  static void weaveNothing() {
    System.setProperty(OPTIONS, NOTHING);
  }
}
