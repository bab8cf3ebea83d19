package io.turnwise.benchmarks.price;

import java.util.Arrays;
import org.openjdk.jmh.annotations.Benchmark;

/** Loops over arrays: what the compiler unrolls and vectorises, and a poll may hinder. */
public class ArrayKernels {
  private static final int LENGTH = 16 * 1024;

  private ArrayKernels() {}

  public static class IntSum extends Kernel {
    private final int[] numbers = ints(4 * LENGTH);

    @Benchmark
    public int compute() {
      int sum = 0;
      for (int i = 0; i < numbers.length; i++) sum += numbers[i];
      return sum;
    }
  }

  public static class LongSum extends Kernel {
    private final long[] numbers = new long[LENGTH];

    public LongSum() {
      Arrays.setAll(numbers, Kernel::scramble);
    }

    @Benchmark
    public long compute() {
      long sum = 0;
      for (long number : numbers) sum += number;
      return sum;
    }
  }

  public static class DoubleSum extends Kernel {
    private final double[] numbers = new double[LENGTH];

    public DoubleSum() {
      Arrays.setAll(numbers, i -> 1.0 / (i + 1));
    }

    @Benchmark
    public double compute() {
      double sum = 0;
      for (double number : numbers) sum += number;
      return sum;
    }
  }

  /** Short loops, again and again: what is paid on entry shows. */
  public static class ShortSums extends Kernel {
    private final int[][] rows = new int[2 * 1024][];

    public ShortSums() {
      for (int i = 0; i < rows.length; i++) rows[i] = ints(i % 17);
    }

    @Benchmark
    public int compute() {
      int sum = 0;
      for (int[] row : rows) sum ^= sumOf(row);
      return sum;
    }

    private static int sumOf(int[] row) {
      int sum = 0;
      for (int number : row) sum += number;
      return sum;
    }
  }

  public static class Fill extends Kernel {
    private final int[] numbers = new int[2 * LENGTH];
    private int value;

    @Benchmark
    public int[] compute() {
      value++;
      for (int i = 0; i < numbers.length; i++) numbers[i] = value;
      return numbers;
    }
  }

  public static class Copy extends Kernel {
    private final int[] from = ints(2 * LENGTH);
    private final double[] to = new double[2 * LENGTH];

    @Benchmark
    public double[] compute() {
      for (int i = 0; i < from.length; i++) to[i] = from[i] * 0.5;
      return to;
    }
  }

  public static class MatrixMultiply extends Kernel {
    private static final int SIZE = 96;
    private final double[][] a = new double[SIZE][SIZE];
    private final double[][] b = new double[SIZE][SIZE];
    private final double[][] product = new double[SIZE][SIZE];

    public MatrixMultiply() {
      for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
          a[i][j] = i + 0.25 * j;
          b[i][j] = i - 0.5 * j;
        }
    }

    @Benchmark
    public double[][] compute() {
      for (int i = 0; i < SIZE; i++) {
        double[] row = product[i];
        Arrays.fill(row, 0);
        for (int k = 0; k < SIZE; k++) {
          double factor = a[i][k];
          double[] other = b[k];
          for (int j = 0; j < SIZE; j++) row[j] += factor * other[j];
        }
      }
      return product;
    }
  }

  public static class Sieve extends Kernel {
    private static final int BELOW = 64 * 1024;

    @Benchmark
    public int compute() {
      boolean[] composite = new boolean[BELOW];
      int primes = 0;
      for (int n = 2; n < BELOW; n++) {
        if (composite[n]) continue;
        primes++;
        for (long multiple = (long) n * n; multiple < BELOW; multiple += n)
          composite[(int) multiple] = true;
      }
      return primes;
    }
  }

  /** An index that is a long, as when counting more than an int holds. */
  public static class LongIndex extends Kernel {
    private long rounds = 100_000;

    @Benchmark
    public long compute() {
      long state = 1;
      for (long i = 0; i < rounds; i++) state = state * 31 + (i ^ state >>> 7);
      return state;
    }
  }

  /** Two loops that are left from the middle. */
  public static class NestedBreaks extends Kernel {
    private final int[] numbers = ints(600);

    @Benchmark
    public int compute() {
      int pairs = 0;
      search:
      for (int i = 0; i < numbers.length; i++) {
        for (int j = i + 1; j < numbers.length; j++) {
          int sum = numbers[i] + numbers[j];
          if (sum == 42) break search;
          if ((sum & 0x3FF) == 0) break;
          if ((sum & 7) == 0) continue;
          pairs++;
        }
      }
      return pairs;
    }
  }

  public static class QuickSort extends Kernel {
    private final int[] numbers = ints(8 * 1024);

    @Benchmark
    public int[] compute() {
      int[] copy = numbers.clone();
      sort(copy, 0, copy.length - 1);
      return copy;
    }

    private static void sort(int[] numbers, int from, int to) {
      if (from >= to) return;
      int pivot = numbers[(from + to) >>> 1];
      int left = from;
      int right = to;
      while (left <= right) {
        while (numbers[left] < pivot) left++;
        while (numbers[right] > pivot) right--;
        if (left <= right) {
          int swap = numbers[left];
          numbers[left++] = numbers[right];
          numbers[right--] = swap;
        }
      }
      sort(numbers, from, right);
      sort(numbers, left, to);
    }
  }

  public static class InsertionSort extends Kernel {
    private final int[] numbers = ints(600);

    @Benchmark
    public int[] compute() {
      int[] copy = numbers.clone();
      for (int i = 1; i < copy.length; i++) {
        int number = copy[i];
        int at = i;
        while (at > 0 && copy[at - 1] > number) {
          copy[at] = copy[at - 1];
          at--;
        }
        copy[at] = number;
      }
      return copy;
    }
  }
}
