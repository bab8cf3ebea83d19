package io.turnwise.internal.cell;

import io.turnwise.ActorRef;
import io.turnwise.internal.scheduler.Seat;
import io.turnwise.internal.scheduler.StackProbe;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The living children of one parent, linked through the children themselves: the named ones in a
 * hash table, the anonymous ones in a list. A child costs no memory here beyond its own links.
 *
 * <p>The parent adds; children remove themselves, on whatever worker they end. A tiny lock guards
 * it, held for a few field accesses; who meets it taken spins, and after a while lets others run.
 */
final class Children {
  private static final int SPINS = 200;

  /** A longer chain was made on purpose: names that collide are easily found. */
  private static final int LONGEST_CHAIN = 24;

  /** Nobody outside of this process knows it. */
  private static final long SECRET = new SplittableRandom().nextLong() | 1;

  private static final VarHandle LOCK;

  static {
    try {
      LOCK = MethodHandles.lookup().findVarHandle(Children.class, "locked", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private @Nullable ActorCell<?>[] named = new ActorCell<?>[0];
  private @Nullable ActorCell<?> anonymous;
  private int namedCount;
  private int count;

  /** Whether names are spread by a hash that cannot be foreseen. It takes longer. */
  private boolean secret;

  /** Set once the parent stops: nobody is added any more. */
  private boolean closed;

  private volatile boolean locked;

  /** What became of {@link #add}. */
  enum Added {
    YES,
    NAME_TAKEN,
    PARENT_STOPPING
  }

  Added add(ActorCell<?> child) {
    lock();
    try {
      if (closed) return Added.PARENT_STOPPING;
      byte[] name = child.givenName();
      if (name == null) {
        child.siblingNext = anonymous;
        if (anonymous != null) anonymous.siblingPrevious = child;
        anonymous = child;
      } else {
        StackProbe.forSend(); // the table must not grow by half
        if (find(name) != null) return Added.NAME_TAKEN;
        if (namedCount >= named.length) rehashInto(new ActorCell<?>[Math.max(8, named.length * 2)]);
        int slot = slot(name, named.length);
        if (!secret && isLong(named[slot])) {
          @Nullable ActorCell<?>[] next =
              new ActorCell<?>[named.length]; // may fail, and change nothing
          secret = true;
          rehashInto(next);
          slot = slot(name, named.length);
        }
        child.siblingNext = named[slot];
        named[slot] = child;
        namedCount++;
      }
      count++;
      return Added.YES;
    } finally {
      try {
        LOCK.setRelease(this, false);
      } catch (Throwable e) {
        locked = false; // no stack left for a call
      }
    }
  }

  /** Returns true when the parent has been closed and this was its last child. */
  boolean remove(ActorCell<?> child) {
    lock();
    try {
      byte[] name = child.givenName();
      if (name == null) removeAnonymous(child);
      else removeNamed(child, name);
      count--;
      return closed && count == 0;
    } finally {
      try {
        LOCK.setRelease(this, false);
      } catch (Throwable e) {
        locked = false; // no stack left for a call
      }
    }
  }

  /** Takes no more. Returns those who live. */
  List<ActorCell<?>> close() {
    lock();
    try {
      closed = true;
      return list();
    } finally {
      locked = false; // no call: there may be no stack left for one
    }
  }

  /** After all of them are gone, the parent begins anew. */
  void reopen() {
    lock();
    try {
      closed = false;
    } finally {
      locked = false; // no call: there may be no stack left for one
    }
  }

  boolean isEmpty() {
    lock();
    try {
      return count == 0;
    } finally {
      locked = false; // no call: there may be no stack left for one
    }
  }

  int count() {
    lock();
    try {
      return count;
    } finally {
      locked = false; // no call: there may be no stack left for one
    }
  }

  @Nullable ActorCell<?> get(String name) {
    byte[] letters = letters(name);
    lock();
    try {
      return find(letters);
    } finally {
      locked = false; // no call: there may be no stack left for one
    }
  }

  List<ActorCell<?>> snapshot() {
    lock();
    try {
      return list();
    } finally {
      locked = false; // no call: there may be no stack left for one
    }
  }

  List<ActorRef<?>> refs() {
    return new ArrayList<>(snapshot());
  }

  private List<ActorCell<?>> list() {
    List<ActorCell<?>> all = new ArrayList<>(count);
    for (ActorCell<?> first : named)
      for (ActorCell<?> c = first; c != null; c = c.siblingNext) all.add(c);
    for (ActorCell<?> c = anonymous; c != null; c = c.siblingNext) all.add(c);
    return all;
  }

  private @Nullable ActorCell<?> find(byte[] name) {
    if (named.length == 0) return null;
    ActorCell<?> c = named[slot(name, named.length)];
    while (c != null && !Arrays.equals(name, c.givenName())) c = c.siblingNext;
    return c;
  }

  /** A name has only ASCII letters; what else somebody looks for becomes one that no name has. */
  static byte[] letters(String name) {
    return name.getBytes(StandardCharsets.ISO_8859_1);
  }

  private void removeAnonymous(ActorCell<?> child) {
    ActorCell<?> next = child.siblingNext;
    ActorCell<?> previous = child.siblingPrevious;
    if (previous == null) anonymous = next;
    else previous.siblingNext = next;
    if (next != null) next.siblingPrevious = previous;
    child.siblingNext = null;
    child.siblingPrevious = null;
  }

  private void removeNamed(ActorCell<?> child, byte[] name) {
    int slot = slot(name, named.length);
    ActorCell<?> c = named[slot];
    if (c == child) {
      named[slot] = child.siblingNext;
    } else {
      while (c != null && c.siblingNext != child) c = c.siblingNext;
      if (c != null) c.siblingNext = child.siblingNext;
    }
    child.siblingNext = null;
    namedCount--;
  }

  private static boolean isLong(@Nullable ActorCell<?> chain) {
    int length = 0;
    for (ActorCell<?> c = chain; c != null; c = c.siblingNext)
      if (++length >= LONGEST_CHAIN) return true;
    return false;
  }

  private void rehashInto(@Nullable ActorCell<?>[] next) {
    for (ActorCell<?> first : named) {
      ActorCell<?> c = first;
      while (c != null) {
        ActorCell<?> after = c.siblingNext;
        byte[] name = c.givenName();
        assert name != null : "only named children are in the table";
        int slot = slot(name, next.length);
        c.siblingNext = next[slot];
        next[slot] = c;
        c = after;
      }
    }
    named = next;
  }

  /** Spread over the upper bits too. */
  private int slot(byte[] name, int length) {
    int hash = (secret ? secretHash(name) : Arrays.hashCode(name)) * 0x9E3779B9;
    return (hash ^ (hash >>> 15)) & (length - 1);
  }

  /** Each step mixes: a sum of powers would have names that collide whatever the secret is. */
  private static int secretHash(byte[] name) {
    long hash = SECRET;
    for (byte letter : name) {
      hash = (hash ^ letter) * SECRET;
      hash ^= hash >>> 32;
    }
    return (int) hash;
  }

  private void lock() {
    for (int i = 0; !LOCK.compareAndSet(this, false, true); i++) {
      if (i < SPINS) Thread.onSpinWait();
      else Seat.letOthersRun();
    }
  }
}
