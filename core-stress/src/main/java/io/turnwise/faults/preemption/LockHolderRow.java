package io.turnwise.faults.preemption;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.Context;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Trial;
import io.turnwise.faults.trial.WovenRow;
import io.turnwise.scheduling.SchedulingConfig;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Handler;
import java.util.logging.LogRecord;

/**
 * F16: a handler is stopped while it holds a lock that others want, and loops keep all workers busy
 * meanwhile. Nobody waits for ever; how long they wait is printed, and judged at full size.
 */
public final class LockHolderRow extends WovenRow {
  private static final int HOGS_PER_WORKER = 4;
  private static final int WAITERS = 4;
  private static final long MOST_NANOS = 60_000_000_000L;

  /** With fewer of the waits that it is about it has not done its work, however short they were. */
  private static final int LEAST_WAITS = 2_000;

  /** Two quanta, for 99 of 100. */
  private static final double MOST_MILLIS = 2 * SchedulingConfig.DEFAULT.quantum().toNanos() / 1e6;

  /** A lock, of a user's or of the JDK's, with woven code inside. */
  private enum Kind {
    MONITOR {
      @Override
      Section make() {
        var monitor = new Object();
        return inside -> {
          synchronized (monitor) {
            inside.run();
          }
        };
      }
    },
    LOCK {
      @Override
      Section make() {
        var lock = new ReentrantLock();
        return inside -> {
          lock.lock();
          try {
            inside.run();
          } finally {
            lock.unlock();
          }
        };
      }
    },
    CLASS_LOADING {
      @Override
      Section make() {
        var loader = new SlowLoader();
        return loader::load;
      }
    },
    PRINTING {
      @Override
      Section make() {
        var sink = new SlowSink();
        return sink::print;
      }
    },
    LOGGING {
      @Override
      Section make() {
        var log = new SlowLog();
        return inside -> log.write(inside);
      }
    };

    abstract Section make();
  }

  /** Runs code inside a lock. */
  private interface Section {
    void enter(Runnable inside);
  }

  private static final class SlowLoader extends ClassLoader {
    private Runnable inside = () -> {};

    void load(Runnable next) {
      synchronized (getClassLoadingLock("slow.Missing")) {
        inside = next;
        try {
          loadClass("slow.Missing");
        } catch (ClassNotFoundException e) {
          // as expected: there is no such class
        }
      }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      inside.run();
      throw new ClassNotFoundException(name);
    }
  }

  /** A stream like the standard output: it writes under a lock of its own. */
  private static final class SlowSink extends OutputStream {
    private static final ThreadLocal<Runnable> INSIDE = ThreadLocal.withInitial(() -> () -> {});
    private final PrintStream out = new PrintStream(this, true);

    void print(Runnable inside) {
      INSIDE.set(inside);
      out.write(7);
    }

    @Override
    public void write(int b) {
      INSIDE.get().run();
    }

    @Override
    public void write(byte[] bytes, int from, int count) {
      INSIDE.get().run();
    }
  }

  private static final class SlowLog extends Handler {
    private static final ThreadLocal<Runnable> INSIDE = ThreadLocal.withInitial(() -> () -> {});

    void write(Runnable inside) {
      INSIDE.set(inside);
      publish(new LogRecord(java.util.logging.Level.INFO, "slow"));
    }

    @Override
    public synchronized void publish(LogRecord record) {
      INSIDE.get().run();
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @Override
  public String id() {
    return "F16";
  }

  @Override
  public String what() {
    return "stopped while holding a lock that others want";
  }

  @Override
  protected String runWoven(Trial trial) throws Exception {
    int each = (int) trial.sized(30, 10_000);
    for (int workers : trial.workerCounts())
      for (Kind kind : Kind.values()) contend(trial, workers, kind, each);
    return trial.full()
        ? LEAST_WAITS + " to " + each + " waits each"
        : "up to " + each + " acquisitions each";
  }

  private static void contend(Trial trial, int workers, Kind kind, int acquisitions)
      throws Exception {
    var system =
        ActorSystem.open(
            "holders",
            c ->
                c.withWorkers(workers)
                    .withCloseOnShutdown(false)
                    .withCloseDeadline(Duration.ofSeconds(30)));
    Section section = kind.make();
    var waits = new WaitBook(trial.full());
    try (system) {
      List<ActorRef<?>> all = new ArrayList<>();
      for (int i = 0; i < HOGS_PER_WORKER * workers; i++) {
        ActorRef<Loop> hog = system.spawn(() -> (loop, context) -> loop.run());
        hog.cast(Loop.EMPTY);
        all.add(hog);
      }
      List<ActorRef<ActorRef<String>>> waiters = new ArrayList<>();
      for (int i = 0; i < WAITERS; i++) waiters.add(system.spawn(() -> new Waiter(section, waits)));
      ActorRef<String> holder = system.spawn(() -> new Holder(section, waits, waiters));
      holder.cast("take");
      all.add(holder);
      all.addAll(waiters);
      waits.await(acquisitions, system);
      for (ActorRef<?> each : all) each.kill();
      var kills = new KillBook(system);
      for (ActorRef<?> each : all) kills.kill(each);
    }
    String figures = workers + " workers, " + kind + ": " + waits.figures();
    trial.say(figures);
    if (!trial.full()) return;
    if (waits.count() < LEAST_WAITS) throw new Broken("too few had to wait: " + figures);
    // On a machine of its own.
    if (waits.millis(0.99) > MOST_MILLIS) throw new Broken("the holder comes late: " + figures);
  }

  /**
   * Takes the lock for a while in which others come for it. They are light and it is not: it is
   * stopped for them, with the lock, and they wait for it. It takes the lock again when all of them
   * have had it: a monitor is not handed over, and who takes it again at once keeps everybody out.
   */
  private static final class Holder implements Actor<String> {
    private static final int ROUNDS = 2_000_000;
    private final Section section;
    private final WaitBook waits;
    private final List<ActorRef<ActorRef<String>>> waiters;
    private int served;

    Holder(Section section, WaitBook waits, List<ActorRef<ActorRef<String>>> waiters) {
      this.section = section;
      this.waits = waits;
      this.waiters = waiters;
    }

    @Override
    public void receive(String message, Context<String> context) {
      if (!message.equals("take") && ++served < waiters.size()) return;
      served = 0;
      section.enter(
          () -> {
            waits.held = true;
            for (var waiter : waiters) waiter.cast(context.self());
            Loop.sink = Work.spin(3, ROUNDS) & 1;
            waits.held = false;
          });
    }
  }

  /** Takes it once for each message, and tells who sent that. */
  private static final class Waiter implements Actor<ActorRef<String>> {
    private final Section section;
    private final WaitBook waits;

    Waiter(Section section, WaitBook waits) {
      this.section = section;
      this.waits = waits;
    }

    @Override
    public void receive(ActorRef<String> holder, Context<ActorRef<String>> context) {
      boolean found = waits.held;
      long began = System.nanoTime();
      section.enter(() -> waits.add(System.nanoTime() - began, found));
      holder.cast("had it");
    }
  }

  /** How long those waited who came while the holder had the lock. The others need not wait. */
  private static final class WaitBook {
    private final boolean countsWaits;
    private final AtomicLong acquired = new AtomicLong();
    private final AtomicLong count = new AtomicLong();
    private final List<Long> nanos = new ArrayList<>();
    private volatile boolean held;

    /**
     * @param countsWaits whether an acquisition counts only if it had to wait
     */
    WaitBook(boolean countsWaits) {
      this.countsWaits = countsWaits;
    }

    synchronized void add(long waited, boolean found) {
      acquired.incrementAndGet();
      if (found) nanos.add(waited);
      if (found || !countsWaits) count.incrementAndGet();
    }

    /** Until there were so many, or for long enough; who does not get on at all is a hang. */
    void await(int acquisitions, ActorSystem system) {
      long began = System.nanoTime();
      long seen = 0;
      long seenAt = began;
      while (count.get() < acquisitions && System.nanoTime() - began < MOST_NANOS) {
        if (acquired.get() > seen) {
          seen = acquired.get();
          seenAt = System.nanoTime();
        }
        if (System.nanoTime() - seenAt > (countsWaits ? 5_000_000_000L : 50_000_000_000L))
          throw new Broken("nobody gets the lock any more:\n" + system.dump());
        LockSupport.parkNanos(1_000_000);
      }
    }

    long count() {
      return count.get();
    }

    /** Part of them waited less than this. */
    synchronized double millis(double part) {
      long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
      if (sorted.length == 0) return Double.NaN;
      return sorted[(int) Math.min(sorted.length - 1, (long) (sorted.length * part))] / 1e6;
    }

    synchronized String figures() {
      return String.format(
          Locale.ROOT,
          "%d acquisitions, of which %d found it held and waited p50 %.2f, p99 %.1f, at most %.1f"
              + " ms",
          acquired.get(),
          nanos.size(),
          millis(0.5),
          millis(0.99),
          millis(1));
    }
  }
}
