package io.turnwise.benchmarks.price;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;

/** What programs do most of the day: maps, lists, streams, comparators. */
public class CollectionKernels {
  private CollectionKernels() {}

  private static List<Integer> numbers(int count) {
    return new ArrayList<>(
        IntStream.range(0, count).mapToObj(i -> (int) Kernel.scramble(i)).toList());
  }

  public static class MapUpdates extends Kernel {
    private final int[] keys = ints(4 * 1024);

    @Benchmark
    public Map<Integer, Integer> compute() {
      Map<Integer, Integer> counts = new HashMap<>();
      for (int key : keys) counts.merge(key & 0x1FF, 1, Integer::sum);
      return counts;
    }
  }

  public static class ListIteration extends Kernel {
    private final List<Integer> list = numbers(8 * 1024);

    @Benchmark
    public long compute() {
      long sum = 0;
      for (Integer number : list) sum += number;
      return sum;
    }
  }

  public static class ListByIndex extends Kernel {
    private final List<Integer> list = numbers(8 * 1024);

    @Benchmark
    public long compute() {
      long sum = 0;
      for (int i = 0; i < list.size(); i++) sum += list.get(i);
      return sum;
    }
  }

  public static class LinkedNodes extends Kernel {
    private final List<Integer> list = new LinkedList<>(numbers(2 * 1024));

    @Benchmark
    public int compute() {
      int odd = 0;
      for (Integer number : list) if ((number & 1) != 0) odd++;
      return odd;
    }
  }

  public static class Streams extends Kernel {
    private final List<Integer> list = numbers(4 * 1024);

    @Benchmark
    public Map<Integer, Long> compute() {
      return list.stream()
          .filter(it -> it > 0)
          .map(it -> it % 1_000)
          .collect(Collectors.groupingBy(it -> it & 15, Collectors.counting()));
    }
  }

  public static class ComparatorSort extends Kernel {
    private final List<Integer> list = numbers(2 * 1024);

    @Benchmark
    public List<Integer> compute() {
      List<Integer> copy = new ArrayList<>(list);
      copy.sort(Comparator.comparingInt((Integer it) -> it & 0xFF).thenComparing(it -> it));
      return copy;
    }
  }
}
