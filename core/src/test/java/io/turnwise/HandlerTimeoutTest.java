package io.turnwise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.scheduling.Backend;
import io.turnwise.scheduling.HandlerKind;
import io.turnwise.scheduling.TimeoutAction;
import io.turnwise.weaving.Safepoint;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
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

  @Test
  void awarnedHandlerRunsOn() throws Exception {
    var ended = new CountDownLatch(1);
    ActorRef<Object> actor =
        system.spawn(
            ActorSpec.<Object>of(
                    () ->
                        (_, _) -> {
                          long until = System.nanoTime() + 5 * LIMIT.toNanos();
                          while (System.nanoTime() - until < 0) Safepoint.poll();
                          ended.countDown();
                        })
                .withHandlerTimeout(LIMIT, TimeoutAction.WARN));
    actor.cast("go");
    assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
    while (system.snapshot().messagesHandled() == 0) Thread.sleep(1);
    assertThat(system.snapshot().messagesFailed()).isZero();
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

  @Test
  void eachKindOfHandlerMayHaveItsOwn() throws Exception {
    ActorRef<Object> actor =
        system.spawn(
            ActorSpec.<Object>of(
                    () ->
                        (message, context) -> {
                          long until = System.nanoTime() + 5 * LIMIT.toNanos();
                          while (System.nanoTime() - until < 0) Safepoint.poll();
                          if (message instanceof Fine fine) context.reply(fine, "late");
                        })
                .withHandlerTimeout(HandlerKind.CAST, LIMIT, TimeoutAction.CANCEL));
    actor.cast("too long");
    assertThat(actor.call(new Fine(), Duration.ofSeconds(60))).isEqualTo("late");
    assertThat(system.snapshot().messagesFailed()).isEqualTo(1);
  }

  @Test
  void aHandlerThatSwallowsIsLeftBehindAndItsActorEnds() throws Exception {
    ActorRef<Object> actor =
        system.spawn(
            ActorSpec.<Object>of(
                    () ->
                        (_, _) -> {
                          while (true) {
                            try {
                              Safepoint.poll();
                            } catch (Throwable swallowed) {
                              // on purpose
                            }
                          }
                        })
                .withHandlerTimeout(LIMIT, TimeoutAction.CANCEL));
    actor.cast("go");
    assertThat(get(actor.whenStopped())).isInstanceOf(StopReason.Crashed.class);
    assertThat(system.snapshot().messagesFailed()).isEqualTo(1);
  }

  /**
   * Handlers that end at about their limit. One that was cancelled must have been over it: else a
   * timeout of an earlier message would have hit this one.
   */
  @Test
  void aTimeoutThatComesLateDoesNotHitTheNextMessage() throws Exception {
    var violation = new AtomicReference<String>();
    var cancelled = new AtomicInteger();
    int messages = 3_000;
    var done = new CountDownLatch(messages);
    long limit = Duration.ofMillis(2).toNanos();
    ActorRef<Integer> actor =
        system.spawn(
            ActorSpec.<Integer>of(
                    () ->
                        (message, _) -> {
                          long began = System.nanoTime();
                          var random = new SplittableRandom(message);
                          long until =
                              began
                                  + (message % 4 == 0
                                      ? limit - 500_000 + random.nextInt(1_000_000)
                                      : random.nextInt(50_000));
                          try {
                            while (System.nanoTime() - until < 0) Safepoint.poll();
                            if (message % 16 == 1) LockSupport.parkNanos(100_000);
                            Safepoint.poll();
                          } catch (HandlerCancelled e) {
                            long took = System.nanoTime() - began;
                            if (took < limit)
                              violation.set(message + " was cancelled after " + took + " ns");
                            cancelled.incrementAndGet();
                            throw e;
                          } finally {
                            done.countDown();
                          }
                        })
                .withHandlerTimeout(Duration.ofNanos(limit), TimeoutAction.CANCEL));
    for (int i = 0; i < messages; i++) actor.cast(i);
    assertThat(done.await(120, TimeUnit.SECONDS)).isTrue();
    assertThat(violation.get()).isNull();
    assertThat(cancelled.get()).as("or this proves nothing").isPositive();
  }
}
