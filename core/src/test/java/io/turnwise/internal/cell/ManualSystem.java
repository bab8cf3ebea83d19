package io.turnwise.internal.cell;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.Call;
import io.turnwise.Complaints;
import io.turnwise.Puppet;
import io.turnwise.SystemConfig;
import io.turnwise.internal.scheduler.StrandedTasks;
import io.turnwise.observation.ActorSnapshot;
import io.turnwise.observation.ActorState;
import io.turnwise.observation.CloseReport;
import io.turnwise.observation.DeadLetterReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * A system without threads of its own, on a clock that stands still until the test moves it. Every
 * run takes the same course. {@link #close} checks what must hold after every test: each actor is
 * idle or has ended, nothing waits in a mailbox, every call is over, and every actor can be
 * stopped.
 */
public final class ManualSystem implements AutoCloseable {
  private final AtomicLong now = new AtomicLong(Duration.ofDays(3).toNanos());
  private final DrivenSystem driven;
  private final ActorSystem system;
  private final List<String> log = Collections.synchronizedList(new ArrayList<>());
  private final List<ActorRef<?>> spawned = new ArrayList<>();
  private final List<CompletableFuture<?>> calls = new ArrayList<>();
  private final Set<ActorRef<?>> leftInTheMiddle = new HashSet<>();

  public ManualSystem() {
    this(UnaryOperator.identity());
  }

  /** One worker unless the settings say otherwise. */
  public ManualSystem(UnaryOperator<SystemConfig> settings) {
    Complaints.take();
    driven =
        DrivenSystem.open("test", settings.apply(SystemConfig.DEFAULT.withWorkers(1)), now::get);
    system = driven.system();
  }

  public ActorSystem system() {
    return system;
  }

  // ---- actors --------------------------------------------------------------------------------

  public ActorRef<Puppet.Msg> puppet(String name) {
    return puppet(name, UnaryOperator.identity());
  }

  public ActorRef<Puppet.Msg> puppet(String name, UnaryOperator<ActorSpec<Puppet.Msg>> settings) {
    return spawn(name, settings.apply(puppetSpec()));
  }

  /** For puppets that an actor spawns. */
  public ActorSpec<Puppet.Msg> puppetSpec() {
    return ActorSpec.of(() -> new Puppet(log));
  }

  public <M> ActorRef<M> spawn(String name, Supplier<? extends Actor<M>> factory) {
    return remember(system.spawn(name, factory));
  }

  public <M> ActorRef<M> spawn(String name, ActorSpec<M> spec) {
    return remember(system.spawn(name, spec));
  }

  private <M> ActorRef<M> remember(ActorRef<M> actor) {
    spawned.add(actor);
    return actor;
  }

  /** A call whose outcome the test looks at later. */
  public <M, R> CompletableFuture<R> call(ActorRef<M> actor, Call<M, R> request) {
    return remember(actor.callAsync(request).toCompletableFuture());
  }

  public <M, R> CompletableFuture<R> call(ActorRef<M> actor, Call<M, R> request, Duration timeout) {
    return remember(actor.callAsync(request, timeout).toCompletableFuture());
  }

  private <R> CompletableFuture<R> remember(CompletableFuture<R> answer) {
    calls.add(answer);
    return answer;
  }

  // ---- time ----------------------------------------------------------------------------------

  /** Runs everything that can run, at this moment of the clock. */
  public void run() {
    driven.runUntilIdle();
  }

  /** From now on what the system leaves to callback threads runs with everything else. */
  public void callBackHere() {
    driven.driveBy(() -> false);
  }

  /** Runs, lets time pass, and runs again. */
  public void advance(Duration time) {
    run();
    now.addAndGet(time.toNanos());
    run();
  }

  /** Lets time pass in the middle of a turn. */
  public void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  /**
   * Lets time pass in the middle of a turn, and the ticker notice it. Returns whether a ticker with
   * a thread would beat again.
   */
  public boolean passAndTick(Duration time) {
    now.addAndGet(time.toNanos());
    return driven.beat();
  }

  // ---- looking -------------------------------------------------------------------------------

  /** What the puppets wrote down, all in one order. */
  public List<String> log() {
    synchronized (log) {
      return List.copyOf(log);
    }
  }

  /** The log itself, for actors that write into it as they like. */
  public List<String> raw() {
    return log;
  }

  public void note(String text) {
    log.add(text);
  }

  /** The log from now on. */
  public void clearLog() {
    log.clear();
  }

  /** The failure of a call that is over or about to be. */
  public static Throwable failureOf(CompletableFuture<?> call) {
    try {
      Object value = call.orTimeout(20, TimeUnit.SECONDS).join();
      throw new AssertionError("the call was answered with " + value);
    } catch (CompletionException e) {
      return e.getCause() == null ? e : e.getCause();
    }
  }

  public long deadLetters(DeadLetterReason reason) {
    return system.snapshot().deadLetters().getOrDefault(reason, -1L);
  }

  /** Handled, failed, or a dead letter: what is known of all messages that were sent. */
  public long accountedFor() {
    var counters = system.snapshot();
    return counters.messagesHandled() + counters.messagesFailed() + counters.deadLettersTotal();
  }

  /** This actor is meant to be in the middle of a turn when the test ends. */
  public void leaveInTheMiddle(ActorRef<?> actor) {
    leftInTheMiddle.add(actor);
  }

  // ---- the end -------------------------------------------------------------------------------

  /** Closes a system that the test has broken on purpose. */
  public CloseReport closeUnchecked() {
    return system.close(Duration.ofMillis(20));
  }

  @Override
  public void close() {
    if (system.isClosed()) return;
    run();
    for (ActorRef<?> actor : spawned) if (!leftInTheMiddle.contains(actor)) checkRests(actor);
    if (leftInTheMiddle.isEmpty())
      for (CompletableFuture<?> call : calls)
        assertThat(call.isDone()).as("a call that the test made is over").isTrue();
    assertThat(StrandedTasks.first).as("tasks that nobody queued").isNull();
    long buried = deadLetters(DeadLetterReason.LEFT_BEHIND);
    CloseReport report = system.close(Duration.ofMillis(leftInTheMiddle.isEmpty() ? 5_000 : 20));
    assertThat(report.actorsLeft()).as("actors left").isEqualTo(leftInTheMiddle.size());
    if (!leftInTheMiddle.isEmpty()) return;
    assertThat(report.messagesLeft())
        .as("messages left are those that became dead letters at the close")
        .isEqualTo(deadLetters(DeadLetterReason.LEFT_BEHIND) - buried);
    assertThat(system.snapshot().actorsLive()).as("actors that live after the close").isZero();
    assertThat(Complaints.take()).as("defects that the runtime logged").isEmpty();
  }

  private void checkRests(ActorRef<?> actor) {
    ActorSnapshot seen = actor.snapshot();
    assertThat(seen.state())
        .as(seen.describe())
        .isIn(ActorState.RECEIVING, ActorState.STOPPING, ActorState.HALTED);
    assertThat(seen.queued()).as(seen.describe()).isZero();
  }
}
