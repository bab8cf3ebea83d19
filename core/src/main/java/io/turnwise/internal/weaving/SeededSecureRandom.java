package io.turnwise.internal.weaving;

import java.security.SecureRandom;
import java.security.SecureRandomSpi;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Secure in name only: what it says follows from its seed, as everything in a simulation does. */
public final class SeededSecureRandom extends SecureRandom {
  private static final long serialVersionUID = 1;

  private final String name;

  /**
   * @param name of the algorithm it stands in for
   */
  public SeededSecureRandom(long seed, String name) {
    super(new Engine(seed), null);
    this.name = name;
  }

  @Override
  public String getAlgorithm() {
    return name;
  }

  private static final class Engine extends SecureRandomSpi {
    private static final long serialVersionUID = 1;

    private transient SplittableRandom random;

    Engine(long seed) {
      random = new SplittableRandom(seed);
    }

    /** Adds to the seed, as the JDK's do: never replaces it. */
    @Override
    protected synchronized void engineSetSeed(byte[] seed) {
      random = new SplittableRandom(random.nextLong() + Arrays.hashCode(seed));
    }

    @Override
    protected synchronized void engineNextBytes(byte[] bytes) {
      random.nextBytes(bytes);
    }

    @Override
    protected synchronized byte[] engineGenerateSeed(int length) {
      byte[] seed = new byte[length];
      random.nextBytes(seed);
      return seed;
    }
  }
}
