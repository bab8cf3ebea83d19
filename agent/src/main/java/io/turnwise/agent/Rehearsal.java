package io.turnwise.agent;

import io.turnwise.agent.weaver.LoopWeaver;
import io.turnwise.agent.weaver.PollTarget;
import java.io.IOException;
import java.io.InputStream;

/**
 * Weaves a class of ours and throws the result away, so that every class the weaver needs is loaded
 * before it stands in the way of class loading: it would otherwise have to load one while the JVM
 * loads another.
 */
final class Rehearsal {
  private Rehearsal() {}

  static void run() {
    String own = WeavingFilter.class.getName().replace('.', '/');
    try (InputStream in = Rehearsal.class.getResourceAsStream("/" + own + ".class")) {
      if (in == null) return;
      var ledger = new WeavingLedger();
      ledger.add(LoopWeaver.atRunTime(PollTarget.SAFEPOINT).weave(own, in.readAllBytes()), false);
      ledger.report();
    } catch (IOException e) {
      // Nothing is lost but the head start.
    }
  }
}
