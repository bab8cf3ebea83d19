package io.turnwise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.KillReport.Force;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.observation.DeadLetterReason;
import io.turnwise.scheduling.Backend;
import io.turnwise.scheduling.Masked;
import io.turnwise.weaving.Safepoint;
import java.lang.Thread.State;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A kill ends an actor, whatever its code is doing. Polls are written by hand here. */
class KillTest {
  private final ActorSystem system =
      ActorSystem.open("test", c -> c.withWorkers(2).withCloseOnShutdown(false));

  @AfterEach
  void close() {
    system.close();
  }

  /** Code that signals when it has begun. */
  private interface Code {
    void run(Runnable begun) throws Exception;
  }

  private record Ask() implements Call<Object, String> {}

  private ActorRef<Object> running(Code code) throws Exception {
    return running(code, Backend.ASYNC);
  }

  private ActorRef<Object> running(Code code, Backend backend) throws Exception {
    var begun = new CountDownLatch(1);
    ActorRef<Object> actor =
        system.spawn(
            ActorSpec.<Object>of(() -> (_, _) -> code.run(begun::countDown)).withBackend(backend));
    actor.cast("go");
    assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
    return actor;
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  private void assertKilled(ActorRef<Object> actor, Force force) throws Exception {
    KillReport report = get(actor.kill());
    assertThat(report.path()).isEqualTo(actor.path());
    assertThat(report.force()).isEqualTo(force);
    assertThat(get(actor.whenStopped())).isInstanceOf(StopReason.Killed.class);
    assertOthersRun();
  }

  private void assertOthersRun() throws Exception {
    ActorRef<Object> other = system.spawn(() -> (m, c) -> c.reply((Ask) m, "well"));
    assertThat(other.call(new Ask())).isEqualTo("well");
  }

  @ParameterizedTest
  @EnumSource
  void anEndlessLoop(Backend backend) throws Exception {
    ActorRef<Object> actor =
        running(
            begun -> {
              begun.run();
              while (true) Safepoint.poll();
            },
            backend);
    assertKilled(actor, Force.CANCELLED);
  }

  @Test
  void aLoopThatSwallowsEverything() throws Exception {
    ActorRef<Object> actor =
        running(
            begun -> {
              begun.run();
              Unwoven.swallow(new AtomicInteger());
            });
    assertKilled(actor, Force.ABANDONED);
  }

  /** What its thread would begin there, to let the actor go on, would be left half done. */
  @Test
  void aRecursionThatSwallowsItsOwnOverflow() throws Exception {
    var overflown = new AtomicBoolean(); // a latch may be left half open there
    ActorRef<Object> actor = system.spawn(() -> (_, _) -> Unwoven.overflow(overflown));
    actor.cast("go");
    Await.until("its stack has overflown", overflown::get);
    assertKilled(actor, Force.ABANDONED);
  }

  @Test
  void aLoopInFinally() throws Exception {
    ActorRef<Object> actor =
        running(
            begun -> {
              begun.run();
              try {
                while (true) Safepoint.poll();
              } finally {
                while (begun != null) Safepoint.poll();
              }
            });
    assertKilled(actor, Force.CANCELLED);
  }

  @Test
  void finallyRunsAndLocksAreReleased() throws Exception {
    var lock = new ReentrantLock();
    var monitor = new Object();
    var ran = new AtomicBoolean();
    ActorRef<Object> actor =
        running(
            begun -> {
              lock.lock();
              try {
                synchronized (monitor) {
                  begun.run();
                  while (true) Safepoint.poll();
                }
              } finally {
                lock.unlock();
                ran.set(true);
              }
            });
    assertKilled(actor, Force.CANCELLED);
    assertThat(ran).isTrue();
    assertThat(lock.isLocked()).isFalse();
    synchronized (monitor) {
      assertThat(ran).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aSleepingHandler(Backend backend) throws Exception {
    ActorRef<Object> actor =
        running(
            begun -> {
              begun.run();
              Thread.sleep(1_000_000);
            },
            backend);
    assertKilled(actor, Force.INTERRUPTED);
  }

  @Test
  void aHandlerThatTakesFromAnEmptyQueue() throws Exception {
    var queue = new SynchronousQueue<String>();
    ActorRef<Object> actor =
        running(
            begun -> {
              begun.run();
              queue.take();
            });
    assertKilled(actor, Force.INTERRUPTED);
  }

  @Test
  void aHandlerThatWaitsForALockNobodyReleases() throws Exception {
    var lock = new ReentrantLock();
    lock.lock();
    ActorRef<Object> actor =
        running(
            begun -> {
              begun.run();
              lock.lock();
            });
    assertKilled(actor, Force.ABANDONED);
  }

  @Test
  void whoStandsInLineBehindAnAbandonedHandlerGetsTheLock() throws Exception {
    var lock = new ReentrantLock(true);
    lock.lock();
    ActorRef<Object> actor =
        running(
            begun -> {
              begun.run();
              lock.lock();
              try {
                Safepoint.poll();
              } finally {
                lock.unlock();
              }
            });
    Await.until("it waits for the lock", lock::hasQueuedThreads);
    assertKilled(actor, Force.ABANDONED);
    var innocent = CompletableFuture.runAsync(lock::lock, Thread::startVirtualThread);
    Await.until("both wait for it", () -> lock.getQueueLength() >= 2);
    lock.unlock();
    innocent.get(60, TimeUnit.SECONDS);
  }

  @Test
  void aHandlerThatWaitsForAMonitor() throws Exception {
    var monitor = new Object();
    synchronized (monitor) {
      ActorRef<Object> actor =
          running(
              begun -> {
                begun.run();
                synchronized (monitor) {
                  Safepoint.poll();
                }
              });
      assertKilled(actor, Force.ABANDONED);
    }
  }

  @Test
  void aHandlerThatWaitsForAnAnswer() throws Exception {
    ActorRef<Object> silent = system.spawn(() -> (m, c) -> c.defer((Ask) m));
    ActorRef<Object> actor =
        running(
            begun -> {
              begun.run();
              silent.call(new Ask(), Duration.ofHours(1));
            });
    assertKilled(actor, Force.CANCELLED);
  }

  /** Thrown at or interrupted where it waits, it would make the class unusable for ever. */
  @ParameterizedTest
  @EnumSource
  void aClassInitialiserThatWaitsForAnAnswer(Backend backend) throws Exception {
    var asked = new CompletableFuture<Reply<String>>();
    Once.answers.set(system.spawn(() -> (m, c) -> asked.complete(c.defer((Ask) m))));
    ActorRef<Object> actor =
        running(
            begun -> {
              begun.run();
              Once.answer(backend);
            },
            backend);
    Reply<String> reply = get(asked);
    assertKilled(actor, Force.ABANDONED);
    reply.send("well"); // the initialiser ends, and so does the thread
    assertThat(Once.answer(backend)).isEqualTo("well");
  }

  /** A class for each, as it is initialised once. */
  private static final class Once {
    static final AtomicReference<ActorRef<Object>> answers = new AtomicReference<>();

    static String answer(Backend backend) {
      return switch (backend) {
        case ASYNC -> OnWorker.ANSWER;
        case BLOCKING -> OnSharedThread.ANSWER;
        case THREAD -> OnOwnThread.ANSWER;
      };
    }

    static String ask() {
      return answers.get().call(new Ask(), Duration.ofHours(1));
    }

    private static final class OnWorker {
      static final String ANSWER = ask();
    }

    private static final class OnSharedThread {
      static final String ANSWER = ask();
    }

    private static final class OnOwnThread {
      static final String ANSWER = ask();
    }
  }

  /** What it used while the flag was down, for others' sake, was held against it. */
  @Test
  void aLoopThatPollsAgainWhenTheFlagIsDown() throws Exception {
    ActorRef<Object> actor =
        running(
            begun -> {
              begun.run();
              Unwoven
                  .spinUntilTheFlagIsDownAgain(); // it sees that itself: who told it came too late
              while (true) {
                Unwoven.spinForAWhile(); // it answers, but not before it was looked at
                Safepoint.poll();
              }
            });
    assertKilled(actor, Force.CANCELLED);
  }

  /** A loop that takes no notice of interrupts is thrown at behind the second one. */
  @Test
  void aLoopOfWaitsThatTakesNoNoticeOfInterrupts() throws Exception {
    ActorRef<Object> actor =
        running(
            begun -> {
              begun.run();
              while (true) {
                Safepoint.poll();
                try {
                  Thread.sleep(1_000_000);
                } catch (InterruptedException e) {
                  // on purpose
                }
              }
            });
    assertKilled(actor, Force.CANCELLED);
  }

  @Test
  void aHandlerThatWaitsForRoomInAFullMailbox() throws Exception {
    var end = new AtomicBoolean();
    ActorRef<Object> full =
        system.spawn(
            ActorSpec.<Object>of(
                    () ->
                        (_, _) -> {
                          while (!end.get()) LockSupport.parkNanos(1_000_000);
                        })
                .withMailbox(MailboxConfig.bounded(1, OverflowPolicy.WAIT)));
    full.cast("in hand");
    Await.until("it is in hand", () -> full.snapshot().queued() == 0);
    full.cast("fills it");
    ActorRef<Object> actor =
        running(
            begun -> {
              begun.run();
              full.cast("waits");
            });
    assertKilled(actor, Force.CANCELLED);
    end.set(true);
    assertThat(system.snapshot().messagesFailed()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void aLoopWithoutPolls(Backend backend) throws Exception {
    var end = new AtomicBoolean();
    ActorRef<Object> actor =
        running(
            begun -> {
              begun.run();
              Unwoven.spin(end);
            },
            backend);
    assertKilled(actor, Force.ABANDONED);
    assertThat(system.snapshot().handlersAbandoned()).isEqualTo(1);
    end.set(true);
    assertOthersRun();
  }

  /** Handlers without polls that end by themselves at about the moment they are given up. */
  @ParameterizedTest
  @EnumSource
  void handlersThatEndAsTheyAreGivenUp(Backend backend) throws Exception {
    for (int i = 0; i < 40; i++) {
      long time = 20_000_000 + i * 1_000_000L;
      ActorRef<Object> actor =
          running(
              begun -> {
                begun.run();
                long until = System.nanoTime() + time;
                while (System.nanoTime() - until < 0) Thread.onSpinWait();
              },
              backend);
      get(actor.kill());
    }
    assertThat(system.snapshot().actorsLive()).isZero();
    assertOthersRun();
  }

  @Test
  void aMaskedRegionIsNotCancelledInTheMiddle() throws Exception {
    var halves = new AtomicInteger();
    ActorRef<Object> actor =
        running(
            begun -> {
              begun.run();
              while (true)
                Masked.run(
                    Duration.ofSeconds(1),
                    () -> {
                      halves.incrementAndGet();
                      for (int i = 0; i < 1_000; i++) Safepoint.poll();
                      halves.incrementAndGet();
                    });
            });
    assertKilled(actor, Force.CANCELLED);
    assertThat(halves.get() % 2).isZero();
  }

  @Test
  void aMaskThatLastsTooLongIsNoProtection() throws Exception {
    ActorRef<Object> actor =
        running(
            begun ->
                Masked.run(
                    Duration.ofMillis(1),
                    () -> {
                      begun.run();
                      while (true) Safepoint.poll();
                    }));
    assertKilled(actor, Force.CANCELLED);
  }

  @Test
  void oneLoopOfMany() throws Exception {
    var end = new AtomicBoolean();
    var begun = new CountDownLatch(200);
    ActorRef<Object> last = null;
    for (int i = 0; i < 200; i++) {
      last =
          system.spawn(
              () ->
                  (_, _) -> {
                    begun.countDown();
                    while (!end.get()) Safepoint.poll();
                  });
      last.cast("go");
    }
    assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(get(last.kill()).force()).isEqualTo(Force.CANCELLED);
    end.set(true);
  }

  @ParameterizedTest
  @EnumSource
  void anAbandonedLoopThatPollsDoesNotRunOn(Backend backend) throws Exception {
    var rounds = new AtomicInteger();
    var thread = new AtomicReference<Thread>();
    ActorRef<Object> actor =
        running(
            begun -> {
              thread.set(Thread.currentThread());
              Thread.currentThread().interrupt(); // as a kill does, if it finds it running
              begun.run();
              Unwoven.swallow(rounds);
            },
            backend);
    assertKilled(actor, Force.ABANDONED);
    // Its polls throw some more times, and then it stands still.
    int before;
    do {
      before = rounds.get();
      Thread.sleep(50);
    } while (rounds.get() != before);
    if (backend == Backend.ASYNC) return; // its fiber is run no more
    Thread left = thread.get(); // while it shows an interrupt, it does not park
    Await.until("it is parked", () -> left.getState() == State.WAITING && !left.isInterrupted());
  }

  @ParameterizedTest
  @EnumSource
  void aMaskedSectionThatTakesItsTimeIsNeitherInterruptedNorAbandoned(Backend backend)
      throws Exception {
    var done = new AtomicInteger();
    ActorRef<Object> actor =
        running(
            begun ->
                Masked.run(
                    Duration.ofSeconds(1),
                    () -> {
                      begun.run();
                      LockSupport.parkNanos(1);
                      long until = System.nanoTime() + 100_000_000;
                      while (System.nanoTime() - until < 0) Thread.onSpinWait();
                      if (!Thread.currentThread().isInterrupted()) done.incrementAndGet();
                    }),
            backend);
    get(actor.kill());
    assertThat(done.get()).isEqualTo(1);
  }

  @Test
  void theFunctionOfACallToSelf() throws Exception {
    var begun = new CountDownLatch(1);
    ActorRef<Object> callee = system.spawn(() -> (m, c) -> c.reply((Ask) m, "x"));
    ActorRef<Object> actor =
        system.spawn(
            () ->
                (_, context) ->
                    context.callToSelf(
                        callee,
                        new Ask(),
                        _ -> {
                          begun.countDown();
                          while (true) Safepoint.poll();
                        }));
    actor.cast("go");
    assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
    assertKilled(actor, Force.CANCELLED);
  }

  @ParameterizedTest
  @EnumSource
  void whoWaitsForRoomOnAnyThread(Backend backend) throws Exception {
    var end = new AtomicBoolean();
    ActorRef<Object> full =
        system.spawn(
            ActorSpec.<Object>of(
                    () ->
                        (_, _) -> {
                          while (!end.get()) LockSupport.parkNanos(1_000_000);
                        })
                .withMailbox(MailboxConfig.bounded(1, OverflowPolicy.WAIT)));
    full.cast("in hand");
    Await.until("it is in hand", () -> full.snapshot().queued() == 0);
    full.cast("fills it");
    ActorRef<Object> actor =
        running(
            begun -> {
              begun.run();
              full.cast("waits");
            },
            backend);
    get(actor.kill());
    assertThat(get(actor.whenStopped())).isInstanceOf(StopReason.Killed.class);
    end.set(true);
  }

  @Test
  void killedInTeardownItIsKilledAndNotCrashed() throws Exception {
    var begun = new CountDownLatch(1);
    ActorRef<Object> actor =
        system.spawn(
            () ->
                new Actor<Object>() {
                  @Override
                  public void receive(Object message, Context<Object> context) {}

                  @Override
                  public void teardown(StopReason reason, Context<Object> context) {
                    begun.countDown();
                    while (reason != null) Safepoint.poll();
                  }
                });
    actor.stop();
    assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
    get(actor.kill());
    assertThat(get(actor.whenStopped())).isInstanceOf(StopReason.Killed.class);
    assertThat(system.snapshot().crashes()).isZero();
  }

  @Test
  void anIdleActor() throws Exception {
    ActorRef<Object> actor = system.spawn(() -> (_, _) -> {});
    actor.cast("x");
    Await.until("it was handled", () -> system.snapshot().messagesHandled() > 0);
    assertKilled(actor, Force.NONE);
  }

  @Test
  void oneThatHasStoppedAlready() throws Exception {
    ActorRef<Object> actor = system.spawn(() -> (_, _) -> {});
    actor.stop();
    get(actor.whenStopped());
    assertThat(get(actor.kill()).force()).isEqualTo(Force.NONE);
    assertThat(get(actor.whenStopped())).isInstanceOf(StopReason.ShutDown.class);
  }

  @Test
  void anActorThatDoesNotGetBeyondItsInit() throws Exception {
    ActorRef<Object> actor =
        system.spawn(
            () ->
                new Actor<Object>() {
                  @Override
                  public void init(Context<Object> context) {
                    while (context != null) Safepoint.poll();
                  }

                  @Override
                  public void receive(Object message, Context<Object> context) {}
                });
    Await.until("it starts", () -> actor.snapshot().state().name().equals("STARTING"));
    assertThat(get(actor.kill()).path()).isEqualTo(actor.path());
    assertThat(get(actor.whenStopped())).isInstanceOf(StopReason.Killed.class);
  }

  @Test
  void childrenInLoopsGoWithTheirParent() throws Exception {
    var begun = new CountDownLatch(3);
    ActorRef<Object> parent =
        system.spawn(
            () ->
                (_, context) -> {
                  for (int i = 0; i < 3; i++)
                    context
                        .<Object>spawn(
                            () ->
                                (_, _) -> {
                                  begun.countDown();
                                  while (true) Safepoint.poll();
                                })
                        .cast("go");
                });
    parent.cast("go");
    assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
    get(parent.kill());
    assertThat(system.snapshot().actorsLive()).isZero();
  }

  @Test
  void aStoppingActorWhoseChildDoesNotEnd() throws Exception {
    var begun = new CountDownLatch(1);
    ActorRef<Object> parent =
        system.spawn(
            () ->
                (_, context) ->
                    context
                        .<Object>spawn(
                            () ->
                                (_, _) -> {
                                  begun.countDown();
                                  while (true) Safepoint.poll();
                                })
                        .cast("go"));
    parent.cast("go");
    assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
    parent.stop();
    get(parent.kill());
    assertThat(system.snapshot().actorsLive()).isZero();
  }

  @Test
  void theCallerOfTheCallInHandIsTold() throws Exception {
    var begun = new CountDownLatch(1);
    ActorRef<Object> actor =
        system.spawn(
            () ->
                (_, _) -> {
                  begun.countDown();
                  while (true) Safepoint.poll();
                });
    var call = actor.callAsync(new Ask(), Duration.ofHours(1)).toCompletableFuture();
    assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < 5; i++) actor.cast("left");
    get(actor.kill());
    assertThatThrownBy(() -> call.get(60, TimeUnit.SECONDS))
        .cause()
        .isInstanceOf(CallException.class)
        .hasCauseInstanceOf(HandlerCancelled.class)
        .hasMessageContaining(actor.path());
    assertThat(system.snapshot().deadLetters().get(DeadLetterReason.LEFT_BEHIND)).isEqualTo(5);
    assertThat(system.snapshot().messagesFailed()).isEqualTo(1);
  }

  @Test
  void aParentHearsOfItAndTeardownIsNotCalled() throws Exception {
    var heard = new CompletableFuture<Signal>();
    var torn = new AtomicBoolean();
    var child = new CompletableFuture<ActorRef<Object>>();
    ActorRef<Object> parent =
        system.spawn(
            () ->
                new Actor<Object>() {
                  @Override
                  public void receive(Object message, Context<Object> context) {
                    child.complete(
                        context.spawn(
                            () ->
                                new Actor<Object>() {
                                  @Override
                                  public void receive(Object m, Context<Object> c) {
                                    while (m != null) Safepoint.poll();
                                  }

                                  @Override
                                  public void teardown(StopReason why, Context<Object> c) {
                                    torn.set(true);
                                  }
                                }));
                  }

                  @Override
                  public void info(Signal signal, Context<Object> context) {
                    heard.complete(signal);
                  }
                });
    parent.cast("go");
    ActorRef<Object> victim = get(child);
    victim.cast("loop");
    get(victim.kill());
    assertThat(get(heard)).isInstanceOf(Signal.ChildCrashed.class);
    assertThat(torn).isFalse();
  }

  /** Kills at random moments, in code that polls, waits and swallows: each ends, nobody else. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void manyKillsAtRandomMoments(int workers) throws Exception {
    var rounds = new AtomicInteger();
    var lock = new ReentrantLock();
    system.dispatcher().resize(workers);
    for (int i = 0; i < 300; i++) {
      int shape = i % 4;
      ActorRef<Object> actor =
          running(
              begun -> {
                begun.run();
                while (true) {
                  switch (shape) {
                    case 0 -> Safepoint.poll();
                    case 1 -> Thread.sleep(0, 100_000);
                    case 2 -> {
                      lock.lock();
                      try {
                        rounds.incrementAndGet();
                        Safepoint.poll();
                      } finally {
                        lock.unlock();
                      }
                    }
                    default -> Thread.yield();
                  }
                  Safepoint.poll();
                }
              });
      if (i % 3 == 0) LockSupport.parkNanos(i * 1_000L);
      get(actor.kill());
    }
    assertThat(lock.tryLock(60, TimeUnit.SECONDS)).isTrue();
    lock.unlock();
    assertThat(system.snapshot().actorsLive()).isZero();
    assertOthersRun();
  }
}
