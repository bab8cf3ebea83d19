package io.turnwise.benchmarks.jmh;

import io.turnwise.Actor;
import io.turnwise.Call;
import io.turnwise.Context;

/** Answers a number with itself. */
final class Echo implements Actor<Echo.Say> {
  record Say(Integer number) implements Call<Say, Integer> {}

  static final Say SAY = new Say(42);

  @Override
  public void receive(Say say, Context<Say> context) {
    context.reply(say, say.number);
  }

  static void check(int answer) {
    if (answer != SAY.number) {
      throw new IllegalStateException("asked with " + SAY.number + ", answered with " + answer);
    }
  }
}
