package io.turnwise.faults.error;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.Call;
import io.turnwise.CalleeFailedException;
import io.turnwise.Context;
import io.turnwise.Signal;
import io.turnwise.StopReason;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.RuntimeLog;
import io.turnwise.faults.trial.Traffic;
import io.turnwise.faults.trial.Trial;
import io.turnwise.observation.DeadLetterReason;
import io.turnwise.observation.SystemSnapshot;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * F12: every kind of {@link Throwable}, thrown in every place where strangers' code runs. What each
 * place does with it is written at {@link Place}, and checked by the runtime's counters; to report
 * it never fails, however broken the throwable is.
 */
public final class ThrowableRow implements Row {
  /** Where it is thrown, and what must come of it. */
  private enum Place {
    /** The actor never lived: it crashed, no teardown. Parent and watchers are told the cause. */
    FACTORY(1, 0, 0, false),
    /** As in the factory. */
    INIT(1, 0, 0, false),
    /** The message failed, the actor crashed, teardown runs. Parent and watchers are told. */
    HANDLER(1, 1, 0, true),
    /** As in a handler; the caller gets it as the cause of a {@link CalleeFailedException}. */
    CALL(1, 1, 0, true),
    /** As in a handler, except that a signal is no message. */
    SIGNAL(1, 0, 0, true),
    /** An orderly end becomes a crash. */
    TEARDOWN(1, 0, 0, true),
    /** A dead letter's listener: counted; the letter is counted as well, the next one is shown. */
    LISTENER(0, 0, 2, true),
    /** The log: the line goes to the standard error stream instead. */
    LOGGER(1, 1, 0, true);

    final long crashes;
    final long failed;
    final long listenerFailures;
    final boolean tornDown;

    Place(long crashes, long failed, long listenerFailures, boolean tornDown) {
      this.crashes = crashes;
      this.failed = failed;
      this.listenerFailures = listenerFailures;
      this.tornDown = tornDown;
    }
  }

  @Override
  public String id() {
    return "F12";
  }

  @Override
  public String what() {
    return "every Throwable, in every place";
  }

  @Override
  public String run(Trial trial) throws Exception {
    long rounds = trial.sized(1, 100);
    for (int workers : trial.workerCounts())
      for (long round = 0; round < rounds; round++)
        for (OddThrowable odd : OddThrowable.values())
          for (Place place : Place.values()) {
            try {
              new Scene(workers, odd.make(), place).play();
            } catch (Broken e) {
              throw new Broken(odd + " in " + place + ": " + e.getMessage());
            }
          }
    return OddThrowable.values().length
        + " throwables in "
        + Place.values().length
        + " places, x "
        + rounds;
  }

  /** One throwable in one place, in a system of its own. */
  private static final class Scene {
    private final int workers;
    private final Throwable thrown;
    private final Place place;
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private final AtomicInteger tornDown = new AtomicInteger();
    private final CompletableFuture<ActorRef<Object>> child = new CompletableFuture<>();
    private final CompletableFuture<Throwable> parentTold = new CompletableFuture<>();
    private final CompletableFuture<StopReason> watcherTold = new CompletableFuture<>();

    Scene(int workers, Throwable thrown, Place place) {
      this.workers = workers;
      this.thrown = thrown;
      this.place = place;
    }

    void play() throws Exception {
      ActorSystem system =
          ActorSystem.open(
              "throwables", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(120)));
      PrintStream before = System.err;
      // The log is read by somebody who prints each throwable as loggers do, or who throws it.
      try (var _ = new RuntimeLog(line -> read(line.getThrown()))) {
        System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
        try (system) {
          live(system);
        }
      } finally {
        System.setErr(before);
      }
      SystemSnapshot end = system.snapshot();
      expect("crashes", place.crashes, end.crashes());
      expect("failed messages", place.failed, end.messagesFailed());
      expect("listener failures", place.listenerFailures, end.listenerFailures());
      expect("workers replaced", 0, end.workersReplaced());
      expect("teardowns", place.tornDown ? 1 : 0, tornDown.get());
    }

    private void read(@Nullable Throwable cause) {
      if (place == Place.LOGGER) throw sneaky(thrown);
      if (cause != null) cause.printStackTrace(new PrintStream(new ByteArrayOutputStream()));
    }

    private void live(ActorSystem system) throws Exception {
      ActorRef<Object> bait = system.spawn(() -> (message, context) -> {});
      ActorRef<Object> parent = system.spawn(() -> new Parent(bait));
      parent.cast("go");
      ActorRef<Object> victim = get(child);
      StopReason reason = get(watcherTold);
      if (place.crashes == 1 && place != Place.LOGGER) {
        if (!(reason instanceof StopReason.Crashed(Throwable cause)) || cause != thrown)
          throw new Broken("watchers were told " + reason.getClass());
        if (get(parentTold) != thrown) throw new Broken("the parent was told of something else");
      }
      checkLetters(system, victim);
      if (place == Place.LOGGER)
        await(
            () -> said.toString(StandardCharsets.UTF_8).contains("could not log"),
            "nothing was said instead of the log");
      var books = new Books();
      new Traffic(system, books, 1, 10).awaitDone(120);
      books.checkViolations();
    }

    /** What is sent to it now is a counted dead letter, whoever is shown it. */
    private void checkLetters(ActorSystem system, ActorRef<Object> victim) {
      if (place == Place.LISTENER) {
        system.onDeadLetter(
            _ -> {
              throw sneaky(thrown);
            });
      }
      long letters =
          system.snapshot().deadLetters().getOrDefault(DeadLetterReason.RECIPIENT_STOPPED, 0L);
      victim.cast("too late");
      victim.cast("too late");
      long now =
          system.snapshot().deadLetters().getOrDefault(DeadLetterReason.RECIPIENT_STOPPED, 0L);
      expect("dead letters", 2, now - letters);
      await(
          () -> system.snapshot().listenerFailures() == place.listenerFailures,
          "the listener's failures are not counted");
    }

    /** Starts the victim, and does to it what lets it throw. */
    private final class Parent implements Actor<Object> {
      private final ActorRef<Object> bait;

      Parent(ActorRef<Object> bait) {
        this.bait = bait;
      }

      @Override
      public void receive(Object message, Context<Object> context) {
        ActorRef<Object> victim = context.spawn(() -> new Victim(bait));
        context.watch(victim);
        child.complete(victim);
        switch (place) {
          case FACTORY, INIT -> {
            // It needs no help.
          }
          case HANDLER, LOGGER -> victim.cast("go");
          case CALL -> call(victim);
          case SIGNAL -> bait.stop();
          case TEARDOWN, LISTENER -> victim.stop();
        }
      }

      private void call(ActorRef<Object> victim) {
        try {
          victim.call(new Request());
          throw new Broken("who answered?");
        } catch (CalleeFailedException e) {
          if (e.getCause() != thrown) parentTold.completeExceptionally(e);
        }
      }

      @Override
      public void info(Signal signal, Context<Object> context) {
        switch (signal) {
          case Signal.ChildCrashed(_, StopReason reason) -> {
            if (reason instanceof StopReason.Crashed(Throwable cause)) parentTold.complete(cause);
          }
          case Signal.Terminated(_, StopReason reason) -> watcherTold.complete(reason);
        }
      }
    }

    private final class Victim implements Actor<Object> {
      private final ActorRef<Object> bait;

      Victim(ActorRef<Object> bait) {
        this.bait = bait;
        if (place == Place.FACTORY) throw sneaky(thrown);
      }

      @Override
      public void init(Context<Object> context) {
        if (place == Place.INIT) throw sneaky(thrown);
        if (place == Place.SIGNAL) context.watch(bait);
      }

      @Override
      public void receive(Object message, Context<Object> context) {
        throw sneaky(thrown);
      }

      @Override
      public void info(Signal signal, Context<Object> context) {
        throw sneaky(thrown);
      }

      @Override
      public void teardown(StopReason reason, Context<Object> context) {
        tornDown.incrementAndGet();
        if (place == Place.TEARDOWN) throw sneaky(thrown);
      }
    }
  }

  private record Request() implements Call<Object, String> {}

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    try {
      return future.get(120, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new Broken("somebody was not told");
    }
  }

  private static void await(BooleanSupplier condition, String problem) {
    long deadline = System.nanoTime() + 120_000_000_000L;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) throw new Broken(problem);
      LockSupport.parkNanos(100_000);
    }
  }

  private static void expect(String what, long expected, long found) {
    if (expected != found) throw new Broken(what + ": " + found + " instead of " + expected);
  }

  /** Throws what the compiler would not let through. */
  @SuppressWarnings("unchecked")
  private static <T extends Throwable> RuntimeException sneaky(Throwable thrown) throws T {
    throw (T) thrown;
  }
}
