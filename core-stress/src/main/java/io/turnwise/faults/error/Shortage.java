package io.turnwise.faults.error;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A shortage of memory at one chosen place. {@link ShortageLoader} puts a call of {@link #at}
 * before each allocation of the runtime; while one of them is armed, the next thread concerned that
 * comes by gets an {@link OutOfMemoryError}, once.
 */
public final class Shortage {
  /** Whom a shortage concerns. */
  public enum Side {
    /** The thread that sends, whatever it is. */
    SENDER,
    /** Workers, fibers, the ticker and callback threads, but not the sender. */
    RUNTIME
  }

  private static final int OFF = -2;

  /** In place of a site: no shortage, but note which sites are passed. */
  public static final int RECORDING = -1;

  private static final List<String> NAMES = new ArrayList<>();

  private static final Object LOCK = new Object();
  private static BitSet recorded = new BitSet();
  private static @Nullable Thread sender;
  private static Side side = Side.SENDER;
  private static boolean struck;

  /** The site that is armed, or {@link #RECORDING}, or {@link #OFF}. */
  private static volatile int armed = OFF;

  private Shortage() {}

  /** Called by the runtime's classes, before they allocate. */
  public static void at(int site) {
    int now = armed;
    if (now == OFF || (now != RECORDING && now != site)) return;
    Thread thread = Thread.currentThread();
    synchronized (LOCK) {
      if (!concerns(thread)) return;
      if (armed == RECORDING) {
        recorded.set(site);
        return;
      }
      if (armed != site) return;
      armed = OFF;
      struck = true;
    }
    throw new OutOfMemoryError("arranged at " + name(site));
  }

  private static boolean concerns(Thread thread) {
    return switch (side) {
      case SENDER -> thread == sender;
      case RUNTIME -> thread != sender && thread.getName().startsWith("turnwise-");
    };
  }

  public static int newSite(String name) {
    synchronized (NAMES) {
      NAMES.add(name);
      return NAMES.size() - 1;
    }
  }

  public static String name(int site) {
    if (site == RECORDING) return "nowhere";
    synchronized (NAMES) {
      return NAMES.get(site);
    }
  }

  /** From now on the next to pass this site gets no memory. The calling thread is the sender. */
  public static void arm(int site, Side which) {
    synchronized (LOCK) {
      sender = Thread.currentThread();
      side = which;
      struck = false;
      armed = site;
    }
  }

  /** The sender is done: what its thread does next, it does for the runtime. */
  public static void sent() {
    synchronized (LOCK) {
      sender = null;
    }
  }

  /** Ends it. Returns whether it struck. */
  public static boolean disarm() {
    synchronized (LOCK) {
      armed = OFF;
      boolean did = struck;
      struck = false;
      return did;
    }
  }

  /** The sites that were passed since this was last asked. */
  public static BitSet takeRecorded() {
    synchronized (LOCK) {
      BitSet taken = recorded;
      recorded = new BitSet();
      return taken;
    }
  }
}
