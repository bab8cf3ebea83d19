package io.turnwise.agent.weaver;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * Every shape of loop and recursion that javac writes. Each method takes the number of rounds and
 * returns something that depends on all of them. Those named {@code loop…} must pass a poll in most
 * rounds, those named {@code brief…} none.
 */
final class LoopShapes {
  private LoopShapes() {}

  static long loopWhile(int n) {
    long sum = 0;
    int i = 0;
    while (i < n) {
      sum += (long) i * i;
      i++;
      if (sum < 0) sum = -sum;
    }
    return sum;
  }

  static long loopDoWhile(int n) {
    long x = 1;
    int i = n;
    do {
      x = x * 31 + i;
      i -= x == 5 ? 2 : 1;
    } while (i > 0);
    return x;
  }

  static long loopForever(int n) {
    long x = 7;
    for (; ; ) {
      x ^= x << 3;
      if (n-- <= 0) return x;
    }
  }

  static long loopNestedContinue(int n) {
    long sum = 0;
    outer:
    for (int i = 0; i < n; i++) {
      for (int j = 0; ; j++) {
        if (j > i % 7) continue outer;
        if (i * j == 42) break;
        sum += j;
      }
      sum += 1000;
    }
    return sum;
  }

  static long loopSwitch(int n) {
    int state = 0;
    long out = 0;
    while (true) {
      switch (state) {
        case 0 -> state = 1;
        case 1 -> state = n % 3 == 0 ? 3 : 2;
        case 2 -> {
          out += n;
          state = 3;
        }
        case 3 -> {
          if (n-- <= 0) return out;
          state = 0;
        }
        default -> throw new IllegalStateException();
      }
    }
  }

  static long loopOfExceptions(int n) {
    int left = n;
    long caught = 0;
    while (true) {
      try {
        if (left == 0) return caught;
        throw new IllegalStateException("round");
      } catch (IllegalStateException e) {
        left--;
        caught += e.getMessage().length();
      }
    }
  }

  static long loopFinally(int n) {
    long x = 0;
    for (int i = 0; i < n; i++) {
      try {
        if (i % 5 == 0) continue;
        x += i;
      } finally {
        x ^= i;
      }
    }
    return x;
  }

  static long loopSynchronized(int n) {
    Object lock = new Object();
    long x = 0;
    for (int i = 0; i < n; i++) {
      synchronized (lock) {
        x += i;
        if (x % 1000 == 999) break;
      }
    }
    synchronized (lock) {
      int i = n;
      while (i-- > 0) x ^= i;
    }
    return x;
  }

  static long loopOverList(int n) {
    List<Integer> list = new ArrayList<>();
    for (int i = 0; i < n; i++) list.add(i);
    long sum = 0;
    for (int value : list) sum += value;
    for (Iterator<Integer> it = list.iterator(); it.hasNext(); ) sum ^= it.next();
    return sum;
  }

  static long stepsOfBits(int n) {
    var bits = new BitSet(n);
    int i = n;
    while (i-- > 0) bits.set(i);
    return bits.length();
  }

  static long stepsOfManyBits(int n) {
    var bits = new BitSet(n);
    int i = n;
    while (i-- > 0) bits.set(i / 2, i);
    return bits.length();
  }

  static long loopString(int n) {
    var text = new StringBuilder();
    for (int i = 0; i < n; i++) text.append(i).append(',');
    return text.toString().hashCode();
  }

  static long loopLambda(int n) {
    IntUnaryOperator triple = x -> 3 * x + 1;
    int x = 1;
    for (int i = 0; i < n; i++) x = triple.applyAsInt(x);
    return x;
  }

  static long loopRecursion(int n) {
    return fib(Math.min(n, 18));
  }

  private static long fib(int n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
  }

  static long loopMutualRecursion(int n) {
    return isEven(Math.min(n, 1000)) ? 1 : 0;
  }

  private static boolean isEven(int n) {
    return n == 0 || isOdd(n - 1);
  }

  private static boolean isOdd(int n) {
    return n != 0 && isEven(n - 1);
  }

  private interface Node {
    long weigh(int factor);
  }

  record Leaf(int value) implements Node {
    @Override
    public long weigh(int factor) {
      return (long) value * factor;
    }
  }

  record Branch(Node left, Node right) implements Node {
    @Override
    public long weigh(int factor) {
      return left.weigh(factor + 1) + right.weigh(factor - 1);
    }
  }

  static long loopTree(int n) {
    Node tree = new Leaf(1);
    for (int i = 0; i < 10; i++) tree = new Branch(tree, new Branch(new Leaf(i), tree));
    return tree.weigh(n);
  }

  static long loopEqualsOfTrees(int n) {
    Node tree = new Leaf(n);
    for (int i = 0; i < 12; i++) tree = new Branch(tree, tree);
    return tree.hashCode();
  }

  static long loopLambdaRecursion(int n) {
    return visit(Math.min(n, 11));
  }

  private static long visit(int depth) {
    if (depth == 0) return 1;
    return IntStream.range(0, 2).mapToLong(i -> visit(depth - 1) + i).sum();
  }

  static long loopBackwardCompare(int n) {
    long x = 0;
    for (long i = n; i >= 1; i--) x = x * 7 + i;
    for (double d = 0; d < n; d += 1) x += (long) d;
    return x;
  }

  private static long quietLongLimit;

  static long loopCountedByLong(int n) {
    long sum = 0;
    for (long i = 0; i < n; i++) sum += i * i;
    for (long i = n; i > 0; i--) sum = sum * 5 + i;
    for (long i = -n; i <= n; i++) {
      if ((i & 7) == 3) continue;
      if (i == 4900) break;
      sum ^= i;
    }
    quietLongLimit = n;
    for (long i = 0; i < quietLongLimit; i++) sum += i;
    for (long i = 0; i < quietLongLimit; i++) if (i == 100) quietLongLimit = 200;
    for (long i = 0; i < 300L; i++) sum ^= i << 3;
    for (long i = 0; i < n; i++) {
      sum += i;
      if (i % 7 == 0) i++;
    }
    return sum;
  }

  /** The variable comes near the end of all longs, or passes it. */
  static long loopCountedByLongNearTheEdge(int n) {
    long rounds = 0;
    long last = Long.MAX_VALUE;
    for (long i = last - n; i < last; i++) rounds++;
    for (long i = last - n; i <= last; i++) {
      rounds += 3;
      if (i < 0) break; // it has wrapped
    }
    long first = Long.MIN_VALUE;
    for (long i = first + n; i > first; i--) rounds += 11;
    for (long i = first + n; i >= first; i--) {
      rounds += 13;
      if (i > 0) break;
    }
    for (long i = first; i < last; i++) if ((rounds += 17) > 1 << 17) break;
    return rounds;
  }

  static final class Chain {
    final long sum;

    /** A loop before the call of the constructor above. */
    Chain(int n) {
      long x = 0;
      for (int i = 0; i < n; i += 1 + (i >> 30)) x += i;
      super();
      sum = x;
    }
  }

  static long loopBeforeSuper(int n) {
    return new Chain(n).sum;
  }

  static long loopCountedUp(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) sum += i * i;
    return sum;
  }

  static long loopCountedDown(int n) {
    int sum = 0;
    for (int i = n; i >= 0; i--) sum = sum * 5 + i;
    for (int i = n; i > 3; i--) sum ^= i;
    for (int i = n; i > -n; i -= 3) sum += i;
    return sum;
  }

  // Each of these is two rounds by its constants, and goes on for billions or for ever.

  static long loopUpToTheLastInt(int n) {
    int rounds = 0;
    for (int i = Integer.MAX_VALUE - 1; i <= Integer.MAX_VALUE; i++) if (++rounds > n) break;
    return rounds;
  }

  static long loopUpPastTheLastInt(int n) {
    int rounds = 0;
    for (int i = Integer.MAX_VALUE - 10; i < Integer.MAX_VALUE; i += 7) if (++rounds > n) break;
    return rounds;
  }

  static long loopDownToTheFirstInt(int n) {
    int rounds = 0;
    for (int i = Integer.MIN_VALUE + 1; i >= Integer.MIN_VALUE; i--) if (++rounds > n) break;
    return rounds;
  }

  static long loopDownPastTheFirstInt(int n) {
    int rounds = 0;
    for (int i = Integer.MIN_VALUE + 10; i > Integer.MIN_VALUE; i -= 7) if (++rounds > n) break;
    return rounds;
  }

  static long loopUpToTheLastLong(int n) {
    int rounds = 0;
    for (long i = Long.MAX_VALUE - 1; i <= Long.MAX_VALUE; i++) if (++rounds > n) break;
    return rounds;
  }

  static long loopDownToTheFirstLong(int n) {
    int rounds = 0;
    for (long i = Long.MIN_VALUE + 1; i >= Long.MIN_VALUE; i--) if (++rounds > n) break;
    return rounds;
  }

  /** As short as they look. */
  static long briefAtBothEnds(int n) {
    int rounds = n;
    for (int i = Integer.MAX_VALUE - 7; i < Integer.MAX_VALUE - 6; i++) rounds++;
    for (int i = Integer.MIN_VALUE + 7; i > Integer.MIN_VALUE + 6; i--) rounds++;
    return rounds;
  }

  static long loopCountedInclusive(int n) {
    int sum = 0;
    for (int i = 1; i <= n; i++) sum += i;
    for (int i = -n; i <= n; i += 7) sum ^= i;
    return sum;
  }

  /** The variable comes near the end of all ints, or would pass it. */
  static long loopCountedNearTheEdge(int n) {
    int rounds = 0;
    int last = Integer.MAX_VALUE;
    for (int i = last - n; i < last; i++) rounds++;
    for (int i = last - n; i <= last; i++) {
      rounds += 3;
      if (i < 0) break; // it has wrapped
    }
    for (int i = last - n; i < last - 2; i += 5) {
      rounds += 7;
      if (i < 0) break;
    }
    int first = Integer.MIN_VALUE;
    for (int i = first + n; i > first; i--) rounds += 11;
    for (int i = first + n; i >= first; i--) {
      rounds += 13;
      if (i > 0) break;
    }
    for (int i = first; i < last; i += 1 << 9) if ((rounds += 17) > 1 << 16) break;
    for (int i = first; i < last; i++) if ((rounds += 17) > 1 << 17) break;
    // So far from the limit that in 31 bits nothing is left of it.
    for (int i = first + 5; i < 5; i++) if ((rounds += 17) > 1 << 18) break;
    for (int i = last - 4; i > -5; i--) if ((rounds += 17) > 1 << 19) break;
    return rounds;
  }

  static long loopArrays(int n) {
    int[] numbers = new int[n];
    for (int i = 0; i < numbers.length; i++) numbers[i] = i ^ n;
    long sum = 0;
    for (int number : numbers) sum += number;
    for (int i = numbers.length - 1; i >= 0; i--) {
      if (numbers[i] % 3 == 0) continue;
      sum += numbers[i];
      if (sum % 1001 == 1000) break;
    }
    return sum;
  }

  static long loopText(int n) {
    String text = "abc".repeat(n);
    int hash = 0;
    for (int i = 0; i < text.length(); i++) hash = 31 * hash + text.charAt(i);
    return hash;
  }

  private static int quietLimit;
  private static volatile int volatileLimit;

  static long loopFieldLimits(int n) {
    quietLimit = n;
    volatileLimit = n;
    int sum = 0;
    for (int i = 0; i < quietLimit; i++) sum += i;
    for (int i = 0; i < volatileLimit; i++) sum ^= i;
    for (int i = 0; i < quietLimit; i++) {
      sum += i;
      if (i == 100) quietLimit = 200;
    }
    return sum;
  }

  static long loopMatrix(int n) {
    int size = Math.min(n, 40);
    double[][] a = new double[size][size];
    double[][] b = new double[size][size];
    for (int i = 0; i < size; i++)
      for (int j = 0; j < size; j++) {
        a[i][j] = i - j;
        b[i][j] = i * j;
      }
    double trace = 0;
    for (int i = 0; i < size; i++)
      for (int j = 0; j < size; j++) {
        double sum = 0;
        for (int k = 0; k < size; k++) sum += a[i][k] * b[k][j];
        if (i == j) trace += sum;
      }
    return (long) trace;
  }

  static long loopChangingItsOwnTerms(int n) {
    int limit = n;
    long sum = 0;
    for (int i = 0; i < limit; i++) {
      sum += i;
      if (i % 10 == 9) limit--;
    }
    for (int i = 0; i < n; i++) {
      sum ^= i;
      if (i % 7 == 0) i++;
    }
    int i = 0;
    while (i < n) {
      if (sum % 2 == 0) i++;
      sum += 3;
    }
    return sum;
  }

  static long loopCountedWithHandlers(int n) {
    int[] numbers = new int[Math.max(1, n / 2)];
    long sum = 0;
    for (int i = 0; i < n; i++) {
      try {
        sum += numbers[i] + i;
      } catch (ArrayIndexOutOfBoundsException e) {
        sum -= i;
        continue;
      } finally {
        sum ^= 3;
      }
      sum += 5;
    }
    try {
      for (int i = 0; i < n; i++) sum += numbers[i];
    } catch (ArrayIndexOutOfBoundsException e) {
      sum = -sum;
    }
    int i = 0;
    do {
      try {
        sum += 10 / (i % 3);
      } catch (ArithmeticException e) {
        sum++;
      }
    } while (++i < n);
    return sum;
  }

  static long loopWideLocals(int n) {
    double d = 1;
    long l = n;
    for (int i = 0; i < n; i++) {
      long inner = l + i;
      double half = d / 2;
      l = inner ^ (long) half;
      if (l > 0) {
        String text = "x";
        l += text.length();
      }
    }
    for (int i = 0; i < n; i++)
      for (int j = i; j < i + 3; j++) {
        float f = j;
        d += f;
      }
    return l + (long) d;
  }

  static long loopSieve(int n) {
    boolean[] composite = new boolean[n + 1];
    int primes = 0;
    for (int i = 2; i <= n; i++) {
      if (composite[i]) continue;
      primes++;
      for (int j = i * i; j <= n && j > 0; j += i) composite[j] = true;
    }
    return primes;
  }

  /** Two classes that know each other and are woven one at a time. */
  static final class Here {
    static long count(int n) {
      return n <= 0 ? 1 : There.count(n - 1) + There.countAgain(n - 2);
    }
  }

  static final class There {
    static long count(int n) {
      return n <= 0 ? 2 : Here.count(n - 1);
    }

    static long countAgain(int n) {
      return n <= 0 ? 3 : Here.count(n - 2);
    }
  }

  static long loopAcrossClasses(int n) {
    return Here.count(Math.min(n, 24));
  }

  interface Visitor {
    long visit(int depth);
  }

  /** Through an interface of the user's own, by a method reference. */
  static long loopMethodReference(int n) {
    return descend(Math.min(n, 10), LoopShapes::again);
  }

  private static long descend(int depth, Visitor visitor) {
    return depth == 0 ? 1 : visitor.visit(depth - 1) + visitor.visit(depth - 1);
  }

  private static long again(int depth) {
    return descend(depth, LoopShapes::again);
  }

  static long briefLeaf(int n) {
    return n * 3L + Math.max(n, 4);
  }

  static long briefCalls(int n) {
    return square(n) + square(n + 1) + String.valueOf(n).length();
  }

  private static long square(int n) {
    return (long) n * n;
  }

  static long briefBranches(int n) {
    String name =
        switch (n % 4) {
          case 0 -> "zero";
          case 1 -> "one";
          default -> n > 100 ? "many" : "few";
        };
    try {
      return Integer.parseInt(name);
    } catch (NumberFormatException e) {
      return name.length();
    } finally {
      synchronized (name) {
        n++;
      }
    }
  }

  /** Down, with a second way out, around which another loop polls. */
  static long loopThatInserts(int n) {
    int[] sorted = new int[n];
    for (int i = 0; i < n; i++) sorted[i] = i * 7919 % 1009;
    for (int i = 1; i < n; i++) {
      int number = sorted[i];
      int at = i;
      while (at > 0 && sorted[at - 1] > number) {
        sorted[at] = sorted[at - 1];
        at--;
      }
      sorted[at] = number;
    }
    return java.util.Arrays.hashCode(sorted);
  }

  /** Up by twos, left from the middle by a break, a continue, and a return from two loops. */
  static int loopLeftFromTheMiddle(int n) {
    int sum = 0;
    for (int round = 0; round < n; round++) {
      for (int i = 0; i < n; i += 2) {
        if ((i * round & 63) == 63) break;
        if (i % 5 == 0) continue;
        if (sum > 1_000_000_000) return sum;
        sum += i;
      }
    }
    return sum;
  }

  /** Its limit is read from a field while it calls what touches no field. */
  static int loopOverText(int n) {
    var search = new Search("ab".repeat(n) + "c", "abc");
    return search.find();
  }

  private record Search(String text, String wanted) {
    int find() {
      for (int at = 0; at + wanted.length() <= text.length(); at++) {
        int same = 0;
        while (same < wanted.length() && text.charAt(at + same) == wanted.charAt(same)) same++;
        if (same == wanted.length()) return at;
      }
      return -1;
    }
  }

  static long shortLoop(int n) {
    long sum = 0;
    for (int i = 0; i < n; i++) sum += i;
    return sum;
  }

  /** Left by what a call says, and counted all the same; up, down, and over the end of all ints. */
  static long loopByIndex(int n) {
    List<Integer> list = new ArrayList<>();
    for (int i = 0; i < n; i++) list.add(i * 7);
    long sum = 0;
    for (int i = 0; i < list.size(); i++) sum += list.get(i);
    for (int i = list.size() - 1; i >= 0 && list.get(i) >= 0; i--) sum = sum * 3 + list.get(i);
    int i = Integer.MAX_VALUE - n / 2;
    while (list.size() > sum % 2 && i != Integer.MIN_VALUE + n / 2) {
      sum += list.size();
      i++;
    }
    return sum + i;
  }

  /**
   * Its limit cannot be read, in the very range where that is caught; and no other round is run.
   */
  static long loopOverNothing(int n) {
    long sum = 0;
    for (int round = 0; round < n; round++) {
      int[] numbers = round % 3 == 0 ? null : new int[round % 7];
      int i = 0;
      try {
        while (i < numbers.length) {
          if (numbers[i] != 0) break;
          sum += i++;
        }
      } catch (NullPointerException e) {
        sum += 1000;
      }
      sum = sum * 5 + i;
    }
    return sum;
  }

  /** Handlers inside a counted loop, around it, and right behind it; a second loop in a way out. */
  static long loopAmongHandlers(int n) {
    long sum = 0;
    try {
      for (int i = 0; i < n; i++) {
        try {
          sum += 100 / (i % 4);
        } catch (ArithmeticException e) {
          sum ^= i;
        }
        if (sum > 1L << 40) {
          for (int j = 0; j < n; j++) sum -= j;
          return sum;
        }
      }
      for (int i = n; i > 0; i--) sum += 10 / (n + 1 - i);
    } finally {
      sum += 3;
    }
    return sum;
  }

  /** Entered by jumps from several places. */
  static long loopEnteredByJumps(int n) {
    long sum = 0;
    for (int round = 0; round < n; round++) {
      int i;
      switch (round % 4) {
        case 0 -> i = 3;
        case 1 -> i = 0;
        case 2 -> i = n;
        default -> {
          if (sum % 2 == 0) i = 1;
          else i = -2;
        }
      }
      for (; i < 6; i++) sum += sum >>> 7 ^ i;
    }
    return sum;
  }

  /** Tests at the end; the first round is run in any case. */
  static long loopTestedAtTheEnd(int n) {
    long sum = 0;
    int i = 0;
    do {
      sum += (long) i * i;
      i++;
    } while (i < n);
    i = n;
    do sum = sum * 5 + i;
    while (--i >= 0);
    i = -n;
    do {
      i += 7;
      if ((i & 3) == 1) continue;
      sum ^= i;
      if (sum == 12_345) break;
    } while (i <= n);
    i = n;
    do {
      sum += 3L * i;
      i -= 2;
    } while (-n < i);
    i = 5;
    do sum += i++;
    while (i + 3 < n);
    int[] numbers = new int[n / 2];
    i = 0;
    do {
      if (i < numbers.length) numbers[i] = i;
      i++;
    } while (i < numbers.length);
    for (int number : numbers) sum += number;
    quietLimit = n;
    i = 0;
    do sum ^= i++;
    while (i < quietLimit);
    i = 0;
    do {
      sum += i++;
      if (i == 100) quietLimit = 200;
    } while (i < quietLimit);
    int limit = n;
    i = 0;
    do {
      sum += i++;
      if (i % 10 == 9) limit--;
    } while (i < limit);
    return sum;
  }

  /** The same where the variable comes near the end of all ints, or passes it. */
  static long loopTestedAtTheEndNearTheEdge(int n) {
    int rounds = 0;
    int last = Integer.MAX_VALUE;
    int first = Integer.MIN_VALUE;
    int i = last - n;
    do {
      rounds++;
      i++;
    } while (i < last);
    i = last - n;
    do {
      rounds += 3;
      if (i < 0) break; // it has wrapped
      i++;
    } while (i <= last);
    i = last - n;
    do {
      rounds += 5;
      if (i < 0) break;
      i += 5;
    } while (i < last - 2);
    i = first + n;
    do {
      rounds += 7;
      i--;
    } while (i > first);
    i = first + n;
    do {
      rounds += 11;
      if (i > 0) break;
      i--;
    } while (i >= first);
    i = last; // beyond the limit, and then far below it
    do {
      rounds += 13;
      i++;
      if (rounds > 1 << 16) break;
    } while (i < n);
    i = last;
    do {
      rounds += 17;
      i++;
    } while (i < first + 3);
    i = last;
    do {
      rounds += 19;
      i++;
    } while (i <= first);
    i = first;
    do {
      rounds += 23;
      i--;
    } while (i >= last);
    return rounds * 31L + i;
  }

  /** As Kotlin's compiler writes {@code for (v in first..last)}: until the last was met. */
  static long loopUntilTheLast(int n) {
    long sum = 0;
    int last = n;
    int i = 0;
    int v;
    do {
      v = i;
      i++;
      if (v % 5 == 3) continue;
      sum += (long) v * v;
    } while (v != last);
    i = n;
    do {
      v = i;
      i--;
      sum = sum * 5 + v;
    } while (v != 0);
    i = Integer.MAX_VALUE - n;
    last = Integer.MAX_VALUE;
    do {
      v = i;
      i++;
      sum ^= v;
    } while (v != last);
    i = Integer.MIN_VALUE + n;
    do {
      v = i;
      i--;
      sum += v;
    } while (Integer.MIN_VALUE != v);
    i = Integer.MAX_VALUE - n; // over the end of all ints
    last = Integer.MIN_VALUE + n;
    do {
      v = i;
      i++;
      sum = sum * 3 + v;
    } while (v != last);
    i = 7; // more than there are ints below
    last = 5;
    int rounds = 0;
    do {
      v = i;
      i++;
      if (++rounds > 2000) break;
    } while (v != last);
    quietLimit = n;
    i = 0;
    do {
      v = i;
      i++;
      sum += v;
    } while (v != quietLimit);
    i = 0;
    do {
      v = i; // not once in every round
      i += v % 3 == 0 ? 1 : 2;
      sum += v;
    } while (v != last && v < n);
    i = 0;
    do {
      i++; // before the copy
      v = i;
      sum ^= v;
    } while (v != last);
    return sum + i + v;
  }

  /** A limit that cannot be read is not asked for before the first round has been run. */
  static long loopTestedAtTheEndAmongHandlers(int n) {
    long sum = 0;
    for (int round = 0; round < n; round++) {
      int[] numbers = round % 3 == 0 ? null : new int[round % 7];
      int i = 0;
      int v;
      try {
        do {
          sum += i++;
        } while (i < numbers.length);
      } catch (NullPointerException e) {
        sum += 1000 + i;
      }
      i = 0;
      try {
        do {
          v = i;
          i++;
          sum += v;
        } while (v != numbers.length);
      } catch (NullPointerException e) {
        sum += 2000 + i;
      }
      i = 0;
      do {
        try {
          sum += 10 / (i & 3);
        } catch (ArithmeticException e) {
          sum ^= i;
        } finally {
          i++;
        }
      } while (i < 9);
      i = 0;
      try {
        do {
          i++;
          sum += 100 / (round % 5 - i);
        } while (i < round);
      } catch (ArithmeticException e) {
        sum += i;
      }
    }
    return sum;
  }

  /** Its test is more than a comparison, or leaves in more than one way. */
  static long loopWithLongTests(int n) {
    long sum = 0;
    int i = 0;
    while (i < n && sum % 1001 != 1000) sum += i++;
    i = 0;
    while (i < n || i % 7 != 0) sum += 3L * i++;
    int left = n;
    while ((left = left - 1) > 0) sum ^= left;
    Object link = n;
    while (link != null) link = sum++ % 17 == 0 ? null : link;
    for (int a = 0, b = n; a < b; a++, b--) sum += a ^ b;
    for (double d = 0; d < n; d += 1.5) sum += (long) d;
    return sum;
  }

  /** What it opened is closed, whichever poll ends it. */
  static long loopWithResources(int n) {
    return walk(Math.min(n, 7), n);
  }

  static int opened;
  static int closed;

  private static final class Resource implements AutoCloseable {
    final int number = 1;

    Resource() {
      opened++;
    }

    @Override
    public void close() {
      closed++;
    }
  }

  private static long walk(int depth, int n) {
    if (depth == 0) return n;
    long sum = 0;
    try (var resource = new Resource()) {
      sum += walk(depth - 1, n) + walk(depth - 1, n);
      for (int i = 0; i < depth; i++) sum += i ^ resource.number & 1;
    }
    return sum;
  }
}
