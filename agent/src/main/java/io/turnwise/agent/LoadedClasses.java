package io.turnwise.agent;

import io.turnwise.agent.weaver.SkipReason;
import io.turnwise.agent.weaver.Skipped;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.util.ArrayList;
import java.util.List;

/** Classes that were there before the agent. */
final class LoadedClasses {
  private static final int AT_ONCE = 64;

  private final Instrumentation instrumentation;
  private final WeavingTransformer transformer;
  private final WeavingLedger ledger;

  LoadedClasses(
      Instrumentation instrumentation, WeavingTransformer transformer, WeavingLedger ledger) {
    this.instrumentation = instrumentation;
    this.transformer = transformer;
    this.ledger = ledger;
  }

  void weave() {
    List<Class<?>> wanted = new ArrayList<>();
    for (Class<?> loaded : instrumentation.getAllLoadedClasses())
      if (instrumentation.isModifiableClass(loaded) && transformer.wants(loaded))
        wanted.add(loaded);
    for (int i = 0; i < wanted.size(); i += AT_ONCE)
      retransform(wanted.subList(i, Math.min(i + AT_ONCE, wanted.size())));
  }

  /** The names of those that the JVM shows to no agent although the filter wants them. */
  List<String> hidden() {
    List<String> names = new ArrayList<>();
    for (Class<?> loaded : instrumentation.getAllLoadedClasses())
      if (loaded.isHidden() && loaded.getClassLoader() != null && transformer.wants(loaded))
        names.add(loaded.getName());
    names.sort(null); // the JVM's order is none that two reports would share
    return names;
  }

  private void retransform(List<Class<?>> some) {
    try {
      instrumentation.retransformClasses(some.toArray(Class<?>[]::new));
    } catch (UnmodifiableClassException | LinkageError | RuntimeException e) {
      // The JVM changes all or none of them: find out which one it was.
      if (some.size() > 1) some.forEach(one -> retransform(List.of(one)));
      else ledger.add(new Skipped(some.getFirst().getName(), SkipReason.FAILED, e.toString()));
    }
  }
}
