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
  private final LoadedClasses loaded;

  private RuntimeAgent(Instrumentation instrumentation, AgentOptions options) {
    this.instrumentation = instrumentation;
    boolean jdk = options.weave() && options.jdk() && preparesJdk(options.filter());
    var transformer = new WeavingTransformer(options.filter(), ledger, instrumentation, jdk);
    loaded = new LoadedClasses(instrumentation, transformer, ledger);
    if (options.weave()) {
      Rehearsal.run();
      instrumentation.addTransformer(transformer, true);
      loaded.weave();
    }
    Path file = options.report();
    if (file != null)
      Runtime.getRuntime().addShutdownHook(new Thread(() -> write(file), "turnwise-agent-report"));
    if (options.jmx()) WeavingBean.register(this::snapshot);
  }

  /** Without its poll class the JDK stays as it was, and everything else is woven all the same. */
  private boolean preparesJdk(WeavingFilter filter) {
    try {
      BootSafepoint.define(instrumentation, name -> filter.includes(name.replace('.', '/')));
      BootSafepoint.linkRuntimes(instrumentation);
      return true;
    } catch (ReflectiveOperationException | LinkageError | RuntimeException e) {
      ledger.add(new Skipped(BootSafepoint.NAME, SkipReason.FAILED, e.toString()));
      return false;
    }
  }

  public static void premain(@Nullable String arguments, Instrumentation instrumentation) {
    start(arguments, instrumentation);
  }

  public static void agentmain(@Nullable String arguments, Instrumentation instrumentation) {
    start(arguments, instrumentation);
  }

  private static synchronized void start(
      @Nullable String arguments, Instrumentation instrumentation) {
    if (running != null) return;
    // Some launchers hand on an empty text where they were given nothing.
    boolean none = arguments == null || arguments.isBlank();
    String options = none ? System.getProperty(OPTIONS) : arguments;
    running = new RuntimeAgent(instrumentation, AgentOptions.parse(options));
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
    return ledger.report().withSkipped(SkipReason.HIDDEN, loaded.hidden());
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
