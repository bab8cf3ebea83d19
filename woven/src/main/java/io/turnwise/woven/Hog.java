package io.turnwise.woven;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedList;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Handlers that go on for ever, or for so long that it makes no difference, and poll nowhere. */
enum Hog {
  PLAIN_LOOP {
    @Override
    void run() {
      long x = 1;
      while (x != 0) x = x * 31 | 1;
      sink = x;
    }
  },
  NESTED_COUNTED_LOOPS {
    @Override
    void run() {
      double[] numbers = new double[10_000];
      for (int i = 0; i < Integer.MAX_VALUE; i++)
        for (int j = 0; j < numbers.length; j++) numbers[j] = numbers[j] * 0.5 + i;
      sink = (long) numbers[7];
    }
  },
  LOOP_WITH_CALLS {
    @Override
    void run() {
      var text = new StringBuilder();
      while (sink >= 0) {
        text.append("more");
        if (text.length() > 10_000) text.setLength(0);
      }
    }
  },
  RECURSION {
    @Override
    void run() {
      sink = fibonacci(200);
    }
  },
  LOOP_IN_SYNCHRONIZED {
    @Override
    void run() {
      long x = 1;
      synchronized (new Object()) {
        while (x != 0) x = x * 31 | 1;
      }
    }
  },
  LOOP_OF_EXCEPTIONS {
    @Override
    void run() {
      while (true) {
        try {
          throw new IllegalStateException();
        } catch (IllegalStateException e) {
          sink++;
        }
      }
    }
  },
  REGULAR_EXPRESSION {
    @Override
    void run() {
      // The reference to a group keeps the JDK from remembering what did not match.
      sink = Pattern.matches("(x+x+)+y\\1", "x".repeat(60)) ? 1 : 2;
    }
  },
  STREAM {
    @Override
    void run() {
      sink = IntStream.iterate(0, i -> i ^ 1).filter(i -> i > 1).findFirst().orElse(0);
    }
  },
  SORTING {
    @Override
    void run() {
      Integer[] numbers = new Random(1).ints(300_000).boxed().toArray(Integer[]::new);
      while (numbers.length > 0) {
        Arrays.sort(numbers, Comparator.reverseOrder());
        Arrays.sort(numbers);
      }
    }
  },
  BIG_NUMBERS {
    @Override
    void run() {
      BigInteger one = BigInteger.ONE.shiftLeft(1 << 22).subtract(BigInteger.ONE);
      while (sink >= 0) sink = one.pow(300).bitLength();
    }
  },
  LINKED_LIST_BY_INDEX {
    @Override
    void run() {
      List<Integer> list = new LinkedList<>(Collections.nCopies(500_000, 1));
      while (sink >= 0) sum(list);
    }
  },
  PART_OF_A_LINKED_LIST_BY_INDEX {
    @Override
    void run() {
      List<Integer> list = new LinkedList<>(Collections.nCopies(500_000, 1));
      List<Integer> part = Collections.unmodifiableList(list.subList(100_000, 400_000));
      while (sink >= 0) sum(part);
    }
  },
  BITS {
    @Override
    void run() {
      fill(new BitSet());
    }
  },
  BULK_OPERATION {
    @Override
    void run() {
      List<Integer> list = new ArrayList<>(IntStream.range(0, 1_000_000).boxed().toList());
      list.forEach(x -> list.forEach(y -> sink += x ^ y));
    }
  };

  static volatile long sink;

  abstract void run();

  // Not in run() itself: what the JDK may call, as that, polls before each call.

  private static void sum(List<Integer> list) {
    for (int i = list.size() / 2; i < list.size(); i++) sink += list.get(i);
  }

  private static void fill(BitSet bits) {
    for (int i = 1; sink >= 0; i = i * 31 | 1) bits.set(0, 200_000_000 + (i & 0xFF));
  }

  private static long fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
  }
}
