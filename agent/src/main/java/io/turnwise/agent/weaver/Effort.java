package io.turnwise.agent.weaver;

/**
 * How much looking one class is worth. A class is woven while somebody waits for it to be loaded,
 * and may have been written to keep the weaver busy for ever: what would take too long is polled
 * plainly, or stays as it was.
 */
final class Effort {
  /** So many steps take some tenths of a second. */
  private static final long STEPS = 100_000_000;

  /** No compiler writes more handlers than that around so much code. */
  private static final long MOST_COVERS = 4_000_000;

  private long left = STEPS;

  /** A method that is not looked through at all. */
  static final class TooComplexException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    final String what;

    TooComplexException(String what) {
      super(what, null, false, false);
      this.what = what;
    }
  }

  static void checkHandlers(int ranges, int blocks) {
    if ((long) ranges * blocks > MOST_COVERS)
      throw new TooComplexException(ranges + " handlers over " + blocks + " blocks");
  }

  /**
   * Whether the loops of a method may be looked at for the form that suits each: every one is
   * compared with every other, block by block.
   */
  boolean allows(int loops, int blocks) {
    long steps = (long) loops * loops * blocks; // below 2^48: a method has at most 65,535 of each
    if (steps > left) return false;
    left -= steps;
    return true;
  }
}
