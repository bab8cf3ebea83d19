package io.turnwise.benchmarks.price;

import org.openjdk.jmh.annotations.Benchmark;

/** Arithmetic, with loops that end when a number says so. */
public class NumberKernels {
  private NumberKernels() {}

  public static class NBody extends Kernel {
    private static final int BODIES = 5;
    private final double[] x = {0, 4.84, 8.34, 12.89, 15.37};
    private final double[] y = {0, -1.16, 4.12, -15.11, -25.91};
    private final double[] vx = {0, 0.6, -1.01, 1.08, 0.97};
    private final double[] vy = {0, 2.81, 1.82, 0.86, 0.59};
    private final double[] mass = {39.47, 0.037, 0.011, 0.0017, 0.002};

    @Benchmark
    public double compute() {
      for (int step = 0; step < 200; step++) {
        for (int i = 0; i < BODIES; i++) {
          for (int j = i + 1; j < BODIES; j++) {
            double dx = x[i] - x[j];
            double dy = y[i] - y[j];
            double square = dx * dx + dy * dy + 0.01;
            double pull = 1e-6 / (square * Math.sqrt(square));
            vx[i] -= dx * mass[j] * pull;
            vy[i] -= dy * mass[j] * pull;
            vx[j] += dx * mass[i] * pull;
            vy[j] += dy * mass[i] * pull;
          }
        }
        for (int i = 0; i < BODIES; i++) {
          x[i] += 1e-6 * vx[i];
          y[i] += 1e-6 * vy[i];
        }
      }
      return x[1];
    }
  }

  public static class Mandelbrot extends Kernel {
    @Benchmark
    public int compute() {
      int inside = 0;
      for (int row = 0; row < 32; row++) {
        for (int column = 0; column < 32; column++) {
          double cr = column / 16.0 - 1.5;
          double ci = row / 16.0 - 1;
          double r = 0;
          double i = 0;
          int rounds = 0;
          while (rounds < 200 && r * r + i * i < 4) {
            double next = r * r - i * i + cr;
            i = 2 * r * i + ci;
            r = next;
            rounds++;
          }
          if (rounds == 200) inside++;
        }
      }
      return inside;
    }
  }

  public static class Primes extends Kernel {
    @Benchmark
    public int compute() {
      int primes = 0;
      for (int n = 2; n < 3_000; n++) if (isPrime(n)) primes++;
      return primes;
    }

    private static boolean isPrime(int n) {
      for (int divisor = 2; divisor * divisor <= n; divisor++) if (n % divisor == 0) return false;
      return true;
    }
  }

  public static class Collatz extends Kernel {
    @Benchmark
    public int compute() {
      int longest = 0;
      for (int start = 1; start < 500; start++) {
        int steps = 0;
        for (long n = start; n != 1; n = (n & 1) == 0 ? n >> 1 : 3 * n + 1) steps++;
        longest = Math.max(longest, steps);
      }
      return longest;
    }
  }

  public static class Divisors extends Kernel {
    private final int[] numbers = ints(1024);

    @Benchmark
    public int compute() {
      int sum = 0;
      for (int i = 1; i < numbers.length; i++) sum += greatest(numbers[i - 1] | 1, numbers[i] | 1);
      return sum;
    }

    private static int greatest(int a, int b) {
      while (b != 0) {
        int rest = a % b;
        a = b;
        b = rest;
      }
      return a;
    }
  }
}
