package io.turnwise.internal.cell;

/**
 * How often a plain thread looks for its answer before it sleeps. An answer that comes within a few
 * microseconds is cheaper to wait for than to sleep for; but who looks in vain has a processor that
 * the callee may need. So it is as often as has paid lately, and where there is one processor,
 * never.
 *
 * <p>Threads read and write the number as they please: it is a guess.
 */
final class AnswerSpins {
  static final int LEAST = 50;
  static final int MOST = 2_000;

  private final boolean mayPay;
  private int now = MOST;

  AnswerSpins(int processors) {
    this.mayPay = processors > 1;
  }

  int now() {
    return mayPay ? now : 0;
  }

  /** The answer came while somebody looked. */
  void paid() {
    int before = now;
    if (before < MOST) now = Math.min(MOST, 2 * before);
  }

  /** It did not. */
  void inVain() {
    int before = now;
    if (before > LEAST) now = Math.max(LEAST, before / 2);
  }
}
