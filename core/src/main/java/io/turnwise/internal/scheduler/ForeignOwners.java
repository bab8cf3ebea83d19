package io.turnwise.internal.scheduler;

import java.util.WeakHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whose handlers started which virtual threads. The JDK hands over the same object each time that
 * one thread wants to run; that object is known here for as long as the thread is, and no longer.
 *
 * <p>Each part has a monitor, held for one look into a map. Who asks is a platform thread or a
 * virtual one that the JDK has pinned, so that nobody is suspended while holding it.
 */
final class ForeignOwners {
  private static final int PARTS = 16;

  /** A map that was larger than this, and is empty, is given back. */
  private static final int LARGE = 1_024;

  private final Part[] parts = new Part[PARTS];

  ForeignOwners() {
    for (int i = 0; i < PARTS; i++) parts[i] = new Part();
  }

  /** The owner of a thread; if it is seen for the first time, it belongs to who starts it. */
  ForeignThreads of(Runnable thread, Supplier<ForeignThreads> starter) {
    Part part = parts[System.identityHashCode(thread) & (PARTS - 1)];
    ForeignThreads known = part.get(thread);
    if (known != null) return known;
    ForeignThreads first = starter.get();
    part.put(thread, first);
    return first;
  }

  /** Forgets those that are gone. Returns how many are known. */
  int tidy() {
    int size = 0;
    for (Part part : parts) size += part.tidy();
    return size;
  }

  private static final class Part {
    private WeakHashMap<Runnable, ForeignThreads> owners = new WeakHashMap<>();
    private boolean large;

    synchronized @Nullable ForeignThreads get(Runnable thread) {
      return owners.get(thread);
    }

    synchronized void put(Runnable thread, ForeignThreads owner) {
      owners.put(thread, owner);
      large |= owners.size() > LARGE;
    }

    synchronized int tidy() {
      int size = owners.size();
      if (size == 0 && large) {
        owners = new WeakHashMap<>();
        large = false;
      }
      return size;
    }
  }
}
