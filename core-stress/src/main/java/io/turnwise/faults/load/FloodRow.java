package io.turnwise.faults.load;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.Context;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.ChildJvm;
import io.turnwise.faults.trial.Numbered;
import io.turnwise.faults.trial.QuietLog;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Streams;
import io.turnwise.faults.trial.Trial;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.MailboxFullException;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.observation.DeadLetterReason;
import io.turnwise.observation.SystemSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BooleanSupplier;

/**
 * F24: a slow consumer with a bounded mailbox under a flood, with each policy, in a JVM of 256 MiB.
 * The heap stays within 64 MiB of the idle one, the books balance for each policy, and senders that
 * wait get on evenly: the slowest at least half of the average.
 */
public final class FloodRow implements Row {
  private static final int CAPACITY = 10_000;
  private static final int SENDERS = 8;
  private static final long HEAP_ALLOWED = 64L << 20;
  private static final int BURST = 100;
  private static final int SLOWNESS = 20;

  @Override
  public String id() {
    return "F24";
  }

  @Override
  public String what() {
    return "slow consumer, bounded mailbox, each policy";
  }

  @Override
  public String run(Trial trial) throws Exception {
    int seconds = trial.full() ? 3600 : 300;
    ChildJvm.Ended ended =
        ChildJvm.run(FloodRow.class, List.of("-Xmx256m"), trial.asArguments(), seconds);
    ended.output().lines().filter(l -> l.startsWith("flood ")).forEach(trial::say);
    ended.mustEndWith(0, "F24");
    return trial.sized(200_000, 25_000_000) + " x 4 policies, 256 MiB";
  }

  /** The child. */
  public static void main(String[] arguments) throws Exception {
    QuietLog.install();
    Trial trial = Trial.of(arguments);
    for (int workers : trial.workerCounts())
      for (OverflowPolicy policy : OverflowPolicy.values()) {
        long messages = trial.sized(200_000, 25_000_000);
        System.out.println("flood " + new Flood(policy, workers, messages).run());
      }
    System.exit(0);
  }

  /** One flood. */
  private static final class Flood {
    private final OverflowPolicy policy;
    private final int workers;
    private final long messages;
    private final Books books = new Books();
    private final AtomicLong left;
    private final AtomicLongArray perSender = new AtomicLongArray(SENDERS * 16);
    private final CountDownLatch senders = new CountDownLatch(SENDERS);
    private long heapAbove;

    Flood(OverflowPolicy policy, int workers, long messages) {
      this.policy = policy;
      this.workers = workers;
      this.messages = messages;
      this.left = new AtomicLong(messages);
    }

    String run() throws InterruptedException {
      ActorSystem system =
          ActorSystem.open(
              "flood", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(30)));
      try (system) {
        flood(system);
      }
      SystemSnapshot end = system.snapshot();
      check(end);
      return policy
          + ", "
          + workers
          + " workers: "
          + books
          + ", heap +"
          + (heapAbove >> 20)
          + " MiB, slowest sender "
          + Math.round(slowest() * 100)
          + " % of average";
    }

    private void flood(ActorSystem system) throws InterruptedException {
      long idle = usedHeap();
      ActorRef<Numbered> consumer =
          system.spawn(
              ActorSpec.<Numbered>of(
                      () -> new Consumer(books, policy, () -> isPressed(system.snapshot())))
                  .withMailbox(MailboxConfig.bounded(CAPACITY, policy)));
      for (int i = 0; i < SENDERS; i++) {
        int id = i;
        system.spawn(() -> new Flooder(this, id, consumer)).cast("go");
      }
      while (!senders.await(200, TimeUnit.MILLISECONDS))
        heapAbove = Math.max(heapAbove, usedHeap() - idle);
      heapAbove = Math.max(heapAbove, usedHeap() - idle);
      books.awaitQuiet(system, 120);
    }

    /** Whether there was more than the mailbox takes, or there will not be. */
    private boolean isPressed(SystemSnapshot now) {
      return switch (policy) {
        case WAIT -> true;
        case FAIL -> books.refused.sum() > 0 || senders.getCount() == 0;
        case DROP_NEWEST, DROP_OLDEST -> now.deadLettersTotal() > 0 || senders.getCount() == 0;
      };
    }

    private void check(SystemSnapshot end) {
      books.check(end, 0);
      DeadLetterReason expected =
          switch (policy) {
            case DROP_NEWEST -> DeadLetterReason.DROPPED_NEWEST;
            case DROP_OLDEST -> DeadLetterReason.DROPPED_OLDEST;
            case WAIT, FAIL -> null;
          };
      end.deadLetters()
          .forEach(
              (reason, count) -> {
                if (reason != expected && count > 0)
                  throw new Broken(policy + ": " + count + " dead letters " + reason);
              });
      boolean pressed =
          switch (policy) {
            case WAIT -> true;
            case FAIL -> books.refused.sum() > 0;
            case DROP_NEWEST, DROP_OLDEST -> end.deadLettersTotal() > 0;
          };
      if (!pressed) throw new Broken(policy + ": the consumer was not slow enough");
      if (heapAbove > HEAP_ALLOWED)
        throw new Broken(policy + ": the heap grew by " + (heapAbove >> 20) + " MiB");
      if (policy == OverflowPolicy.WAIT && slowest() < 0.5)
        throw new Broken("a sender had " + slowest() + " of the average: " + perSender);
    }

    private double slowest() {
      long least = Long.MAX_VALUE;
      for (int i = 0; i < SENDERS; i++) least = Math.min(least, perSender.get(i * 16));
      return least * (double) SENDERS / Math.max(1, messages);
    }

    private static long usedHeap() {
      System.gc();
      Runtime runtime = Runtime.getRuntime();
      return runtime.totalMemory() - runtime.freeMemory();
    }
  }

  /** Sends in bursts, and a message to itself after each, until the flood is over. */
  private static final class Flooder implements Actor<String> {
    private final Flood flood;
    private final int id;
    private final ActorRef<Numbered> consumer;
    private long number;

    Flooder(Flood flood, int id, ActorRef<Numbered> consumer) {
      this.flood = flood;
      this.id = id;
      this.consumer = consumer;
    }

    @Override
    public void receive(String go, Context<String> context) {
      flood.books.offered.increment(); // the message in hand
      flood.books.handled.increment();
      for (int i = 0; i < BURST; i++) {
        if (flood.left.decrementAndGet() < 0) {
          flood.senders.countDown();
          return;
        }
        flood.books.offered.increment();
        try {
          consumer.cast(new Numbered(id, number++));
          flood.perSender.getAndIncrement(id * 16);
        } catch (MailboxFullException e) {
          flood.books.refused.increment();
        }
      }
      context.self().cast(go);
    }
  }

  private static final class Consumer implements Actor<Numbered> {
    private final Books books;
    private final Streams streams;
    private final BooleanSupplier pressed;
    private long handled;

    Consumer(Books books, OverflowPolicy policy, BooleanSupplier pressed) {
      this.books = books;
      this.pressed = pressed;
      this.streams = new Streams(books, SENDERS, policy != OverflowPolicy.WAIT);
    }

    @Override
    public void receive(Numbered message, Context<Numbered> context) {
      streams.see(message);
      // However slow the senders are on this machine: the first one takes until it is full.
      while (handled == 0 && !pressed.getAsBoolean())
        java.util.concurrent.locks.LockSupport.parkNanos(100_000);
      for (int i = 0; i < SLOWNESS; i++) Thread.onSpinWait();
      if (++handled % 5_000 == 0) java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
      books.handled.increment();
    }
  }
}
