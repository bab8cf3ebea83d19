package io.turnwise.agent;

import io.turnwise.agent.weaver.SkipReason;
import io.turnwise.agent.weaver.Skipped;
import io.turnwise.agent.weaver.WovenClass;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Calls that were running in a method when it was woven: the JVM lets them go on in the old code
 * until they return.
 *
 * <p>The stacks are taken when everything is woven. So no call is missed that still runs in old
 * code; one that began in between, in new code, cannot be told from it and is named as well.
 */
final class RunningCalls {
  private static final String THREADS = "jdk.internal.vm";

  private final Instrumentation instrumentation;
  private final WeavingLedger ledger;

  /** Names of woven methods by that of their class, with dots. Other threads load classes too. */
  private final Map<String, Set<String>> woven = new ConcurrentHashMap<>();

  RunningCalls(Instrumentation instrumentation, WeavingLedger ledger) {
    this.instrumentation = instrumentation;
    this.ledger = ledger;
  }

  /** A class that was loaded before. */
  void add(WovenClass late) {
    if (!late.wovenNames().isEmpty()) woven.put(late.name().replace('/', '.'), late.wovenNames());
  }

  /** Enters them into the ledger. The thread that weaves has none but the agent's own. */
  void look() {
    if (woven.isEmpty()) return;
    try {
      for (Thread thread : threads()) if (thread != Thread.currentThread()) look(thread);
    } catch (ReflectiveOperationException | RuntimeException e) {
      ledger.add(new Skipped("calls that are running", SkipReason.FAILED, e.toString()));
    }
  }

  private void look(Thread thread) {
    for (StackTraceElement frame : thread.getStackTrace())
      if (woven.getOrDefault(frame.getClassName(), Set.of()).contains(frame.getMethodName()))
        ledger.add(
            new Skipped(
                frame.getClassName() + "." + frame.getMethodName(),
                SkipReason.RUNNING,
                lineOf(frame) + "on " + nameOf(thread)));
  }

  /** Of a stack on the heap the JVM no longer knows it: the old code has gone. */
  private static String lineOf(StackTraceElement frame) {
    return frame.getLineNumber() < 0 ? "" : "in line " + frame.getLineNumber() + ", ";
  }

  private static String nameOf(Thread thread) {
    if (!thread.getName().isEmpty()) return "thread \"" + thread.getName() + "\"";
    return (thread.isVirtual() ? "virtual thread " : "thread ") + thread.threadId();
  }

  /** As a thread dump finds them: {@link Thread#getAllStackTraces} leaves out virtual ones. */
  private List<Thread> threads() throws ReflectiveOperationException {
    instrumentation.redefineModule(
        Object.class.getModule(),
        Set.of(),
        Map.of(THREADS, Set.of(RunningCalls.class.getModule())),
        Map.of(),
        Set.of(),
        Map.of());
    Class<?> container = Class.forName(THREADS + ".ThreadContainer");
    Method members = container.getMethod("threads");
    Method children = container.getMethod("children");
    List<Object> containers = new ArrayList<>();
    containers.add(Class.forName(THREADS + ".ThreadContainers").getMethod("root").invoke(null));
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < containers.size(); i++) {
      Object one = containers.get(i);
      stream(members, one).forEach(it -> threads.add((Thread) it));
      stream(children, one).forEach(containers::add);
    }
    return threads;
  }

  private static Stream<?> stream(Method method, Object of)
      throws IllegalAccessException, InvocationTargetException {
    return (Stream<?>) method.invoke(of);
  }
}
