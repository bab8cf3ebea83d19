package io.turnwise.testkit;

import io.turnwise.ActorRef;
import io.turnwise.internal.cell.Witness;
import io.turnwise.observation.DeadLetter;

/** Every crash and every dead letter of one system. */
final class Ledger implements Witness {
  final Findings<Crash> crashes = new Findings<>();
  final Findings<DeadLetter> letters = new Findings<>();
  private final Bell bell;

  Ledger(Bell bell) {
    this.bell = bell;
  }

  @Override
  public void crashed(ActorRef<?> actor, String doing, Throwable cause) {
    crashes.add(new Crash(actor, doing, cause));
    bell.ring();
  }

  @Override
  public void deadLetter(DeadLetter letter) {
    letters.add(letter);
    bell.ring();
  }
}
