package io.turnwise.internal.door;

import io.turnwise.internal.weaving.World;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongBinaryOperator;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * What the JDK's own clock reads ask while there is a simulation, in a class that the weaving agent
 * defines in {@code java.lang}. Where there is none, the JDK reads the real clocks.
 */
final class BootClock implements World.Jdk {
  private static final String NAME = "java.lang.TurnwiseWorld";

  private final VarHandle simulated;
  private final MethodHandle seed;

  private BootClock(VarHandle simulated, MethodHandle seed) {
    this.simulated = simulated;
    this.seed = seed;
  }

  /** Returns false when the agent was not told to redirect clocks. */
  static boolean link() {
    try {
      Class<?> boot = Class.forName(NAME, true, null);
      MethodHandles.Lookup lookup = MethodHandles.publicLookup();
      boot.getField("nanoTime").set(null, (LongSupplier) World::nanoTime);
      boot.getField("currentTimeMillis").set(null, (LongSupplier) World::currentTimeMillis);
      boot.getField("sleep").set(null, (LongBinaryOperator) BootClock::sleep);
      boot.getField("executors").set(null, (UnaryOperator<Executor>) World::executor);
      World.link(
          new BootClock(
              lookup.findStaticVarHandle(boot, "simulated", boolean.class),
              lookup.findStatic(boot, "seed", MethodType.methodType(void.class, long.class))));
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "The weaving agent's " + NAME + " is not of this version of Turnwise: use the same", e);
    }
  }

  /** Returns 0 where the caller must sleep by itself. */
  private static long sleep(long millis, long nanos) {
    try {
      long whole = TimeUnit.MILLISECONDS.toNanos(millis);
      return World.sleeps(whole > Long.MAX_VALUE - nanos ? Long.MAX_VALUE : whole + nanos) ? 1 : 0;
    } catch (InterruptedException e) {
      throw BootClock.<RuntimeException>undeclared(e);
    }
  }

  /** The method that asked declares it; only the function type in between does not. */
  @SuppressWarnings("unchecked")
  private static <E extends Throwable> E undeclared(Throwable e) throws E {
    throw (E) e;
  }

  @Override
  public void askHere(boolean up) {
    simulated.setVolatile(up);
  }

  @Override
  public void seedThreadLocalRandom(long next) {
    try {
      seed.invokeExact(next);
    } catch (Throwable e) {
      throw new AssertionError("writing a field throws nothing", e);
    }
  }
}
