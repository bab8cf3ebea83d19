package io.turnwise.benchmarks.price;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One small program that a user might have written, without a thought of polls. A class of its own
 * for each, so that polls can be counted by kernel.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 4, time = 400, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 6, time = 250, timeUnit = TimeUnit.MILLISECONDS)
public abstract class Kernel {
  /** The same numbers in every run. */
  static long scramble(long n) {
    long mixed = (n + 1) * 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
    return mixed ^ mixed >>> 31;
  }

  static int[] ints(int count) {
    int[] numbers = new int[count];
    for (int i = 0; i < count; i++) numbers[i] = (int) scramble(i);
    return numbers;
  }

  static byte[] bytes(int count) {
    byte[] numbers = new byte[count];
    for (int i = 0; i < count; i++) numbers[i] = (byte) scramble(i);
    return numbers;
  }
}
