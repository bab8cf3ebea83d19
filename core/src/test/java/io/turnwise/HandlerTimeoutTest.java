package io.turnwise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.internal.cell.ManualSystem;
import io.turnwise.scheduling.Backend;
import io.turnwise.scheduling.HandlerKind;
import io.turnwise.scheduling.TimeoutAction;
import io.turnwise.weaving.Safepoint;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Handlers that take longer than they may. Polls are written by hand here. */
class HandlerTimeoutTest {
  private static final Duration LIMIT = Duration.ofMillis(20);

  private final ActorSystem system =
      ActorSystem.open("test", c -> c.withWorkers(2).withCloseOnShutdown(false));

  private record Loop() implements Call<Object, String> {}

  private record Fine() implements Call<Object, String> {}

  @AfterEach
  void close() {
    system.close();
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  /** Loops at one message, and answers the other. */
  private static Actor<Object> looper() {
    return (message, context) -> {
      switch (message) {
        case Loop _ -> {
          while (true) Safepoint.poll();
        }
        case Fine fine -> context.reply(fine, "fine");
        default -> {}
      }
    };
  }

  private ActorRef<Object> spawn(TimeoutAction action, Backend backend) {
    return system.spawn(
        ActorSpec.of(HandlerTimeoutTest::looper)
            .withHandlerTimeout(LIMIT, action)
            .withBackend(backend));
  }

  @ParameterizedTest
  @EnumSource
  void aCancelledHandlerEndsAndItsActorGoesOn(Backend backend) throws Exception {
    ActorRef<Object> actor = spawn(TimeoutAction.CANCEL, backend);
    var call = actor.callAsync(new Loop(), Duration.ofHours(1)).toCompletableFuture();
    var next = actor.callAsync(new Fine(), Duration.ofHours(1));
    assertThatThrownBy(() -> call.get(60, TimeUnit.SECONDS))
        .cause()
        .isInstanceOf(CalleeFailedException.class)
        .hasCauseInstanceOf(HandlerCancelled.class)
        .rootCause()
        .hasMessageContainingAll(actor.path(), "20 ms", "[HANDLER-CANCELLED]");
    assertThat(get(next)).isEqualTo("fine");
    assertThat(system.snapshot().messagesFailed()).isEqualTo(1);
    assertThat(system.snapshot().crashes()).isZero();
  }

  @Test
  void aStoppedHandlerTakesItsActorAlong() throws Exception {
    var heard = new CompletableFuture<Signal>();
    ActorRef<Object> parent =
        system.spawn(
            () ->
                new Actor<Object>() {
                  @Override
                  public void receive(Object message, Context<Object> context) {
                    context
                        .spawn(
                            ActorSpec.of(HandlerTimeoutTest::looper)
                                .withHandlerTimeout(LIMIT, TimeoutAction.STOP))
                        .cast(new Loop());
                  }

                  @Override
                  public void info(Signal signal, Context<Object> context) {
                    heard.complete(signal);
                  }
                });
    parent.cast("go");
    Signal signal = get(heard);
    assertThat(signal)
        .isInstanceOfSatisfying(
            Signal.ChildCrashed.class,
            crash ->
                assertThat(crash.reason())
                    .isInstanceOfSatisfying(
                        StopReason.Crashed.class,
                        why -> assertThat(why.cause()).isInstanceOf(HandlerCancelled.class)));
  }

  /** Handlers of one kind do not end by themselves; all others take longer than that kind may. */
  private static final class Slow implements Actor<Object> {
    private final HandlerKind slow;
    private final Set<HandlerKind> done = ConcurrentHashMap.newKeySet();
    private final Set<HandlerKind> cancelled = ConcurrentHashMap.newKeySet();

    Slow(HandlerKind slow) {
      this.slow = slow;
    }

    private void work(HandlerKind kind) {
      long until = System.nanoTime() + (kind == slow ? 60_000_000_000L : 3 * LIMIT.toNanos());
      try {
        while (System.nanoTime() - until < 0) Safepoint.poll();
        done.add(kind);
      } catch (HandlerCancelled e) {
        cancelled.add(kind);
        throw e;
      }
    }

    @Override
    public void init(Context<Object> context) {
      ActorRef<Object> child = context.spawn(() -> (_, c) -> c.stop());
      context.watch(child);
      child.cast("end");
      work(HandlerKind.INIT);
    }

    @Override
    public void receive(Object message, Context<Object> context) {
      work(message instanceof Fine ? HandlerKind.CALL : HandlerKind.CAST);
      if (message instanceof Fine fine) context.reply(fine, "fine");
    }

    @Override
    public void info(Signal signal, Context<Object> context) {
      work(HandlerKind.INFO);
    }

    @Override
    public void teardown(StopReason reason, Context<Object> context) {
      work(HandlerKind.TEARDOWN);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aLimitForOneKindOfHandlersHoldsForThatKindAlone(HandlerKind kind) throws Exception {
    var slow = new Slow(kind);
    ActorRef<Object> actor =
        system.spawn(
            ActorSpec.<Object>of(() -> slow).withHandlerTimeout(kind, LIMIT, TimeoutAction.CANCEL));
    actor.cast("a cast");
    CompletionStage<String> call = actor.callAsync(new Fine(), Duration.ofSeconds(60));
    if (kind != HandlerKind.INIT)
      Await.until(
          "the signal was handled",
          () -> slow.done.contains(HandlerKind.INFO) || slow.cancelled.contains(HandlerKind.INFO));
    actor.stopAfterDrain();
    StopReason reason = Await.end(actor);

    assertThat(slow.cancelled).containsExactly(kind);
    Set<HandlerKind> others = EnumSet.complementOf(EnumSet.of(kind));
    if (kind == HandlerKind.INIT) assertThat(slow.done).as("it never lived").isEmpty();
    else assertThat(slow.done).containsExactlyInAnyOrderElementsOf(others);
    boolean ends = kind == HandlerKind.INIT || kind == HandlerKind.TEARDOWN;
    assertThat(reason.orderly()).as("it ended as it was asked to: " + reason).isEqualTo(!ends);
    if (kind == HandlerKind.CALL || kind == HandlerKind.INIT)
      assertThatThrownBy(() -> get(call)).cause().hasMessageContaining("longer than 20 ms");
    else assertThat(get(call)).isEqualTo("fine");
  }

  /** On virtual time: it takes five times as long as it may, at once. */
  @Test
  void aWarnedHandlerRunsOn() {
    try (var kit = new ManualSystem()) {
      var ended = new AtomicBoolean();
      var spec =
          ActorSpec.<Object>of(
                  () ->
                      (_, _) -> {
                        takeTooLong(kit);
                        ended.set(true);
                      })
              .withHandlerTimeout(LIMIT, TimeoutAction.WARN);
      kit.spawn("slow", spec).cast("go");
      kit.run();
      assertThat(ended).isTrue();
      assertThat(kit.system().snapshot().messagesHandled()).isOne();
      assertThat(kit.system().snapshot().messagesFailed()).isZero();
    }
  }

  @Test
  void aHandlerThatWaitsIsWokenToEnd() throws Exception {
    var interrupted = new CompletableFuture<Boolean>();
    ActorRef<Object> actor =
        system.spawn(
            ActorSpec.<Object>of(
                    () ->
                        (message, context) -> {
                          if (message instanceof Fine fine) context.reply(fine, "fine");
                          else
                            try {
                              Thread.sleep(1_000_000);
                            } catch (InterruptedException e) {
                              interrupted.complete(true);
                              throw e;
                            }
                        })
                .withHandlerTimeout(LIMIT, TimeoutAction.CANCEL));
    actor.cast("sleep");
    assertThat(get(interrupted)).isTrue();
    assertThat(get(actor.callAsync(new Fine()))).isEqualTo("fine");
  }

  /** Its first poll used to throw, in the middle of a {@code finally}. */
  @Test
  void whatAWokenHandlerDoesInFinallyIsLetAlone() {
    try (var kit = new ManualSystem()) {
      var never = new CountDownLatch(1);
      var actor = kit.puppet("a", spec -> spec.withHandlerTimeout(LIMIT, TimeoutAction.CANCEL));
      actor.cast(
          Puppet.does(
              _ -> {
                try {
                  never.await();
                } finally {
                  for (int i = 0; i < 100; i++) Safepoint.poll();
                  kit.note("cleaned up");
                }
              }));
      actor.cast(Puppet.say("next"));
      kit.run();
      for (int i = 0; i < 4; i++) kit.advance(LIMIT);
      assertThat(kit.log()).containsExactly("a begins", "cleaned up", "a next");
      assertThat(kit.system().snapshot().messagesFailed()).isEqualTo(1);
    }
  }

  /** It was interrupted anew every five milliseconds. */
  @Test
  void whatAWokenHandlerWaitsForInFinallyIsLetAloneForTheGrace() {
    try (var kit = new ManualSystem()) {
      var never = new CountDownLatch(1);
      var closes = new CountDownLatch(1);
      var actor = kit.puppet("a", spec -> spec.withHandlerTimeout(LIMIT, TimeoutAction.CANCEL));
      actor.cast(
          Puppet.does(
              _ -> {
                try {
                  never.await();
                } finally {
                  kit.note("closes");
                  closes.await();
                  kit.note("closed");
                }
              }));
      actor.cast(Puppet.say("next"));
      kit.run();
      for (int i = 0; i < 100 && !kit.log().contains("closes"); i++)
        kit.advance(Duration.ofMillis(1));
      for (int i = 0; i < 90; i++) kit.advance(Duration.ofMillis(1));
      closes.countDown();
      kit.run();
      assertThat(kit.log()).containsExactly("a begins", "closes", "closed", "a next");
    }
  }

  /** It had nothing to do with the timeout, which had woken nobody; and was lost. */
  @Test
  void anErrorOfAHandlerThatWasNotDisturbedIsItsOwn() throws Exception {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a", spec -> spec.withHandlerTimeout(LIMIT, TimeoutAction.CANCEL));
      actor.cast(
          Puppet.does(
              _ -> {
                kit.passAndTick(Duration.ofMillis(1)); // the timer begins to run
                kit.passAndTick(LIMIT.plusMillis(2));
                throw new IllegalStateException("of its own");
              }));
      kit.run();
      assertThat(get(actor.whenStopped()))
          .asInstanceOf(InstanceOfAssertFactories.type(StopReason.Crashed.class))
          .satisfies(crashed -> assertThat(crashed.cause()).hasMessage("of its own"));
    }
  }

  @Test
  void eachKindOfHandlerMayHaveItsOwn() {
    try (var kit = new ManualSystem()) {
      ActorRef<Object> actor =
          kit.spawn(
              "slow",
              ActorSpec.<Object>of(
                      () ->
                          (message, context) -> {
                            takeTooLong(kit);
                            if (message instanceof Fine fine) context.reply(fine, "late");
                          })
                  .withHandlerTimeout(HandlerKind.CAST, LIMIT, TimeoutAction.CANCEL));
      actor.cast("too long");
      CompletableFuture<String> answer = kit.call(actor, new Fine());
      kit.run();
      assertThat(answer).isCompletedWithValue("late");
      assertThat(kit.system().snapshot().messagesFailed()).isEqualTo(1);
    }
  }

  private static void takeTooLong(ManualSystem kit) {
    for (int i = 0; i < 5; i++) {
      kit.passAndTick(LIMIT);
      Safepoint.poll();
    }
  }

  @Test
  void aHandlerThatSwallowsIsLeftBehindAndItsActorEnds() throws Exception {
    ActorRef<Object> actor =
        system.spawn(
            ActorSpec.<Object>of(() -> (_, _) -> Unwoven.swallow(new AtomicInteger()))
                .withHandlerTimeout(LIMIT, TimeoutAction.CANCEL));
    actor.cast("go");
    assertThat(get(actor.whenStopped())).isInstanceOf(StopReason.Crashed.class);
    assertThat(system.snapshot().messagesFailed()).isEqualTo(1);
  }

  /** The timeout passes in the middle of a handler that does not poll any more. */
  @ParameterizedTest
  @EnumSource(names = {"CANCEL", "STOP"})
  void aTimeoutThatComesLateDoesNotHitTheNextMessage(TimeoutAction action) {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a", spec -> spec.withHandlerTimeout(LIMIT, action));
      actor.cast(
          Puppet.does(
              _ -> {
                kit.passAndTick(Duration.ofMillis(1)); // the timer begins to run
                Safepoint.poll();
                kit.passAndTick(LIMIT.plusMillis(2));
                kit.note("ended as it was cancelled");
              }));
      actor.cast(
          Puppet.does(
              _ -> {
                for (int i = 0; i < 100; i++) Safepoint.poll();
                kit.passAndTick(Duration.ofMillis(1));
                kit.passAndTick(LIMIT.minusMillis(1));
                for (int i = 0; i < 100; i++) Safepoint.poll();
                kit.note("next");
              }));
      kit.run();
      assertThat(kit.log()).contains("ended as it was cancelled", "next");
      assertThat(kit.system().snapshot().messagesFailed()).isZero();
    }
  }

  @Test
  void aHandlerIsCancelledAtItsLimitAndNotBefore() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a", spec -> spec.withHandlerTimeout(LIMIT, TimeoutAction.CANCEL));
      actor.cast(
          Puppet.does(
              _ -> {
                kit.passAndTick(Duration.ofMillis(1)); // the timer begins to run
                kit.passAndTick(LIMIT.minusMillis(1));
                Safepoint.poll();
                kit.note("before");
                kit.passAndTick(Duration.ofMillis(3));
                Safepoint.poll();
                kit.note("never");
              }));
      actor.cast(Puppet.say("next"));
      kit.run();
      assertThat(kit.log()).containsExactly("a begins", "before", "a next");
      assertThat(kit.system().snapshot().messagesFailed()).isEqualTo(1);
    }
  }

  /** Handlers that end at about their limit, running or waiting: each has exactly one outcome. */
  @ParameterizedTest
  @EnumSource
  void handlersThatEndAsTheyAreCancelledAreAccountedFor(Backend backend) throws Exception {
    int messages = 2_000;
    var ended = new CountDownLatch(messages);
    var cancelled = new AtomicInteger();
    long limit = Duration.ofMillis(2).toNanos();
    ActorRef<Integer> actor =
        system.spawn(
            ActorSpec.<Integer>of(
                    () ->
                        (message, _) -> {
                          var random = new SplittableRandom(message);
                          long time =
                              message % 4 == 0
                                  ? limit - 500_000 + random.nextInt(3_000_000)
                                  : random.nextInt(50_000);
                          long until = System.nanoTime() + time;
                          try {
                            if (message % 8 == 0) Thread.sleep(0, (int) Math.min(time, 999_999));
                            while (System.nanoTime() - until < 0) Safepoint.poll();
                            Safepoint.poll();
                          } catch (HandlerCancelled | InterruptedException e) {
                            cancelled.incrementAndGet();
                            throw e;
                          } finally {
                            ended.countDown();
                          }
                        })
                .withHandlerTimeout(Duration.ofNanos(limit), TimeoutAction.CANCEL)
                .withBackend(backend));
    for (int i = 0; i < messages; i++) actor.cast(i);
    assertThat(ended.await(120, TimeUnit.SECONDS)).isTrue();
    ActorRef<Object> last = spawn(TimeoutAction.CANCEL, backend);
    assertThat(get(last.callAsync(new Fine(), Duration.ofHours(1)))).isEqualTo("fine");
    actor.stopAfterDrain();
    last.stopAfterDrain();
    get(actor.whenStopped());
    get(last.whenStopped());
    var snapshot = system.snapshot();
    assertThat(cancelled.get()).as("or this proves nothing").isPositive();
    assertThat(snapshot.messagesFailed()).isEqualTo(cancelled.get());
    assertThat(snapshot.messagesHandled()).isEqualTo(messages + 1 - cancelled.get());
    assertThat(snapshot.crashes()).isZero();
  }
}
