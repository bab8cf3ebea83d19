package io.turnwise.faults.load;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.ChildJvm;
import io.turnwise.faults.trial.Deadlines;
import io.turnwise.faults.trial.QuietLog;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Traffic;
import io.turnwise.faults.trial.Trial;
import io.turnwise.observation.DeadLetterReason;
import io.turnwise.observation.MailboxGrowth;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * F25: messages for an actor that does not get on, until they fill three quarters of the heap. The
 * rest of the system is alive; once that actor has stopped, its messages are counted dead letters
 * and the memory is back. Before half of the heap is in use, an event has told of the growth.
 */
public final class UnboundedFloodRow implements Row {
  private static final double FULL = 0.75;
  private static final double WARNED = 0.45;
  private static final long BACK_TO = 8L << 20;
  private static final int PAYLOAD = 256;
  private static final int BATCH = 2_000;

  @Override
  public String id() {
    return "F25";
  }

  @Override
  public String what() {
    return "unbounded mailbox, until the heap is full";
  }

  @Override
  public String run(Trial trial) throws Exception {
    String heap = trial.full() ? "-Xmx1g" : "-Xmx64m";
    int rounds = (int) trial.sized(1, 10);
    for (int workers : trial.workerCounts()) {
      ChildJvm.Ended ended =
          ChildJvm.run(
              UnboundedFloodRow.class,
              List.of(heap, "-XX:+UseSerialGC"),
              List.of("" + workers, "" + rounds),
              trial.full() ? 1800 : 300);
      ended.output().lines().filter(l -> l.startsWith("flood ")).forEach(trial::say);
      ended.mustEndWith(0, "F25");
    }
    return rounds + " floods, " + heap;
  }

  /** The child. */
  public static void main(String[] arguments) {
    QuietLog.install();
    int workers = Integer.parseInt(arguments[0]);
    int rounds = Integer.parseInt(arguments[1]);
    try {
      for (int i = 0; i < rounds; i++) System.out.println("flood " + flood(workers));
    } catch (Throwable e) {
      e.printStackTrace(System.out);
      System.exit(1);
    }
    System.exit(0);
  }

  private static String flood(int workers) throws Exception {
    var books = new Books();
    var release = new CountDownLatch(1);
    var held = new CountDownLatch(1);
    long heap = Runtime.getRuntime().maxMemory();
    long flooded;
    long after;
    long idle;
    ActorSystem system =
        ActorSystem.open(
            "flooded", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(120)));
    try (system) {
      idle = liveHeap();
      ActorRef<byte[]> slow =
          system.spawn(
              () ->
                  (message, context) -> {
                    held.countDown();
                    release.await();
                    books.handled.increment();
                  });
      var warned = new CompletableFuture<MailboxGrowth>();
      system.onMailboxGrowth(warned::complete);
      flooded = fill(slow, books, heap, warned);
      if (!held.await(120, TimeUnit.SECONDS)) throw new Broken("it was never run");
      // With the heap that full, others live as before.
      new Traffic(system, books, 2, 10_000).awaitDone(120);
      Deadlines.check(system);
      books.offered.increment(); // the question that nobody answered
      books.handled.increment();
      slow.stop();
      release.countDown();
      books.awaitQuiet(system, 120);
      after = liveHeap();
    }
    books.check(system.snapshot(), 0);
    long left = system.snapshot().deadLetters().getOrDefault(DeadLetterReason.LEFT_BEHIND, 0L);
    if (left != flooded - 1) throw new Broken(left + " were left behind of " + flooded);
    if (after > idle + BACK_TO)
      throw new Broken("after the stop " + after + " bytes live, " + idle + " before the flood");
    return flooded
        + " messages on "
        + workers
        + " workers; live heap "
        + (idle >> 20)
        + " MiB idle, "
        + (heap >> 20)
        + " MiB full to 75 %, "
        + (after >> 20)
        + " MiB afterwards";
  }

  /** Returns how many it took. */
  private static long fill(
      ActorRef<byte[]> slow, Books books, long heap, CompletableFuture<MailboxGrowth> warned)
      throws Exception {
    long sent = 0;
    long wanted = (long) (heap * FULL);
    while (liveHeap() < heap * WARNED)
      for (int i = 0; i < BATCH; i++, sent++) {
        books.offered.increment();
        slow.cast(new byte[PAYLOAD]);
      }
    MailboxGrowth growth = warned.get(60, TimeUnit.SECONDS); // no more is sent until it comes
    if (!growth.path().equals(slow.path()) || growth.heapUsed() >= 0.5)
      throw new Broken("not the warning that was to come: " + growth);
    for (long live = 0; live < wanted; live = usedHeap() < wanted ? 0 : liveHeap())
      for (int i = 0; i < BATCH; i++, sent++) {
        books.offered.increment();
        slow.cast(new byte[PAYLOAD]);
      }
    return sent;
  }

  private static long usedHeap() {
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  private static long liveHeap() {
    System.gc();
    return usedHeap();
  }
}
