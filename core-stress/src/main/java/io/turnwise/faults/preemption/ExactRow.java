package io.turnwise.faults.preemption;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.Call;
import io.turnwise.Context;
import io.turnwise.KillReport;
import io.turnwise.KillReport.Force;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Trial;
import io.turnwise.faults.trial.WovenRow;
import io.turnwise.observation.SystemSnapshot;
import io.turnwise.scheduling.TimeoutAction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Handlers compute what is known beforehand, while polls stop them whether anybody asked or not,
 * and timeouts and kills end some of them wherever they happen to be. Every result is exact, every
 * {@code finally} has run, no lock is left taken, every message has one fate, and nobody was ended
 * who was not to be.
 */
public final class ExactRow extends WovenRow {
  private static final int NUMBERS = 97;
  private static final int ACTORS = 24;
  private static final int IN_FLIGHT = 60;
  private static final int MOST_MESSAGES = 5_000_000;

  private static final int UNSEEN = 0;
  private static final int BEGUN = 1;
  private static final int DONE = 2;
  private static final int ENDED = 3;

  @Override
  public String id() {
    return "preemption";
  }

  @Override
  public String what() {
    return "stopped and ended at random polls";
  }

  @Override
  protected List<List<String>> jvms(Trial trial) {
    var all = new ArrayList<List<String>>();
    for (String share : trial.full() ? List.of("1", "0.2", "0.02") : List.of("1", "0.2"))
      all.add(everyPoll(share, trial.seed()));
    return all;
  }

  @Override
  protected String runWoven(Trial trial) throws Exception {
    long each = trial.sized(30_000, 2_000_000);
    long[][] known = known();
    for (int workers : trial.workerCounts()) new Run(trial, workers, each, known).run();
    return "at least " + each + " preemptions each";
  }

  private static long[][] known() throws Exception {
    var alone =
        new Scene(new Books()) {
          @Override
          long ask(int n) {
            return answer(n);
          }
        };
    var known = new long[Work.values().length][NUMBERS];
    for (Work work : Work.values())
      for (int n = 0; n < NUMBERS; n++) known[work.ordinal()][n] = work.run(n, alone);
    return known;
  }

  private record Job(int id, Work work, int n, long sentAt) {}

  private record Ask(int n) implements Call<Ask, Long> {}

  /** One system, until it has been stopped often enough. */
  private static final class Run {
    private final Trial trial;
    private final int workers;
    private final long preemptions;
    private final long[][] known;
    private final SplittableRandom random;
    private final Books books = new Books();
    private final AtomicIntegerArray fates = new AtomicIntegerArray(MOST_MESSAGES);
    private final ActorSystem system;
    private final Scene scene;
    private final Computer[] computers = new Computer[ACTORS];
    private final List<CompletableFuture<KillReport>> kills = new ArrayList<>();
    private final LongAdder done = new LongAdder();
    private final LongAdder ended = new LongAdder();
    private final LongAdder answered = new LongAdder();
    private int sent;

    Run(Trial trial, int workers, long preemptions, long[][] known) {
      this.trial = trial;
      this.workers = workers;
      this.preemptions = preemptions;
      this.known = known;
      this.random = trial.random();
      this.system =
          ActorSystem.open(
              "exact",
              c ->
                  c.withWorkers(workers)
                      .withCallTimeout(Duration.ofMinutes(5))
                      .withCloseDeadline(Duration.ofMinutes(2)));
      ActorRef<Ask> servant =
          system.spawn(
              "servant",
              () ->
                  (ask, context) -> {
                    context.reply(ask, Scene.answer(ask.n));
                    answered.increment();
                  });
      this.scene =
          new Scene(books) {
            @Override
            long ask(int n) {
              return servant.call(new Ask(n));
            }
          };
    }

    void run() throws Exception {
      long began = System.nanoTime();
      try (system) {
        for (int i = 0; i < ACTORS; i++) computers[i] = new Computer(i);
        while (system.snapshot().preemptions() < preemptions) {
          if (sent > MOST_MESSAGES - 20)
            throw new Broken("too few preemptions: " + system.snapshot());
          for (int i = 0; i < 8; i++) send(random.nextInt(ACTORS));
          kill();
          awaitRoom(IN_FLIGHT);
        }
        awaitRoom(0);
        for (var kill : kills) kill.get(120, TimeUnit.SECONDS);
        check();
      }
      say(began);
    }

    private void send(int i) {
      Work work = Work.values()[random.nextInt(Work.values().length)];
      if (computers[i].gone) computers[i] = new Computer(i); // left its handler behind
      computers[i].ref.cast(new Job(sent++, work, random.nextInt(NUMBERS), System.nanoTime()));
    }

    /** A quarter of them may be killed; each is replaced. */
    private void kill() {
      int i = random.nextInt(ACTORS / 4) * 4;
      Computer old = computers[i];
      old.mayBeKilled = true;
      kills.add(old.ref.kill().toCompletableFuture());
      computers[i] = new Computer(i);
      for (int j = 0; j < 3; j++) send(i);
    }

    private long underWay() {
      long asked = answered.sum(); // first: each of them is counted as handled right after
      SystemSnapshot now = system.snapshot();
      return sent + asked - now.messagesHandled() - now.messagesFailed() - now.deadLettersTotal();
    }

    private void awaitRoom(int most) {
      long since = System.nanoTime();
      while (underWay() > most) {
        if (System.nanoTime() - since > 120_000_000_000L)
          throw new Broken("messages are stranded: " + counts() + "\n" + system.dump());
        LockSupport.parkNanos(200_000);
      }
    }

    private String counts() {
      return sent
          + " sent, "
          + done
          + " done, "
          + ended
          + " ended, "
          + answered
          + " asked: "
          + system.snapshot();
    }

    /**
     * A handler may be ended before it has noted its message: in the method that the compiler puts
     * before it. Then the runtime knows it failed, and nobody has seen it.
     */
    private void check() throws Exception {
      SystemSnapshot last = system.snapshot();
      scene.check(last.handlersAbandoned());
      var seen = new long[4];
      for (int i = 0; i < sent; i++) seen[fates.get(i)]++;
      long unseen = seen[UNSEEN] - last.deadLettersTotal();
      if (unseen < 0) books.violation("messages were dead letters and handled");
      long abandoned = last.handlersAbandoned();
      long handled = last.messagesHandled() - answered.sum();
      // Those left behind have failed for the runtime, whatever became of them later.
      if (handled > seen[DONE] || handled < seen[DONE] - abandoned)
        books.violation("handled for the runtime, " + handled);
      if (handled + last.messagesFailed() != seen[DONE] + seen[ENDED] + seen[BEGUN] + unseen)
        books.violation("failed for the runtime, " + last.messagesFailed());
      if (unseen + seen[BEGUN] > sent / 100 + abandoned)
        books.violation(unseen + " were not seen, " + seen[BEGUN] + " begun and not ended");
      try {
        books.checkViolations();
      } catch (Broken broken) {
        throw new Broken(broken.getMessage() + "; " + counts());
      }
    }

    private void say(long began) throws Exception {
      Map<Force, Integer> forces = new EnumMap<>(Force.class);
      for (var kill : kills) forces.merge(kill.get().force(), 1, Integer::sum);
      SystemSnapshot last = system.snapshot();
      trial.say(
          String.format(
              Locale.ROOT,
              "every poll %s, %d workers: %d preemptions, %d messages, %d cancelled by timeout or"
                  + " kill, kills %s, %d dead letters, %d abandoned, %d resources left open, %.1f s",
              System.getProperty("turnwise.everyPoll"),
              workers,
              last.preemptions(),
              sent,
              ended.sum(),
              forces,
              last.deadLettersTotal(),
              last.handlersAbandoned(),
              scene.unclosed(),
              (System.nanoTime() - began) / 1e9));
    }

    /** A third of them has a timeout, a quarter may be killed, the rest is never to be ended. */
    private final class Computer implements Actor<Job> {
      private final ActorRef<Job> ref;
      private final long limitNanos;
      private volatile boolean mayBeKilled;
      private volatile boolean gone;

      /**
       * Its next message cannot begin before; where in its code it does, no clock of ours knows.
       */
      private long lastEnd = System.nanoTime();

      Computer(int number) {
        limitNanos = number % 4 != 0 && number % 3 == 0 ? limit() : 0;
        ActorSpec<Job> spec = ActorSpec.of(() -> this);
        if (limitNanos > 0)
          spec = spec.withHandlerTimeout(Duration.ofNanos(limitNanos), TimeoutAction.CANCEL);
        ref = system.spawn(spec);
        var _ = ref.whenStopped().thenRun(() -> gone = true);
      }

      /** From one to a hundred milliseconds, as often short as long. */
      private long limit() {
        return (long) (1e6 * Math.pow(100, random.nextDouble()));
      }

      /**
       * What must not be missed is noted through the JDK's own classes, where no poll comes
       * between.
       */
      @Override
      public void receive(Job job, Context<Job> context) throws Exception {
        if (!mayBeKilled && Thread.currentThread().isInterrupted())
          books.violation("an interrupt has hit the next message");
        if (!fates.compareAndSet(job.id, UNSEEN, BEGUN))
          books.violation("message " + job.id + " came twice");
        try {
          long result = job.work.run(job.n, scene);
          if (result != known[job.work.ordinal()][job.n])
            books.violation(job.work + "(" + job.n + ") was " + result);
          fates.set(job.id, DONE);
          done.increment();
        } catch (Throwable end) {
          fates.set(job.id, ENDED);
          ended.increment();
          long took = System.nanoTime() - Math.max(job.sentAt, lastEnd);
          boolean late = limitNanos > 0 && took >= limitNanos;
          if (!late && !mayBeKilled)
            books.violation(job.work + " was ended after " + took + " ns by " + end);
          throw end;
        } finally {
          lastEnd = System.nanoTime();
        }
      }
    }
  }
}
