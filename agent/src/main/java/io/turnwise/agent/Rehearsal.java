package io.turnwise.agent;

import io.turnwise.agent.weaver.CallRedirector;
import io.turnwise.agent.weaver.LoopWeaver;
import io.turnwise.agent.weaver.PollTarget;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * Weaves a class and throws the result away, so that every class the weaver needs is loaded before
 * it stands in the way of class loading: it would otherwise have to load one while the JVM loads
 * another.
 */
final class Rehearsal {
  private Rehearsal() {}

  static void run() {
    String own = WeavingFilter.class.getName().replace('.', '/');
    byte[] bytes = read(own);
    if (bytes == null) return;
    var ledger = new WeavingLedger();
    ledger.add(LoopWeaver.atRunTime(PollTarget.SAFEPOINT).weave(own, bytes), false);
    ledger.report();
  }

  /** The same for what redirects calls; with a class of the JDK that has such a call. */
  static void redirect() {
    String clock = "java/util/concurrent/TimeUnit";
    byte[] bytes = read(clock);
    CallRedirector redirector = JdkClocks.redirectorOf(clock);
    if (bytes == null || redirector == null) return;
    var ledger = new WeavingLedger();
    ledger.add(redirector.redirect(clock, bytes));
    ledger.report();
  }

  /** Where it cannot be read, nothing is lost but the head start. */
  private static byte @Nullable [] read(String name) {
    try (InputStream in = ClassLoader.getSystemResourceAsStream(name + ".class")) {
      return in == null ? null : in.readAllBytes();
    } catch (IOException e) {
      return null;
    }
  }
}
