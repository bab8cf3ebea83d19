package io.turnwise.benchmarks.price;

import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;

/** Recursion, and loops whose body is a call. */
public class CallKernels {
  private CallKernels() {}

  public static class Fibonacci extends Kernel {
    private int n = 22;

    @Benchmark
    public int compute() {
      return fibonacci(n);
    }

    private static int fibonacci(int n) {
      return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
    }
  }

  public static class TreeWalk extends Kernel {
    private record Node(@Nullable Node left, int value, @Nullable Node right) {
      int sum() {
        return value + (left == null ? 0 : left.sum()) + (right == null ? 0 : right.sum());
      }
    }

    private final Node root = tree(12);

    private static Node tree(int depth) {
      return depth == 0
          ? new Node(null, 1, null)
          : new Node(tree(depth - 1), depth, tree(depth - 1));
    }

    @Benchmark
    public int compute() {
      return root.sum();
    }
  }

  public static class VirtualCalls extends Kernel {
    private abstract static class Shape {
      abstract double area();
    }

    private static final class Square extends Shape {
      private final double side;

      Square(double side) {
        this.side = side;
      }

      @Override
      double area() {
        return side * side;
      }
    }

    private static final class Circle extends Shape {
      private final double radius;

      Circle(double radius) {
        this.radius = radius;
      }

      @Override
      double area() {
        return Math.PI * radius * radius;
      }
    }

    private final Shape[] shapes = new Shape[8 * 1024];

    public VirtualCalls() {
      for (int i = 0; i < shapes.length; i++)
        shapes[i] = (scramble(i) & 1) == 0 ? new Square(i) : new Circle(i);
    }

    @Benchmark
    public double compute() {
      double sum = 0;
      for (Shape shape : shapes) sum += shape.area();
      return sum;
    }
  }

  /** Four classes behind one interface: too many for the compiler to guess. */
  public static class InterfaceCalls extends Kernel {
    private interface Step {
      long next(long state);
    }

    private record Add(long n) implements Step {
      @Override
      public long next(long state) {
        return state + n;
      }
    }

    private record Multiply(long n) implements Step {
      @Override
      public long next(long state) {
        return state * n;
      }
    }

    private record Mix(int by) implements Step {
      @Override
      public long next(long state) {
        return state ^ state >>> by;
      }
    }

    private record Turn(int by) implements Step {
      @Override
      public long next(long state) {
        return Long.rotateLeft(state, by);
      }
    }

    private final Step[] steps = new Step[8 * 1024];

    public InterfaceCalls() {
      for (int i = 0; i < steps.length; i++)
        steps[i] =
            switch ((int) scramble(i) & 3) {
              case 0 -> new Add(i);
              case 1 -> new Multiply(2L * i + 1);
              case 2 -> new Mix(i & 31);
              default -> new Turn(i & 63);
            };
    }

    @Benchmark
    public long compute() {
      long state = 1;
      for (Step step : steps) state = step.next(state);
      return state;
    }
  }

  public static class ExceptionsAsFlow extends Kernel {
    private static final class Odd extends RuntimeException {
      private static final long serialVersionUID = 1;
      private final int value;

      Odd(int value) {
        super(null, null, false, false);
        this.value = value;
      }
    }

    private final int[] numbers = ints(2 * 1024);

    @Benchmark
    public int compute() {
      int sum = 0;
      for (int number : numbers) {
        try {
          sum += half(number);
        } catch (Odd odd) {
          sum -= odd.value;
        }
      }
      return sum;
    }

    private static int half(int number) {
      if ((number & 7) == 1) throw new Odd(number);
      return number / 2;
    }
  }
}
