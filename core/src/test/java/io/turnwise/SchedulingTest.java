package io.turnwise;

import static io.turnwise.Puppet.does;
import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.internal.cell.ManualSystem;
import io.turnwise.scheduling.SchedulingConfig;
import io.turnwise.scheduling.YieldBudget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long an actor runs before others get their turn. */
class SchedulingTest {
  /** Long enough for a slice to count as work, short enough to let it finish. */
  private static final Duration SLICE = Duration.ofNanos(150_000);

  /** Two actors with many messages each, one worker: the order in which they were handled. */
  private static List<String> twoBusyActors(ManualSystem kit, int each, Duration work) {
    List<String> order = new ArrayList<>();
    for (String name : List.of("a", "b")) {
      ActorRef<String> actor =
          kit.spawn(
              name,
              () ->
                  (m, _) -> {
                    order.add(m);
                    kit.pass(work);
                  });
      for (int i = 0; i < each; i++) actor.cast(name);
    }
    kit.run();
    assertThat(order).hasSize(2 * each);
    return order;
  }

  /** The longest run of one actor while the other still had messages. */
  private static int longestRun(List<String> order) {
    int longest = 0;
    int run = 0;
    for (int i = 0; i < order.size(); i++) {
      run = i > 0 && order.get(i).equals(order.get(i - 1)) ? run + 1 : 1;
      boolean otherWaits = order.subList(i, order.size()).stream().distinct().count() == 2;
      if (otherWaits) longest = Math.max(longest, run);
    }
    return longest;
  }

  @ParameterizedTest(name = "throughput {0}")
  @ValueSource(ints = {2, 3, 10, 100})
  void aSliceEndsAfterThroughputMessages(int throughput) {
    try (var kit = new ManualSystem(c -> c.withThroughput(throughput))) {
      // Less than a quantum in all: who has used that up waits for the others anyway.
      var order = twoBusyActors(kit, 10 * throughput, SLICE.dividedBy(throughput));
      assertThat(longestRun(order)).isEqualTo(throughput);
    }
  }

  @Test
  void aThroughputOfOneLetsBusyActorsTakeTurns() {
    try (var kit = new ManualSystem(c -> c.withThroughput(1))) {
      List<String> order = new ArrayList<>();
      for (String name : List.of("a", "b", "c")) {
        ActorRef<String> actor =
            kit.spawn(
                name,
                () ->
                    (m, _) -> {
                      order.add(m);
                      kit.passAndTick(Duration.ofMillis(1));
                    });
        for (int i = 0; i < 3; i++) actor.cast(name);
      }
      kit.run();
      assertThat(order).containsExactly("a", "b", "c", "a", "b", "c", "a", "b", "c");
    }
  }

  /** A worker takes up a task that is cheap and behind with its work at most so often in a row. */
  @ParameterizedTest(name = "throughput {0}")
  @ValueSource(ints = {1, 3, 10, 100})
  void slicesThatTakeNoTimeFollowEachOtherAFewTimesAtMost(int throughput) {
    try (var kit = new ManualSystem(c -> c.withThroughput(throughput))) {
      var order = twoBusyActors(kit, 500, Duration.ZERO);
      assertThat(longestRun(order)).isBetween(throughput, 4 * throughput);
    }
  }

  @ParameterizedTest(name = "quantum {0} ms")
  @ValueSource(ints = {1, 10, 50})
  void aSliceEndsBetweenTwoMessagesWhenTheQuantumIsUsedUp(int millis) {
    try (var kit =
        new ManualSystem(c -> c.withThroughput(1_000_000).withQuantum(Duration.ofMillis(millis)))) {
      Duration work = Duration.ofMillis(millis).dividedBy(5);
      var order = twoBusyActors(kit, 100, work);
      // Five messages use it up; the first of a slice is not timed.
      assertThat(longestRun(order)).isLessThanOrEqualTo(6);
    }
  }

  @Test
  void oneLongMessageIsNotCutButTheSliceEndsAfterIt() {
    try (var kit = new ManualSystem()) {
      var order = twoBusyActors(kit, 20, Duration.ofSeconds(1));
      assertThat(longestRun(order)).isLessThanOrEqualTo(2);
    }
  }

  @Test
  void busyActorsShareTheTimeFairly() {
    try (var kit = new ManualSystem()) {
      List<String> order = new ArrayList<>();
      var time = new long[3];
      for (int a = 0; a < 3; a++) {
        int me = a;
        Duration work = Duration.ofMillis(1L << me); // 1, 2 and 4 ms a message
        ActorRef<String> actor =
            kit.spawn(
                "a" + me,
                () ->
                    (m, _) -> {
                      order.add(m);
                      if (order.size() < 400) time[me] += work.toMillis();
                      kit.pass(work);
                    });
        for (int i = 0; i < 1_000; i++) actor.cast("a" + me);
      }
      kit.run();
      long least = Math.min(time[0], Math.min(time[1], time[2]));
      long most = Math.max(time[0], Math.max(time[1], time[2]));
      assertThat(most).as("time of three busy actors: %s", (Object) time).isLessThan(2 * least);
    }
  }

  @Test
  void anActorThatWakesIsNotHeldUpByBusyOnes() {
    try (var kit = new ManualSystem()) {
      List<String> order = new ArrayList<>();
      ActorRef<String> innocent = kit.spawn("innocent", () -> (m, _) -> order.add(m));
      kit.run();
      for (int b = 0; b < 4; b++) {
        ActorRef<Integer> busy =
            kit.spawn(
                "busy-" + b,
                () ->
                    (n, c) -> {
                      order.add("busy");
                      kit.pass(Duration.ofMillis(1));
                      if (order.size() == 200) innocent.cast("ping");
                      if (n > 0) c.self().cast(n - 1);
                    });
        busy.cast(200);
      }
      kit.run();
      int waited = order.indexOf("ping") - 200;
      assertThat(waited).as("messages of busy actors before the innocent one's").isBetween(0, 15);
    }
  }

  @Test
  void aChangeOfTheSchedulingTakesEffectWhileRunning() {
    try (var kit = new ManualSystem(c -> c.withThroughput(50))) {
      assertThat(longestRun(twoBusyActors(kit, 200, SLICE.dividedBy(50)))).isEqualTo(50);
      kit.system().dispatcher().configure(s -> s.withThroughput(2));
      assertThat(kit.system().dispatcher().scheduling().throughput()).isEqualTo(2);
      List<String> order = new ArrayList<>();
      for (String name : List.of("c", "d")) {
        ActorRef<String> actor =
            kit.spawn(
                name,
                () ->
                    (m, _) -> {
                      order.add(m);
                      kit.pass(SLICE.dividedBy(2));
                    });
        for (int i = 0; i < 50; i++) actor.cast(name);
      }
      kit.run();
      assertThat(longestRun(order)).isEqualTo(2);
    }
  }

  @Test
  void ofTwoChangesOfTheSchedulingAtATimeNoneIsLost() {
    try (var kit = new ManualSystem()) {
      Dispatcher dispatcher = kit.system().dispatcher();
      var other = new AtomicBoolean(true);
      dispatcher.configure(
          s -> {
            if (other.getAndSet(false)) dispatcher.configure(t -> t.withThroughput(7));
            return s.withQuantum(Duration.ofMillis(3));
          });
      assertThat(dispatcher.scheduling()).isEqualTo(new SchedulingConfig(7, Duration.ofMillis(3)));
    }
  }

  @Test
  void anActorMayBringItsOwnSchedulingAndItsSpecWins() {
    try (var kit = new ManualSystem(c -> c.withThroughput(40))) {
      class Own implements Actor<String> {
        private final List<String> order;

        Own(List<String> order) {
          this.order = order;
        }

        @Override
        public SchedulingConfig schedulingConfig() {
          return new SchedulingConfig(13, Duration.ofMillis(10));
        }

        @Override
        public void receive(String message, Context<String> context) {
          order.add(message);
          kit.pass(SLICE.dividedBy(40));
        }
      }
      assertThat(runsBeside(kit, "own", ActorSpec.<String>of(() -> new Own(kit.raw()))))
          .isEqualTo(13);
      assertThat(
              runsBeside(
                  kit,
                  "spec",
                  ActorSpec.<String>of(() -> new Own(kit.raw()))
                      .withScheduling(new SchedulingConfig(17, Duration.ofMillis(10)))))
          .isEqualTo(17);
      ActorSpec<String> plain =
          ActorSpec.of(
              () ->
                  (m, _) -> {
                    kit.raw().add(m);
                    kit.pass(SLICE.dividedBy(40));
                  });
      assertThat(runsBeside(kit, "plain", plain)).isEqualTo(40);
    }
  }

  private static int runsBeside(ManualSystem kit, String name, ActorSpec<String> spec) {
    kit.clearLog();
    for (String each : List.of(name + "-1", name + "-2")) {
      ActorRef<String> actor = kit.spawn(each, spec);
      for (int i = 0; i < 120; i++) actor.cast(each);
    }
    kit.run();
    return longestRun(kit.log());
  }

  @ParameterizedTest(name = "{0} workers")
  @ValueSource(ints = {1, 2})
  void twoActorsThatKeepSendingToThemselvesDoNotStarveAnInnocentOne(int workers) throws Exception {
    try (var system = ActorSystem.open("starve", c -> c.withWorkers(workers))) {
      var stop = new AtomicBoolean();
      for (int i = 0; i < 2; i++) {
        ActorRef<String> busy =
            system.spawn(
                () ->
                    (m, c) -> {
                      if (!stop.get()) c.self().cast(m);
                    });
        busy.cast("again");
      }
      var innocent =
          system.spawn(() -> new Puppet(Collections.synchronizedList(new ArrayList<>())));
      for (int i = 0; i < 200; i++) assertThat(innocent.call(Puppet.ask("ping"))).isEqualTo("PING");
      stop.set(true);
    }
  }

  // ---- yielding --------------------------------------------------------------------------------

  @Test
  void aBudgetSaysWhenToYieldAndStaysTrueUntilItIsDone() {
    var budget = new YieldBudget(3);
    assertThat(budget.shouldYield()).isFalse();
    budget.count();
    budget.count();
    assertThat(budget.shouldYield()).isFalse();
    budget.count();
    assertThat(budget.shouldYield()).isTrue();
    budget.count();
    assertThat(budget.shouldYield()).isTrue();
    budget.yieldNow();
    assertThat(budget.shouldYield()).isFalse();
  }

  @Test
  void aBudgetOfOneIsUsedUpByEveryStep() {
    var budget = new YieldBudget(1);
    budget.count();
    assertThat(budget.shouldYield()).isTrue();
    budget.tick();
    assertThat(budget.shouldYield()).isFalse();
  }

  @Test
  void tickYieldsWhenTheBudgetIsUsedUp() {
    try (var kit = new ManualSystem()) {
      var steps = yieldingBeside(kit, () -> new YieldBudget(10)::tick);
      assertThat(steps.indexOf("other")).isEqualTo(10);
    }
  }

  @Test
  void yieldEveryYieldsAtEveryNthStep() {
    try (var kit = new ManualSystem()) {
      var steps =
          yieldingBeside(
              kit,
              () -> {
                var step = new AtomicInteger();
                return () -> YieldBudget.yieldEvery(step.incrementAndGet(), 25);
              });
      assertThat(steps.indexOf("other")).isEqualTo(25);
    }
  }

  /** A long turn that yields, and one message for another actor: what came when. */
  private static List<String> yieldingBeside(
      ManualSystem kit, java.util.function.Supplier<Runnable> yields) {
    List<String> order = new ArrayList<>();
    var busy = kit.puppet("busy");
    ActorRef<String> other = kit.spawn("other", () -> (m, _) -> order.add(m));
    kit.run();
    busy.cast(
        does(
            _ -> {
              other.cast("other");
              Runnable yield = yields.get();
              for (int i = 0; i < 100; i++) {
                order.add("step");
                yield.run();
              }
            }));
    kit.run();
    assertThat(order).hasSize(101);
    return order;
  }

  @Test
  void aTurnThatYieldsIsStillOneTurn() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      actor.cast(
          does(
              _ -> {
                kit.note("first begins");
                for (int i = 0; i < 5; i++) Thread.yield();
                kit.note("first ends");
              }));
      actor.cast(does(_ -> kit.note("second")));
      kit.run();
      assertThat(kit.log()).containsExactly("a begins", "first begins", "first ends", "second");
      assertThat(kit.system().snapshot().messagesHandled()).isEqualTo(2);
      assertThat(kit.system().snapshot().suspensions()).isGreaterThanOrEqualTo(5);
    }
  }

  @ParameterizedTest(name = "{0} workers")
  @ValueSource(ints = {1, 2})
  void aHandlerMaySleepAndLockWithoutHoldingItsWorker(int workers) throws Exception {
    try (var system = ActorSystem.open("block", c -> c.withWorkers(workers))) {
      int sleepers = 50;
      var begun = new CountDownLatch(sleepers);
      var go = new CountDownLatch(1);
      var done = new CountDownLatch(sleepers);
      for (int i = 0; i < sleepers; i++) {
        ActorRef<String> actor =
            system.spawn(
                () ->
                    (_, _) -> {
                      begun.countDown();
                      Thread.sleep(1);
                      go.await();
                      done.countDown();
                    });
        actor.cast("x");
      }
      Await.latch(begun); // all of them at once, on one or two workers
      var result = new CompletableFuture<String>();
      ActorRef<String> other = system.spawn(() -> (m, _) -> result.complete(m));
      other.cast("served");
      assertThat(Await.result(result)).isEqualTo("served");
      go.countDown();
      Await.latch(done);
    }
  }
}
