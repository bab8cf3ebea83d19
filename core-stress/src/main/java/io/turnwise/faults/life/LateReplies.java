package io.turnwise.faults.life;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.Call;
import io.turnwise.CallOutcome;
import io.turnwise.CallTimeoutException;
import io.turnwise.Context;
import io.turnwise.Reply;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Broken;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Callers whose timeouts are about as long as their callees take. Each question has a number, and
 * its answer carries the same. Every call ends once, with its own answer or with a timeout, and as
 * many answers arrive as callees were told that they were in time.
 */
public final class LateReplies {
  private static final int IN_FLIGHT = 4;

  private record Ask(long number) implements Call<Object, Long> {}

  /** How a call of the caller's ended. */
  private record Ended(long number, @Nullable Long answer, @Nullable Throwable failure) {}

  private static final String NEXT = "next";

  private final Books books = new Books();
  private final LongAdder inTime = new LongAdder();
  private final LongAdder answered = new LongAdder();
  private final LongAdder timedOut = new LongAdder();
  private final LongAdder callersDone = new LongAdder();
  private final long momentNanos;
  private final int callers;

  /**
   * @param momentNanos timeouts and delays are some of these
   */
  public LateReplies(long momentNanos, int callers) {
    this.momentNanos = momentNanos;
    this.callers = callers;
  }

  /** Begins; each caller makes so many calls. */
  public void begin(ActorSystem system, SplittableRandom random, long calls) {
    List<ActorRef<Object>> callees = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      SplittableRandom own = random.split();
      callees.add(system.spawn(() -> new Callee(own)));
    }
    for (int i = 0; i < callers; i++) {
      SplittableRandom own = random.split();
      long first = i * calls;
      system.spawn(() -> new Caller(callees, own, first, first + calls)).cast(NEXT);
    }
  }

  public boolean isDone() {
    return callersDone.sum() == callers;
  }

  /** Once it is done. Returns what became of the calls. */
  public String check() {
    books.checkViolations();
    if (inTime.sum() != answered.sum())
      throw new Broken(
          inTime + " answers were in time for those who gave them, and " + answered + " arrived");
    return answered + " answered, " + timedOut + " timed out";
  }

  private final class Callee implements Actor<Object> {
    private final SplittableRandom random;
    private final List<Ask> keptAsks = new ArrayList<>();
    private final List<Reply<Long>> kept = new ArrayList<>();

    Callee(SplittableRandom random) {
      this.random = random;
    }

    @Override
    public void receive(Object message, Context<Object> context) {
      if (!(message instanceof Ask ask)) return;
      Reply<Long> reply = context.defer(ask);
      switch (random.nextInt(6)) {
        case 0, 1 -> give(reply, ask);
        case 2 -> {
          give(reply, ask);
          if (reply.send(-ask.number() - 1)) books.violation("a second answer was in time");
        }
        case 3 -> {
          long pause = random.nextInt(4) * momentNanos;
          Thread.startVirtualThread(
              () -> {
                LockSupport.parkNanos(pause);
                give(reply, ask);
              });
        }
        default -> { // later, or never
          keptAsks.add(ask);
          kept.add(reply);
        }
      }
      if (kept.size() > 2 * IN_FLIGHT) {
        int one = random.nextInt(kept.size());
        give(kept.remove(one), keptAsks.remove(one));
      }
    }

    private void give(Reply<Long> reply, Ask ask) {
      if (reply.send(ask.number())) inTime.increment();
    }
  }

  private final class Caller implements Actor<Object> {
    private final List<ActorRef<Object>> callees;
    private final SplittableRandom random;
    private final Set<Long> open = new HashSet<>();
    private final long last;
    private long next;

    Caller(List<ActorRef<Object>> callees, SplittableRandom random, long first, long last) {
      this.callees = callees;
      this.random = random;
      this.next = first;
      this.last = last;
    }

    @Override
    public void receive(Object message, Context<Object> context) {
      if (message instanceof Ended ended) ends(ended);
      while (open.size() < IN_FLIGHT && next < last) ask(next++, context);
      if (open.isEmpty() && next == last) {
        next++;
        callersDone.increment();
      }
    }

    private void ask(long number, Context<Object> context) {
      open.add(number);
      var ask = new Ask(number);
      ActorRef<Object> callee = callees.get(random.nextInt(callees.size()));
      Duration timeout = Duration.ofNanos((1 + random.nextInt(4)) * momentNanos);
      ActorRef<Object> self = context.self();
      switch (random.nextInt(3)) {
        case 0 ->
            context.callToSelf(
                callee,
                ask,
                timeout,
                outcome ->
                    switch (outcome) {
                      case CallOutcome.Answered<Long>(Long value) -> new Ended(number, value, null);
                      case CallOutcome.Failed<Long>(Throwable cause) ->
                          new Ended(number, null, cause);
                    });
        case 1 ->
            callee
                .callAsync(ask, timeout)
                .whenComplete((value, cause) -> self.cast(new Ended(number, value, cause)));
        default -> {
          try {
            ends(new Ended(number, callee.call(ask, timeout), null));
          } catch (RuntimeException none) {
            ends(new Ended(number, null, none));
          }
        }
      }
    }

    private void ends(Ended ended) {
      if (!open.remove(ended.number())) books.violation("ended twice: " + ended);
      Throwable failure = ended.failure();
      if (failure == null) answered.increment();
      else timedOut.increment();
      boolean isOwn = ended.answer() != null && ended.answer() == ended.number();
      if (failure == null && !isOwn) books.violation("the answer of another: " + ended);
      if (failure != null && !(failure instanceof CallTimeoutException))
        books.violation("neither answered nor timed out: " + ended);
    }
  }
}
