package io.turnwise.demo;

import io.turnwise.Actor;
import io.turnwise.Context;

/**
 * Computes for ever, one small step a message, and sends itself the next step. On most actor
 * runtimes a few of these starve everybody else.
 */
final class Report implements Actor<Report.Step> {
  private static final int ROUNDS = 10_000;

  /** The next step. */
  record Step(long seed) {}

  private final Ledger ledger;

  Report(Ledger ledger) {
    this.ledger = ledger;
  }

  @Override
  public void init(Context<Step> context) {
    ledger.cast(context.self(), new Step(1));
  }

  @Override
  public void receive(Step step, Context<Step> context) {
    long x = step.seed();
    for (int i = 0; i < ROUNDS; i++) {
      x ^= x << 13;
      x ^= x >>> 7;
      x ^= x << 17;
    }
    ledger.cast(context.self(), new Step(x));
  }
}
