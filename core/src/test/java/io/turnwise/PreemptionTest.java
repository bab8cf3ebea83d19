package io.turnwise;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.scheduling.Placement;
import io.turnwise.scheduling.SchedulingConfig;
import io.turnwise.weaving.Safepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Handlers that pass polls give way in the middle. The polls are written by hand here, as a weaver
 * would put them; nothing in these tests measures time, all of them wait for what must happen.
 */
class PreemptionTest {
  private static final long LONG = 60;

  private static ActorSystem open(int workers) {
    return ActorSystem.open("test", c -> c.withWorkers(workers).withCloseOnShutdown(false));
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    assertThat(latch.await(LONG, TimeUnit.SECONDS)).as("it must come").isTrue();
  }

  /** Loops until told otherwise, past a poll each time. */
  private static void spin(AtomicBoolean end) {
    while (!end.get()) Safepoint.poll();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void anEndlessLoopDoesNotKeepOthersFromTheirTurns(int workers) throws Exception {
    var end = new AtomicBoolean();
    try (var system = open(workers)) {
      for (int i = 0; i < 2 * workers; i++)
        system.<String>spawn(() -> (_, _) -> spin(end)).cast("go");
      var pings = new CountDownLatch(1_000);
      ActorRef<String> innocent = system.spawn(() -> (_, _) -> pings.countDown());
      for (int i = 0; i < 1_000; i++) {
        innocent.cast("ping");
        if (i % 100 == 0) Thread.sleep(1);
      }
      await(pings);
      while (system.snapshot().preemptions() == 0) innocent.cast("ping");
      end.set(true);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void endlessLoopsShareTheWorkers(int workers) throws Exception {
    int hogs = 4 * workers;
    var end = new AtomicBoolean();
    var rounds = new AtomicLongArray(hogs);
    try (var system = open(workers)) {
      for (int i = 0; i < hogs; i++) {
        int me = i;
        system
            .<String>spawn(
                () ->
                    (_, _) -> {
                      while (!end.get()) {
                        rounds.incrementAndGet(me);
                        Safepoint.poll();
                      }
                    })
            .cast("go");
      }
      for (int i = 0; i < hogs; i++) {
        int hog = i;
        Await.until("loop " + i + " has run", () -> rounds.get(hog) > 0);
      }
      end.set(true);
    }
  }

  @Test
  void aLoopThatWakesAnotherActorGivesWayToIt() throws Exception {
    var end = new AtomicBoolean();
    try (var system = open(1)) {
      ActorRef<String> other = system.spawn(() -> (_, _) -> end.set(true));
      var over = new CountDownLatch(1);
      system
          .<String>spawn(
              () ->
                  (_, _) -> {
                    other.cast("end it");
                    spin(end);
                    over.countDown();
                  })
          .cast("go");
      await(over);
    }
  }

  @Test
  void anActorPinnedToTheWorkerOfALoopGetsItsTurn() throws Exception {
    var end = new AtomicBoolean();
    try (var system = open(2)) {
      system
          .spawn(
              ActorSpec.<String>of(() -> (_, _) -> spin(end)).withPlacement(Placement.pinnedTo(0)))
          .cast("go");
      var turn = new CountDownLatch(1);
      system
          .spawn(
              ActorSpec.<String>of(() -> (_, _) -> turn.countDown())
                  .withPlacement(Placement.pinnedTo(0)))
          .cast("ping");
      await(turn);
      end.set(true);
    }
  }

  @Test
  void aTurnGoesOnExactlyWhereItStopped() throws Exception {
    int actors = 8;
    int steps = 400;
    var done = new CountDownLatch(actors);
    var wrong = new AtomicReference<String>();
    var lock = new ReentrantLock();
    var monitor = new Object();
    try (var system = open(2)) {
      for (int i = 0; i < actors; i++) {
        int me = i;
        ActorRef<String> actor =
            system.spawn(
                () ->
                    (message, _) -> {
                      ThreadLocal<Integer> own = new ThreadLocal<>();
                      own.set(me);
                      long sum = 0;
                      int[] shared = new int[1];
                      for (int step = 0; step < steps; step++) {
                        if (step % 50 == 0) {
                          lock.lock();
                          try {
                            sum += burn(step);
                            if (!lock.isHeldByCurrentThread()) wrong.set("the lock went away");
                          } finally {
                            lock.unlock();
                          }
                        } else if (step % 50 == 25) {
                          synchronized (monitor) {
                            int before = ++shared[0];
                            sum += burn(step);
                            if (shared[0] != before || !Thread.holdsLock(monitor))
                              wrong.set("the monitor went away");
                          }
                        } else {
                          sum += burn(step);
                        }
                        if (own.get() != me) wrong.set("the thread-local changed");
                      }
                      long expected = 0;
                      for (int step = 0; step < steps; step++) expected += result(step);
                      if (sum != expected) wrong.set("computed " + sum + ", not " + expected);
                      done.countDown();
                    });
        actor.cast("go");
      }
      await(done);
      assertThat(wrong.get()).isNull();
      assertThat(system.snapshot().preemptions()).as("or this proves nothing").isPositive();
    }
  }

  /** Some work with polls inside. */
  private static long burn(int step) {
    long x = step;
    for (int i = 0; i < 20_000; i++) {
      x = x * 6364136223846793005L + 1442695040888963407L;
      if (i % 100 == 0) Safepoint.poll();
    }
    return x;
  }

  private static long result(int step) {
    long x = step;
    for (int i = 0; i < 20_000; i++) x = x * 6364136223846793005L + 1442695040888963407L;
    return x;
  }

  @Test
  void aPollInAClassInitialiserReturns() throws Exception {
    var end = new CountDownLatch(1);
    try (var system = open(1)) {
      ActorRef<String> other = system.spawn(() -> (_, _) -> {});
      system
          .<String>spawn(
              () ->
                  (_, _) -> {
                    assertThat(SlowToInitialise.value).isEqualTo(42);
                    end.countDown();
                  })
          .cast("go");
      for (int i = 0; i < 20; i++) {
        other.cast("ping");
        Thread.sleep(1);
      }
      await(end);
    }
  }

  /** Polls in its initialiser, where a fiber cannot be unmounted. */
  private static final class SlowToInitialise {
    static final int value;

    static {
      long until = System.nanoTime() + Duration.ofMillis(20).toNanos();
      while (System.nanoTime() - until < 0) Safepoint.poll();
      value = 42;
    }
  }

  /** It answered the request to stop, could not, and was asked again at each tick, for ever. */
  @Test
  void aSpareThreadTakesOverFromAClassInitialiserThatPolls() throws Exception {
    relievesWho(() -> assertThat(EndedByAnother.ended).isTrue(), Gates.FIRST);
  }

  @Test
  void aSpareThreadTakesOverFromAStartedThreadInAClassInitialiser() throws Exception {
    relievesWho(
        () -> {
          try {
            Thread.startVirtualThread(() -> assertThat(EndedByYetAnother.ended).isTrue()).join();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        },
        Gates.SECOND);
  }

  /** Code that goes on until somebody else's message was handled, on the only worker. */
  private static void relievesWho(Runnable code, Gate gate) throws Exception {
    var done = new CountDownLatch(1);
    try (var system = open(1)) {
      system
          .<String>spawn(
              () ->
                  (_, _) -> {
                    code.run();
                    done.countDown();
                  })
          .cast("go");
      await(gate.begun);
      system.<String>spawn(() -> (_, _) -> gate.end.set(true)).cast("end it");
      await(done);
      assertThat(system.snapshot().workersRelieved()).isPositive();
    }
  }

  private record Gate(CountDownLatch begun, AtomicBoolean end) {
    Gate() {
      this(new CountDownLatch(1), new AtomicBoolean());
    }

    boolean pass() {
      begun.countDown();
      spin(end);
      return true;
    }
  }

  private static final class Gates {
    static final Gate FIRST = new Gate();
    static final Gate SECOND = new Gate();
  }

  private static final class EndedByAnother {
    static final boolean ended = Gates.FIRST.pass();
  }

  private static final class EndedByYetAnother {
    static final boolean ended = Gates.SECOND.pass();
  }

  @Test
  void pollsOutsideActorsDoNothing() throws Exception {
    var end = new AtomicBoolean();
    try (var system = open(1)) {
      system.<String>spawn(() -> (_, _) -> spin(end)).cast("go");
      system.<String>spawn(() -> (_, _) -> spin(end)).cast("go");
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        Runnable code =
            () -> {
              for (int j = 0; j < 5_000_000; j++) Safepoint.poll();
            };
        threads.add(i == 0 ? Thread.ofPlatform().start(code) : Thread.ofVirtual().start(code));
      }
      for (Thread thread : threads) assertThat(thread.join(Duration.ofSeconds(LONG))).isTrue();
      end.set(true);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aSpareThreadTakesOverFromWorkersThatCannotBeStopped(int workers) throws Exception {
    var end = new AtomicBoolean();
    try (var system = open(workers)) {
      var begun = new CountDownLatch(workers);
      for (int i = 0; i < workers; i++)
        system
            .<String>spawn(
                () ->
                    (_, _) -> {
                      begun.countDown();
                      Unwoven.spin(end);
                    })
            .cast("go");
      await(begun);
      var pings = new CountDownLatch(1_000);
      ActorRef<String> innocent = system.spawn(() -> (_, _) -> pings.countDown());
      for (int i = 0; i < 1_000; i++) innocent.cast("ping");
      await(pings);
      assertThat(system.snapshot().workersRelieved()).isPositive();
      end.set(true);
    }
  }

  /** What a spare thread itself puts back must not be all that it ever takes. */
  @Test
  void endlessLoopsAllGoOnBesideAStuckWorker() throws Exception {
    int hogs = 4;
    var end = new AtomicBoolean();
    var rounds = new AtomicLongArray(hogs);
    try (var system = open(2)) {
      for (int i = 0; i < hogs; i++) {
        int me = i;
        system
            .<String>spawn(
                () ->
                    (_, _) -> {
                      while (!end.get()) {
                        rounds.incrementAndGet(me);
                        Safepoint.poll();
                      }
                    })
            .cast("go");
      }
      var held = new CountDownLatch(1);
      system
          .<String>spawn(
              () ->
                  (_, _) -> {
                    held.countDown();
                    Unwoven.spin(end);
                  })
          .cast("go");
      await(held);
      Await.until("a worker is relieved", () -> system.snapshot().workersRelieved() > 0);
      for (int cycle = 0; cycle < 50; cycle++)
        for (int i = 0; i < hogs; i++) {
          int loop = i;
          long before = rounds.get(i);
          Await.until("loop " + i + " goes on", () -> rounds.get(loop) > before);
        }
      end.set(true);
    } finally {
      end.set(true);
    }
  }

  @Test
  void spareThreadsTakeOverFromSparesAndPinnedActorsRunOnThem() throws Exception {
    var end = new AtomicBoolean();
    int hogs = 5;
    try (var system = open(1)) {
      var begun = new CountDownLatch(hogs);
      for (int i = 0; i < hogs; i++)
        system
            .spawn(
                ActorSpec.<String>of(
                        () ->
                            (_, _) -> {
                              begun.countDown();
                              Unwoven.spin(end);
                            })
                    .withPlacement(i % 2 == 0 ? Placement.pinnedTo(0) : Placement.ANYWHERE))
            .cast("go");
      await(begun);
      var turn = new CountDownLatch(1);
      system
          .spawn(
              ActorSpec.<String>of(() -> (_, _) -> turn.countDown())
                  .withPlacement(Placement.pinnedTo(0)))
          .cast("ping");
      await(turn);
      end.set(true);
    }
  }

  @Test
  void workersGoOnAfterTheyWereRelieved() throws Exception {
    try (var system = open(1)) {
      for (int round = 0; round < 5; round++) {
        var end = new AtomicBoolean();
        system.<String>spawn(() -> (_, _) -> Unwoven.spin(end)).cast("go");
        var pings = new CountDownLatch(100);
        ActorRef<String> innocent = system.spawn(() -> (_, _) -> pings.countDown());
        for (int i = 0; i < 100; i++) innocent.cast("ping");
        await(pings);
        end.set(true);
      }
      Await.until("all are handled", () -> system.snapshot().messagesHandled() >= 505);
    }
  }

  @Test
  void theFlagGoesDownWhenNobodyIsToStop() throws Exception {
    try (var system = open(1)) {
      var end = new AtomicBoolean();
      ActorRef<String> hog = system.spawn(() -> (_, _) -> Unwoven.spin(end));
      hog.cast("go");
      ActorRef<String> other = system.spawn(() -> (_, _) -> {});
      for (int i = 0; i < 5; i++) {
        other.cast("ping");
        Thread.sleep(1);
      }
      end.set(true);
      Await.until("all are handled", () -> system.snapshot().messagesHandled() >= 6);
      Await.until("the flag is down", () -> !io.turnwise.internal.weaving.PollFlag.raised);
    }
  }

  @Test
  void aVirtualThreadOfAHandlerThatLoopsDoesNotHoldUpOthers() throws Exception {
    var end = new AtomicBoolean();
    try (var system = open(1)) {
      ActorRef<String> starter =
          system.spawn(() -> (_, _) -> Thread.startVirtualThread(() -> Unwoven.spin(end)));
      starter.cast("go");
      var turn = new CountDownLatch(100);
      ActorRef<String> other = system.spawn(() -> (_, _) -> turn.countDown());
      for (int i = 0; i < 100; i++) other.cast("ping");
      await(turn);
      end.set(true);
    }
  }

  @Test
  void workersCanBeRemovedWhileLoopsRunOnThem() throws Exception {
    var end = new AtomicBoolean();
    try (var system = open(3)) {
      var begun = new CountDownLatch(3);
      for (int i = 0; i < 3; i++)
        system
            .<String>spawn(
                () ->
                    (_, _) -> {
                      begun.countDown();
                      spin(end);
                    })
            .cast("go");
      await(begun);
      system.dispatcher().resize(1);
      end.set(true);
    }
  }

  @Test
  void aLoopThatASpareTookOverIsStoppedWhenTheWorkerIsBack() throws Exception {
    var end = new AtomicBoolean();
    var free = new AtomicBoolean();
    var held = new CountDownLatch(1);
    try (var system =
        ActorSystem.open(
            "test",
            c ->
                c.withWorkers(1)
                    .withScheduling(SchedulingConfig.LATENCY)
                    .withCloseOnShutdown(false))) {
      ActorRef<String> holder =
          system.spawn(
              () ->
                  (_, _) -> {
                    held.countDown();
                    Unwoven.spin(free);
                  });
      holder.cast("go");
      await(held);
      List<ActorRef<String>> loops = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        ActorRef<String> loop = system.spawn(() -> (_, _) -> spin(end));
        loop.cast("go");
        loops.add(loop);
      }
      Await.until("a worker is relieved", () -> system.snapshot().workersRelieved() > 0);
      free.set(true);
      // Each is stopped again and again, wherever it ran when the worker came back.
      for (ActorRef<String> loop : loops) {
        long before = loop.snapshot().usage().preemptions();
        Await.until("it is stopped", () -> loop.snapshot().usage().preemptions() >= before + 3);
      }
      end.set(true);
    }
  }

  /**
   * Six loops, one of which takes a lock now and then. While somebody waits for it, the loops take
   * short turns: whoever has the lock comes to run, wherever the loops stand.
   */
  @ParameterizedTest
  @ValueSource(strings = {"monitor", "lock"})
  void whoHasALockComesToRunWhileOthersWaitForIt(String kind) throws Exception {
    var end = new AtomicBoolean();
    var lock = new ReentrantLock();
    var monitor = new Object();
    Runnable holding =
        () -> {
          for (int i = 0; i < 10_000; i++) Safepoint.poll();
        };
    Runnable locked =
        kind.equals("lock")
            ? () -> {
              lock.lock();
              try {
                holding.run();
              } finally {
                lock.unlock();
              }
            }
            : () -> {
              synchronized (monitor) {
                holding.run();
              }
            };
    try (var system = open(1)) {
      for (int i = 0; i < 6; i++) {
        boolean holder = i == 0;
        system
            .<String>spawn(
                () ->
                    (_, _) -> {
                      while (!end.get()) {
                        if (holder) locked.run();
                        Safepoint.poll();
                      }
                    })
            .cast("go");
      }
      var taken = new CountDownLatch(50);
      ActorRef<String> waiter =
          system.spawn(
              () ->
                  (_, _) -> {
                    locked.run();
                    taken.countDown();
                  });
      for (int i = 0; i < 50; i++) waiter.cast("take it");
      await(taken);
      end.set(true);
    }
  }

  @Test
  void whoWaitsBehindAnActorThatOptedOutIsRunByASpareThread() throws Exception {
    var over = new AtomicBoolean();
    Actor<String> loops = (_, _) -> Unwoven.spin(over);
    try (var system = ActorSystem.open("optout", c -> c.withWorkers(1))) {
      var spec =
          ActorSpec.of(() -> loops).withScheduling(SchedulingConfig.DEFAULT.withPreemptible(false));
      ActorRef<String> hog = system.spawn("hog", spec);
      ActorRef<Puppet.Msg> other = system.spawn("other", () -> new Puppet(new ArrayList<>()));
      hog.cast("go");
      while (hog.snapshot().handling() == null) Thread.onSpinWait();
      assertThat(other.call(Puppet.ask("there?"), Duration.ofSeconds(2))).isEqualTo("THERE?");
      over.set(true);
    }
  }
}
