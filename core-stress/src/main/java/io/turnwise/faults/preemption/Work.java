package io.turnwise.faults.preemption;

import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Computations whose results are known: on a plain thread they give the same as in a handler that
 * is stopped in the middle over and over, or something was lost on the way.
 */
enum Work {
  COUNTED_LOOP {
    @Override
    long run(int n, Scene scene) {
      return spin(n, 400_000);
    }
  },
  LOOP_WITH_CALLS {
    @Override
    long run(int n, Scene scene) {
      long x = n;
      for (int i = 0; i < 80; i++) x = step(x, i);
      return x;
    }
  },
  NESTED_LOOPS {
    @Override
    long run(int n, Scene scene) {
      int size = 8 + n % 8;
      long[][] square = new long[size][size];
      for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) square[i][j] = i * 31L + (j ^ n);
      long sum = 0;
      for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
          for (int k = 0; k < size; k++) sum += square[i][k] * square[k][j];
      return sum;
    }
  },
  RECURSION {
    @Override
    long run(int n, Scene scene) {
      return fibonacci(6 + n % 4) * 31 + depth(30 + n, n);
    }
  },
  EXCEPTIONS {
    @Override
    long run(int n, Scene scene) {
      long sum = n;
      for (int i = 0; i < 40; i++) {
        try {
          sum += refuseSome(i + n);
        } catch (IllegalStateException e) {
          sum = sum * 31 + 7;
        } catch (RuntimeException e) {
          sum ^= i;
        } finally {
          sum++;
        }
      }
      return sum;
    }
  },
  STATE_MACHINE {
    @Override
    long run(int n, Scene scene) {
      int state = n % 5;
      long seen = 0;
      for (int i = 0; i < 150; i++) {
        switch (state) {
          case 0 -> state = (i & 1) == 0 ? 3 : 1;
          case 1 -> state = 4;
          case 2 -> state = (int) (seen & 1);
          case 3 -> state = 2;
          default -> state = (n + i) % 4;
        }
        seen = seen * 7 + state;
        if (seen % 97 == 0) continue;
        seen ^= step(seen, state) & 0xFF;
      }
      return seen;
    }
  },
  FLOATING {
    @Override
    long run(int n, Scene scene) {
      double x = 1 + n;
      float y = n;
      for (int i = 1; i < 100_000; i++) {
        x += 1.0 / (i * x);
        y = y * 0.5f + i;
      }
      return Double.doubleToLongBits(x) ^ Float.floatToIntBits(y);
    }
  },
  TEXT {
    @Override
    long run(int n, Scene scene) {
      var text = new StringBuilder();
      for (int i = 0; i < 40; i++) text.append(i * n).append(i % 3 == 0 ? 'a' : 'b');
      long matches = 0;
      var matcher = Pattern.compile("([0-9]+)a(\\d*?)b").matcher(text);
      while (matcher.find()) matches = matches * 31 + matcher.group(1).length();
      return matches * 31 + text.toString().hashCode();
    }
  },
  COLLECTIONS {
    @Override
    long run(int n, Scene scene) {
      Map<Integer, Long> map = new HashMap<>();
      for (int i = 0; i < 60; i++) map.merge((i * n) % 101, (long) i, Long::sum);
      List<Long> list = new ArrayList<>(map.values());
      list.removeIf(x -> x % 3 == 0);
      list.replaceAll(x -> x * 31);
      var deque = new ArrayDeque<>(list);
      long sum = 0;
      while (!deque.isEmpty()) sum = sum * 7 + (deque.size() % 2 == 0 ? pop(deque) : last(deque));
      for (var entry : new TreeMap<>(map).entrySet()) sum = sum * 31 + entry.getKey();
      return sum;
    }
  },
  STREAMS {
    @Override
    long run(int n, Scene scene) {
      long sum = LongStream.range(0, 300).filter(i -> (i ^ n) % 3 == 0).map(i -> i * i).sum();
      Map<Integer, Long> groups =
          IntStream.range(0, 60)
              .boxed()
              .collect(Collectors.groupingBy(i -> (i * n) % 7, Collectors.counting()));
      return sum * 31 + new TreeMap<>(groups).hashCode();
    }
  },
  SORTING {
    @Override
    long run(int n, Scene scene) {
      Integer[] numbers = new Integer[200];
      int[] plain = new int[1_000];
      int x = n | 1;
      for (int i = 0; i < plain.length; i++) {
        x = x * 1_103_515_245 + 12_345;
        plain[i] = x;
        if (i < numbers.length) numbers[i] = x;
      }
      Arrays.sort(numbers, Comparator.reverseOrder());
      Arrays.sort(plain);
      return Arrays.hashCode(numbers) * 31L + Arrays.hashCode(plain);
    }
  },
  BIG_NUMBERS {
    @Override
    long run(int n, Scene scene) {
      BigInteger number = BigInteger.valueOf(n + 3).pow(100);
      BigInteger factorial = BigInteger.ONE;
      for (int i = 2; i < 20; i++) factorial = factorial.multiply(BigInteger.valueOf(i + n));
      return number.mod(factorial).hashCode() * 31L + number.toString().hashCode();
    }
  },
  LOCKS {
    @Override
    long run(int n, Scene scene) {
      return scene.guarded(n);
    }
  },
  MONITORS {
    @Override
    long run(int n, Scene scene) {
      return scene.inMonitor(n);
    }
  },
  FINALLY {
    @Override
    long run(int n, Scene scene) {
      return scene.nested(n % Scene.DEEPEST, n);
    }
  },
  RESOURCES {
    @Override
    long run(int n, Scene scene) {
      try (var one = scene.open();
          var other = scene.open()) {
        return spin(n, 500) * 31 + one.number() + other.number();
      }
    }
  },
  THREAD_LOCALS {
    @Override
    long run(int n, Scene scene) {
      return scene.withThreadLocal(n);
    }
  },
  WAITS {
    @Override
    long run(int n, Scene scene) throws Exception {
      long x = spin(n, 300);
      Thread.sleep(0, 1_000 * (n % 100));
      return step(x, n);
    }
  },
  CALLS {
    @Override
    long run(int n, Scene scene) throws Exception {
      long sum = 0;
      for (int i = 0; i < 3; i++) sum = sum * 31 + scene.ask(n + i);
      return sum;
    }
  };

  /** What it gives for this number, wherever it runs. */
  abstract long run(int n, Scene scene) throws Exception;

  static long step(long x, int i) {
    return (x ^ (x >>> 29)) * 0x9E3779B97F4A7C15L + i;
  }

  /** Innermost and counted: the form of loop in which polls are furthest apart. */
  static long spin(int n, int rounds) {
    long x = n;
    for (int i = 0; i < rounds; i++) x = x * 31 + (x >>> 7) + i;
    return x;
  }

  private static long fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
  }

  private static long depth(int deep, long x) {
    return deep == 0 ? x : depth(deep - 1, x * 7 + deep) + (x & 3);
  }

  private static long refuseSome(int i) {
    if (i % 5 == 0) throw new IllegalStateException();
    if (i % 7 == 0) throw new UnsupportedOperationException();
    return i;
  }

  private static long pop(ArrayDeque<Long> deque) {
    return deque.pop();
  }

  private static long last(ArrayDeque<Long> deque) {
    return deque.removeLast();
  }
}
