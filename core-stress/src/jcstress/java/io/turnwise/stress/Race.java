package io.turnwise.stress;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicReference;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.Outcome;

/**
 * Runs one memory-model test for a moment: each of its actors on a thread of its own, over many
 * fresh states in the same order, so that they meet on some of them. jcstress does far more, with
 * every compiler and every placement of threads, and takes minutes; this fits every build.
 */
final class Race {
  private static final int STATES = 2_000;
  private static final MethodType STEP =
      MethodType.methodType(void.class, Object.class, Object.class);

  private final Class<?> test;
  private final List<MethodHandle> actors = new ArrayList<>();
  private MethodHandle arbiter = MethodHandles.empty(STEP);
  private Class<?> resultType = Object.class;
  private final Constructor<?> newState;
  private final Constructor<?> newResult;
  private final Map<String, Long> seen = new TreeMap<>();

  Race(Class<?> test) throws ReflectiveOperationException {
    this.test = test;
    for (Method method : test.getMethods()) {
      boolean acts = method.isAnnotationPresent(Actor.class);
      if (!acts && !method.isAnnotationPresent(Arbiter.class)) continue;
      MethodHandle handle = MethodHandles.publicLookup().unreflect(method);
      if (method.getParameterCount() == 0)
        handle = MethodHandles.dropArguments(handle, 1, Object.class);
      else resultType = method.getParameterTypes()[0];
      if (acts) actors.add(handle.asType(STEP));
      else arbiter = handle.asType(STEP);
    }
    newState = test.getConstructor();
    newResult = resultType.getConstructor();
  }

  /** What came out, and how often. */
  Map<String, Long> seen() {
    return seen;
  }

  long samples() {
    return seen.values().stream().mapToLong(Long::longValue).sum();
  }

  /** The outcomes that are expected like this, of those that were seen. */
  List<String> seenAs(Expect expect) {
    return seen.keySet().stream().filter(id -> graded(id) == expect).toList();
  }

  private Expect graded(String id) {
    Expect others = Expect.FORBIDDEN;
    for (Outcome outcome : test.getAnnotationsByType(Outcome.class)) {
      for (String one : outcome.id()) {
        if (one.equals(id)) return outcome.expect();
        if (one.isEmpty()) others = outcome.expect();
      }
      if (outcome.id().length == 0) others = outcome.expect();
    }
    return others;
  }

  /** One round over fresh states. */
  void round() throws Exception {
    Object[] states = new Object[STATES];
    Object[] results = new Object[STATES];
    for (int i = 0; i < STATES; i++) {
      states[i] = newState.newInstance();
      results[i] = newResult.newInstance();
    }
    var start = new CyclicBarrier(actors.size());
    var failure = new AtomicReference<Throwable>();
    List<Thread> threads = new ArrayList<>();
    for (MethodHandle actor : actors)
      threads.add(
          Thread.ofPlatform()
              .daemon()
              .start(
                  () -> {
                    try {
                      start.await();
                      for (int i = 0; i < STATES; i++) actor.invokeExact(states[i], results[i]);
                    } catch (Throwable e) {
                      failure.set(e);
                    }
                  }));
    for (Thread thread : threads) thread.join();
    if (failure.get() != null) throw new AssertionError(test.getName(), failure.get());
    try {
      for (int i = 0; i < STATES; i++) {
        arbiter.invokeExact(states[i], results[i]);
        seen.merge(results[i].toString(), 1L, Long::sum);
      }
    } catch (Throwable e) {
      throw new AssertionError(test.getName(), e);
    }
  }
}
