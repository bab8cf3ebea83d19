package io.turnwise.agent;

import io.turnwise.agent.weaver.SkipReason;
import io.turnwise.agent.weaver.Skipped;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The agent: weaves classes as they are loaded, and those that are loaded already; and opens {@code
 * java.lang} to the runtime. Started by {@code -javaagent}, by {@code Launcher-Agent-Class} in a
 * runnable jar's manifest, or by attaching to a running JVM. The first start counts; a second one
 * changes nothing.
 */
public final class RuntimeAgent {
  /** The options of an agent that is attached without any. */
  private static final String OPTIONS = "turnwise.agent";

  private static volatile @Nullable RuntimeAgent running;

  private final Instrumentation instrumentation;
  private final WeavingLedger ledger = new WeavingLedger();
  private final WeavingTransformer transformer;
  private final LoadedClasses loaded;
  private final AgentOptions options;

  private boolean redirects; // guarded by this

  /**
   * @param attached to a JVM that may be running the user's code
   */
  private RuntimeAgent(Instrumentation instrumentation, AgentOptions options, boolean attached) {
    this.instrumentation = instrumentation;
    this.options = options;
    boolean jdk = options.weave() && options.jdk() && preparesJdk(options.filter());
    transformer = new WeavingTransformer(options.filter(), ledger, instrumentation, jdk);
    loaded = new LoadedClasses(instrumentation, transformer, ledger);
    if (options.simulation()) redirect();
    if (options.weave()) {
      Rehearsal.run();
      instrumentation.addTransformer(transformer, true);
      // Before main no call of the user's runs, and a look would make each start longer.
      if (attached) weaveAndLook();
      else loaded.weave();
    }
    Path file = options.report();
    if (file != null)
      Runtime.getRuntime().addShutdownHook(new Thread(() -> write(file), "turnwise-agent-report"));
    if (options.jmx()) WeavingBean.register(this::snapshot);
  }

  private void weaveAndLook() {
    var calls = new RunningCalls(instrumentation, ledger);
    transformer.weaveLoaded(calls, loaded::weave);
    calls.look();
  }

  /** Without its poll class the JDK stays as it was, and everything else is woven all the same. */
  private boolean preparesJdk(WeavingFilter filter) {
    try {
      BootSafepoint.define(instrumentation, name -> filter.includes(name.replace('.', '/')));
      BootClasses.linkRuntimes(instrumentation);
      return true;
    } catch (ReflectiveOperationException | LinkageError | RuntimeException e) {
      ledger.add(new Skipped(BootSafepoint.NAME, SkipReason.FAILED, e.toString()));
      return false;
    }
  }

  /** Returns false when that was done before. */
  private synchronized boolean redirect() {
    if (redirects) return false;
    try {
      BootWorld.define(instrumentation);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "turnwise-agent cannot make java.util.concurrent ask a simulation for the time", e);
    }
    BootClasses.linkRuntimes(instrumentation);
    Rehearsal.redirect();
    transformer.redirect();
    redirects = true;
    return true;
  }

  /**
   * Redirects clock reads, sleeps and randomness from now on, as the option {@code simulation=on}
   * does from the start. Classes that are loaded already are woven again; a call that is running in
   * one goes on as it was until it returns. Called by the runtime, by name. Any thread, and as
   * often as one likes.
   *
   * @throws IllegalStateException when no agent was started
   * @throws IllegalArgumentException when its options forbid it
   */
  public static void simulate() {
    RuntimeAgent agent = running;
    if (agent == null)
      throw new IllegalStateException(
          "turnwise-agent was not started; start Java with -javaagent: and its path");
    agent.options.withSimulation();
    synchronized (agent) {
      if (agent.redirect()) agent.transformer.weaveAgain(agent.loaded::weave);
    }
  }

  public static void premain(@Nullable String arguments, Instrumentation instrumentation) {
    start(arguments, instrumentation, false);
  }

  public static void agentmain(@Nullable String arguments, Instrumentation instrumentation) {
    start(arguments, instrumentation, true);
  }

  private static synchronized void start(
      @Nullable String arguments, Instrumentation instrumentation, boolean attached) {
    if (running != null) return;
    // Some launchers hand on an empty text where they were given nothing.
    boolean none = arguments == null || arguments.isBlank();
    String options = none ? System.getProperty(OPTIONS) : arguments;
    running = new RuntimeAgent(instrumentation, AgentOptions.parse(options), attached);
  }

  /** Asked by the runtime, which attaches the agent when it is there and not running. */
  public static boolean isRunning() {
    return running != null;
  }

  /** What was woven so far; null when no agent was started. */
  public static @Nullable WeavingReport report() {
    RuntimeAgent agent = running;
    return agent == null ? null : agent.snapshot();
  }

  /** Opens {@code java.lang} to the module. Does nothing when no agent was started. */
  public static void open(Module to) {
    RuntimeAgent agent = running;
    if (agent == null) return;
    agent.instrumentation.redefineModule(
        Object.class.getModule(),
        Set.of(),
        Map.of(),
        Map.of("java.lang", Set.of(to)),
        Set.of(),
        Map.of());
  }

  private WeavingReport snapshot() {
    return ledger.report().withHidden(loaded.hidden());
  }

  private void write(Path file) {
    try {
      Files.writeString(file, snapshot().text());
    } catch (IOException e) {
      // The JVM is ending, and loggers may be gone: the console is what is left.
      System.err.println("turnwise-agent could not write its report to " + file + ": " + e);
    }
  }
}
