package io.turnwise.agent;

import io.turnwise.agent.weaver.PollTarget;
import java.lang.instrument.Instrumentation;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * Whether classes of a loader and a module can call core's safepoint. A class that cannot would
 * fail at its first poll, so it must not get one.
 */
final class SafepointSight {
  private static final String SAFEPOINT = PollTarget.SAFEPOINT.owner();

  private final Instrumentation instrumentation;
  private final Map<ClassLoader, Boolean> seen = Collections.synchronizedMap(new WeakHashMap<>());

  SafepointSight(Instrumentation instrumentation) {
    this.instrumentation = instrumentation;
  }

  /** Makes the module read core's, where that is all that is missing. */
  boolean reaches(ClassLoader loader, Module module) {
    Boolean known = seen.get(loader);
    if (known == null) {
      // Outside of any lock: the loader's own code runs here.
      known = loader.getResource(SAFEPOINT + ".class") != null;
      seen.put(loader, known);
    }
    return known && (!module.isNamed() || letRead(module, loader));
  }

  private boolean letRead(Module module, ClassLoader loader) {
    try {
      Module core = Class.forName(SAFEPOINT.replace('/', '.'), false, loader).getModule();
      if (!module.canRead(core))
        instrumentation.redefineModule(
            module, Set.of(core), Map.of(), Map.of(), Set.of(), Map.of());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }
}
