package io.turnwise.faults.preemption;

import java.math.BigInteger;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Handlers that never end by themselves, in the shapes in which that happens. */
enum Loop {
  EMPTY {
    @Override
    void run() {
      while (true) {}
    }
  },
  COUNTED {
    @Override
    void run() {
      long sum = 0;
      while (sink >= 0) for (int i = 0; i < Integer.MAX_VALUE; i++) sum += sum ^ i;
      sink = sum;
    }
  },
  NESTED {
    @Override
    void run() {
      double[] numbers = new double[1_000];
      for (int i = 0; sink >= 0; i++)
        for (int j = 0; j < 1_000; j++)
          for (int k = 0; k < numbers.length; k++) numbers[k] = numbers[k] * 0.5 + i * j;
      sink = (long) numbers[7];
    }
  },
  RECURSION {
    @Override
    void run() {
      sink = fibonacci(200);
    }
  },
  STREAM {
    @Override
    void run() {
      sink = IntStream.iterate(0, i -> i ^ 1).filter(i -> i > 1).findFirst().orElse(0);
    }
  },
  REGULAR_EXPRESSION {
    @Override
    void run() {
      // The reference to a group keeps the JDK from remembering what did not match.
      sink = Pattern.matches("(x+x+)+y\\1", "x".repeat(60)) ? 1 : 2;
    }
  },
  EXCEPTIONS {
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
  SWITCH {
    @Override
    void run() {
      int state = 0;
      while (true)
        state =
            switch (state) {
              case 0 -> 7;
              case 7 -> 3;
              case 3 -> 1;
              default -> 0;
            };
    }
  },
  TEXT {
    @Override
    void run() {
      var text = new StringBuilder();
      while (sink >= 0) {
        text.append("more");
        if (text.length() > 10_000) text.setLength(0);
      }
    }
  },
  COLLECTION {
    @Override
    void run() {
      List<Integer> list = IntStream.range(0, 1_000).boxed().toList();
      while (true) for (int each : list) sink += each;
    }
  },
  BIG_NUMBERS {
    @Override
    void run() {
      BigInteger one = BigInteger.ONE.shiftLeft(1 << 20).subtract(BigInteger.ONE);
      while (sink >= 0) sink = one.pow(30).bitLength();
    }
  },
  SPIN {
    @Override
    void run() {
      while (!never) Thread.onSpinWait();
    }
  };

  static volatile long sink;
  private static volatile boolean never;

  abstract void run();

  private static long fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
  }
}
