package io.turnwise.agent;

import io.turnwise.agent.weaver.LoopWeaver;
import io.turnwise.agent.weaver.PollTarget;
import io.turnwise.agent.weaver.SkipReason;
import io.turnwise.agent.weaver.Skipped;
import io.turnwise.agent.weaver.WovenClass;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import org.jspecify.annotations.Nullable;

/** Weaves classes as the JVM loads them. Never throws into class loading. */
final class WeavingTransformer implements ClassFileTransformer {
  private final WeavingFilter filter;
  private final WeavingLedger ledger;
  private final SafepointSight sight;
  private final LoopWeaver weaver = LoopWeaver.atRunTime(PollTarget.SAFEPOINT);
  private final boolean jdk;

  /**
   * @param jdk whether chosen classes of the JDK are woven too
   */
  WeavingTransformer(
      WeavingFilter filter, WeavingLedger ledger, Instrumentation instrumentation, boolean jdk) {
    this.filter = filter;
    this.jdk = jdk;
    this.ledger = ledger;
    sight = new SafepointSight(instrumentation);
  }

  /** Whether a class that is loaded already would have been woven. */
  boolean wants(Class<?> loaded) {
    return wants(loaded.getClassLoader(), loaded.getName().replace('.', '/'));
  }

  private boolean wants(@Nullable ClassLoader loader, String name) {
    if (loader == null) return jdk && JdkClasses.weaverOf(name) != null;
    return loader != ClassLoader.getPlatformClassLoader() && filter.includes(name);
  }

  @Override
  public byte @Nullable [] transform(
      Module module,
      @Nullable ClassLoader loader,
      @Nullable String name,
      @Nullable Class<?> redefined,
      @Nullable ProtectionDomain domain,
      byte[] classFile) {
    if (name == null || !wants(loader, name)) return null;
    try {
      LoopWeaver chosen = loader == null ? JdkClasses.weaverOf(name) : weaver;
      if (chosen == null) return null;
      if (loader != null && !sight.reaches(loader, module)) {
        ledger.add(new Skipped(name, SkipReason.NO_SAFEPOINT, loader.toString()));
        return null;
      }
      WovenClass result = chosen.weave(name, classFile);
      ledger.add(result, redefined != null);
      return result.bytes();
    } catch (Throwable e) { // also what a stranger's class loader throws; the class comes first
      ledger.add(new Skipped(name, SkipReason.FAILED, e.toString()));
      return null;
    }
  }
}
