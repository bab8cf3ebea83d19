package io.turnwise.demo;

import io.turnwise.Actor;
import io.turnwise.Context;

/**
 * A handler that never returns: a plain loop as anybody might write it by mistake, with no call, no
 * wait and no way out. The agent weaves a poll into it when the class is loaded, and there the
 * runtime can stop it, let others run, and end it.
 */
final class EndlessLoop implements Actor<EndlessLoop.Begin> {
  /** The message it does not come back from. */
  record Begin(long seed) {}

  private long state;

  @Override
  public void receive(Begin begin, Context<Begin> context) {
    state = begin.seed();
    while (true) {
      state = state * 6364136223846793005L + 1442695040888963407L;
    }
  }
}
