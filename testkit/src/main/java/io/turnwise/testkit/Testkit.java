package io.turnwise.testkit;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.StopReason;
import io.turnwise.SystemConfig;
import io.turnwise.internal.cell.LocalActorSystem;
import io.turnwise.observation.DeadLetter;
import io.turnwise.observation.DeadLetterReason;
import io.turnwise.observation.SystemSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A system of actors for one test, and what the test wants to know of it. Open one in each test, in
 * a {@code try} or, with JUnit, in a field marked {@code @AutoClose}.
 *
 * {@snippet file="io/turnwise/testkit/ExamplesTest.java" region="testkit"}
 *
 * <p>{@link #close} checks what must hold after every test, and fails with a sentence for each
 * thing that does not: no actor is in the middle of a turn or holds messages, every call is over,
 * every actor can be stopped, the counters agree with what was seen, and nothing crashed and no
 * message was lost that the test has not expected.
 *
 * <p>Failures are {@link AssertionError}s. One thread at a time uses a testkit.
 */
public abstract sealed class Testkit implements AutoCloseable
    permits VirtualTestkit, ThreadedTestkit {
  static final String SYSTEM = "test";

  final LocalActorSystem system;
  final Bell bell;
  final Ledger ledger;
  final List<Probe<?>> probes = new CopyOnWriteArrayList<>();
  private final AtomicInteger numbers = new AtomicInteger();
  private boolean crashesAllowed;
  private boolean lettersAllowed;
  private boolean closed;

  Testkit(LocalActorSystem system) {
    this.system = system;
    this.bell = new Bell();
    this.ledger = new Ledger(bell);
    system.setWitness(ledger);
  }

  /**
   * Opens a system without threads, on a clock that stands still: everything happens on the test's
   * own thread and when the test says so, and every run takes the same course.
   */
  public static VirtualTestkit onVirtualTime() {
    return onVirtualTime(UnaryOperator.identity());
  }

  /** The same with settings: {@code onVirtualTime(c -> c.withCallTimeout(ofSeconds(1)))}. */
  public static VirtualTestkit onVirtualTime(UnaryOperator<SystemConfig> settings) {
    return VirtualTestkit.open(settings.apply(SystemConfig.DEFAULT.withWorkers(1)));
  }

  /** Opens an ordinary system, with two workers: for code that needs threads or real time. */
  public static Testkit onThreads() {
    return onThreads(UnaryOperator.identity());
  }

  /** The same with settings: {@code onThreads(c -> c.withWorkers(8))}. */
  public static Testkit onThreads(UnaryOperator<SystemConfig> settings) {
    return ThreadedTestkit.open(
        settings.apply(SystemConfig.DEFAULT.withWorkers(2).withCloseOnShutdown(false)));
  }

  /** The system under test, named {@code test}. */
  public final ActorSystem system() {
    return system;
  }

  /** A new probe, named {@code probe-1} and so on. */
  public final <M> Probe<M> probe() {
    return probe("probe-" + numbers.incrementAndGet());
  }

  /** A new probe at the top of the tree. */
  public final <M> Probe<M> probe(String name) {
    var inbox = new Inbox<M>(bell);
    var probe = new Probe<M>(this, inbox, system.<M>spawn(name, () -> inbox), null);
    probes.add(probe);
    return probe;
  }

  // ---- waiting -------------------------------------------------------------------------------

  /**
   * Waits until nothing is queued, running or under way: every actor waits for a message. Timers
   * that are not due and answers that an actor has deferred do not count.
   *
   * <p>On virtual time this runs what can run now, and fails if a turn is then still in the middle;
   * on threads it waits for up to three seconds.
   */
  public final void awaitQuiet() {
    await(system::isQuiet, null);
  }

  /** The same, at most so long: on virtual time, the time that it may let pass. */
  public final void awaitQuiet(Duration atMost) {
    await(system::isQuiet, Objects.requireNonNull(atMost, "the duration is null"));
  }

  /** Waits until nobody runs or is about to; turns in the middle may wait for something. */
  final void awaitStill() {
    await(system::isStill, null);
  }

  private void await(BooleanSupplier over, @Nullable Duration atMost) {
    if (waitUntil(over, atMost)) return;
    throw new AssertionError("The system is not quiet." + where(atMost) + Words.underWay(system));
  }

  /**
   * The value of a stage, which is driven or awaited until it is there: on virtual time, the clock
   * jumps from deadline to deadline meanwhile. What the stage fails with is thrown.
   */
  public final <T> T await(CompletionStage<T> stage) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    future.whenComplete((_, _) -> bell.ring());
    if (!waitUntilDone(future::isDone))
      throw new AssertionError(
          "The stage was not completed." + where(null) + Words.underWay(system));
    try {
      return future.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) throw cause;
      if (e.getCause() instanceof Error cause) throw cause;
      throw e;
    }
  }

  /** Waits until the actor has ended, and returns why. */
  public final StopReason expectStopped(ActorRef<?> actor) {
    CompletableFuture<StopReason> end = actor.whenStopped().toCompletableFuture();
    end.whenComplete((_, _) -> bell.ring());
    if (waitUntil(end::isDone, null)) return end.join();
    throw new AssertionError(
        "Actor "
            + actor.path()
            + " was expected to stop, and lives."
            + where(null)
            + Words.underWay(system));
  }

  /** Waits until the actor has ended, for that reason: {@code StopReason.Finished.class}. */
  public final <R extends StopReason> R expectStopped(ActorRef<?> actor, Class<R> reason) {
    StopReason found = expectStopped(actor);
    if (reason.isInstance(found)) return reason.cast(found);
    var wrong =
        new AssertionError(
            "Actor "
                + actor.path()
                + " was expected to end as "
                + reason.getSimpleName()
                + ", and ended as "
                + found
                + ".");
    if (found instanceof StopReason.Crashed(Throwable cause)) wrong.addSuppressed(cause);
    throw wrong;
  }

  // ---- crashes and dead letters --------------------------------------------------------------

  /** Some actor crashes, or has crashed, by an exception of this type; which is returned. */
  public final <T extends Throwable> T expectCrash(Class<T> type) {
    return type.cast(
        expectCrash(c -> type.isInstance(c.cause()), "an actor to crash by " + type.getName())
            .cause());
  }

  /** This actor crashes, or has crashed, by an exception of this type; which is returned. */
  public final <T extends Throwable> T expectCrash(ActorRef<?> actor, Class<T> type) {
    return type.cast(
        expectCrash(
                c -> c.actor() == actor && type.isInstance(c.cause()),
                "actor " + actor.path() + " to crash by " + type.getName())
            .cause());
  }

  private Crash expectCrash(Predicate<? super Crash> wanted, String words) {
    return expect(ledger.crashes, wanted, words, "crashed", Crash::describe);
  }

  /** A message of this type becomes a dead letter, or has become one. */
  public final DeadLetter expectDeadLetter(Class<?> message) {
    return expectDeadLetterWhere(
        letter -> message.isInstance(letter.message()), Words.one(message));
  }

  /** A message of this type to this actor becomes a dead letter for this reason. */
  public final DeadLetter expectDeadLetter(
      ActorRef<?> recipient, Class<?> message, DeadLetterReason reason) {
    String path = recipient.path();
    return expectDeadLetterWhere(
        letter ->
            message.isInstance(letter.message())
                && letter.recipient().equals(path)
                && letter.reason() == reason,
        Words.one(message) + " to " + path + " by " + reason);
  }

  /** A dead letter that the test describes: {@code "an order over 100"}. */
  public final DeadLetter expectDeadLetterWhere(
      Predicate<? super DeadLetter> matches, String description) {
    return expect(
        ledger.letters,
        matches,
        description + " to become a dead letter",
        "dead letters",
        Words::letter);
  }

  private <T> T expect(
      Findings<T> findings,
      Predicate<? super T> wanted,
      String words,
      String title,
      Function<? super T, String> describe) {
    if (waitUntil(() -> findings.has(wanted), null)) return findings.take(wanted);
    throw new AssertionError(
        "Expected " + words + "." + where(null) + Words.list(title, findings.left(), describe));
  }

  /** Crashes so far that no expectation has taken, in their order. */
  public final List<Crash> crashes() {
    return ledger.crashes.left();
  }

  /** Dead letters so far that no expectation has taken, in their order. */
  public final List<DeadLetter> deadLetters() {
    return ledger.letters.left();
  }

  /** {@link #close} is not to complain of crashes. */
  public final void allowCrashes() {
    crashesAllowed = true;
  }

  /** {@link #close} is not to complain of dead letters. */
  public final void allowDeadLetters() {
    lettersAllowed = true;
  }

  /**
   * Waits until the system is quiet and checks that it has handled, failed or buried exactly so
   * many messages since it was opened. Messages to probes count; signals do not.
   */
  public final void expectAccountedFor(long messages) {
    awaitQuiet();
    SystemSnapshot seen = system.snapshot();
    long known = seen.messagesHandled() + seen.messagesFailed() + seen.deadLettersTotal();
    if (known == messages) return;
    throw new AssertionError(
        "Expected "
            + messages
            + " messages to be accounted for, and "
            + known
            + " are: "
            + seen.messagesHandled()
            + " handled, "
            + seen.messagesFailed()
            + " failed, "
            + seen.deadLettersTotal()
            + " dead letters.");
  }

  // ---- the end -------------------------------------------------------------------------------

  /** Checks what must hold after every test, and closes the system. The second time, nothing. */
  @Override
  public final void close() {
    if (closed) return;
    closed = true;
    new LastLook(this, crashesAllowed, lettersAllowed).closeAndCheck();
  }

  // ---- the two kinds -------------------------------------------------------------------------

  /** Waits until then. Without a limit: as long as this kind of testkit is patient. */
  abstract boolean waitUntil(BooleanSupplier over, @Nullable Duration atMost);

  /** Waits until then, for as long as there is hope. */
  abstract boolean waitUntilDone(BooleanSupplier over);

  /** Calls that wait for an answer, as far as that can be known. */
  abstract List<String> callsUnderWay();

  /** When it was that something did not come, and what may still come. */
  abstract String moment(@Nullable Duration atMost);

  final String where(@Nullable Duration atMost) {
    return "\n  where: " + moment(atMost);
  }

  static long nanos(Duration duration) {
    Objects.requireNonNull(duration, "the duration is null");
    if (duration.isNegative())
      throw new IllegalArgumentException(
          "The duration is " + duration + "; time goes forward, use a positive one");
    try {
      return Math.min(duration.toNanos(), Long.MAX_VALUE / 4);
    } catch (ArithmeticException e) {
      return Long.MAX_VALUE / 4;
    }
  }
}
