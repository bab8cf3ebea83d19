package io.turnwise.agent;

import io.turnwise.agent.weaver.CallRedirector;
import io.turnwise.agent.weaver.LoopWeaver;
import io.turnwise.agent.weaver.PollTarget;
import io.turnwise.agent.weaver.RedirectedClass;
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

  /** Null while nothing is redirected. A simulation may come while other threads load classes. */
  private volatile @Nullable CallRedirector redirector;

  /** Null unless loaded classes are woven for the first time. */
  private volatile @Nullable RunningCalls running;

  /** While classes are woven that were woven before: what is counted then is only what is new. */
  private volatile boolean again;

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

  /** From now on time and chance of woven classes are redirected. */
  void redirect() {
    redirector = CallRedirector.ofUserClasses();
  }

  /** Runs what weaves loaded classes for the first time, and tells of those that got polls. */
  void weaveLoaded(RunningCalls calls, Runnable all) {
    running = calls;
    try {
      all.run();
    } finally {
      running = null;
    }
  }

  /** Runs what weaves them once more. */
  void weaveAgain(Runnable all) {
    again = true;
    try {
      all.run();
    } finally {
      again = false;
    }
  }

  /** Whether a class that is loaded already would have been woven. */
  boolean wants(Class<?> loaded) {
    return wants(loaded.getClassLoader(), loaded.getName().replace('.', '/'));
  }

  private boolean wants(@Nullable ClassLoader loader, String name) {
    if (loader == null)
      return jdk && JdkClasses.weaverOf(name) != null
          || redirector != null && JdkClocks.redirectorOf(name) != null;
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
      if (loader != null && !sight.reaches(loader, module)) {
        ledger.add(new Skipped(name, SkipReason.NO_SAFEPOINT, loader.toString()));
        return null;
      }
      byte[] redirected = redirect(loader, name, classFile);
      byte[] woven =
          weave(loader, name, redirected == null ? classFile : redirected, redefined != null);
      return woven == null ? redirected : woven;
    } catch (Throwable e) { // also what a stranger's class loader throws; the class comes first
      ledger.add(new Skipped(name, SkipReason.FAILED, e.toString()));
      return null;
    }
  }

  private byte @Nullable [] redirect(@Nullable ClassLoader loader, String name, byte[] classFile) {
    CallRedirector chosen = redirector;
    if (chosen != null && loader == null) chosen = JdkClocks.redirectorOf(name);
    if (chosen == null) return null;
    RedirectedClass result = chosen.redirect(name, classFile);
    ledger.add(result);
    return result.bytes();
  }

  private byte @Nullable [] weave(
      @Nullable ClassLoader loader, String name, byte[] classFile, boolean loaded) {
    LoopWeaver chosen = loader != null ? weaver : jdk ? JdkClasses.weaverOf(name) : null;
    if (chosen == null) return null;
    WovenClass result = chosen.weave(name, classFile);
    if (!(again && loaded)) ledger.add(result, loaded);
    RunningCalls calls = running;
    if (loaded && calls != null) calls.add(result);
    return result.bytes();
  }
}
