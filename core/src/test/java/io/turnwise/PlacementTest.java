package io.turnwise;

import static io.turnwise.Puppet.ask;
import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.internal.cell.ManualSystem;
import io.turnwise.observation.ActorState;
import io.turnwise.scheduling.Placement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Where actors run: anywhere, pinned, grouped, on dispatchers of their own, while it all resizes.
 */
class PlacementTest {

  /** The worker under a fiber: a virtual thread's name of its carrier is in its toString. */
  private static String worker() {
    String thread = Thread.currentThread().toString();
    return thread.substring(thread.lastIndexOf('@') + 1);
  }

  /** Waits until a thread that is no worker has woken it: a chance to come back elsewhere. */
  private static void waitForOutside() throws Exception {
    var outside = new CompletableFuture<String>();
    Thread.ofPlatform().start(() -> outside.complete("go on"));
    Await.result(outside);
  }

  private static ActorSpec<Integer> recorder(Set<String> workers, CountDownLatch done) {
    return ActorSpec.of(
        () ->
            (n, c) -> {
              workers.add(worker());
              Thread.yield(); // a chance to move
              workers.add(worker());
              if (n > 0) c.self().cast(n - 1);
              else done.countDown();
            });
  }

  @Test
  void theCarrierOfAFiberIsAWorkersThread() throws Exception {
    try (var system = ActorSystem.open("carrier", c -> c.withWorkers(2))) {
      Set<String> workers = ConcurrentHashMap.newKeySet();
      var done = new CountDownLatch(1);
      system.spawn(recorder(workers, done)).cast(10);
      Await.latch(done);
      assertThat(workers).allMatch(w -> w.matches("turnwise-carrier-default-worker-[01]"));
    }
  }

  @ParameterizedTest(name = "pinned to {0} of {1}: worker {2}")
  @CsvSource({"0,3,0", "2,3,2", "3,3,0", "7,3,1", "1023,3,0"})
  void aPinnedActorStaysOnItsWorkerAndTheIndexWraps(int pin, int workers, int expected)
      throws Exception {
    try (var system = ActorSystem.open("pins", c -> c.withWorkers(workers))) {
      Set<String> seen = ConcurrentHashMap.newKeySet();
      var done = new CountDownLatch(4);
      for (int i = 0; i < 4; i++)
        system.spawn(recorder(seen, done).withPlacement(Placement.pinnedTo(pin))).cast(100);
      noise(system);
      Await.latch(done);
      assertThat(seen).containsExactly("turnwise-pins-default-worker-" + expected);
    }
  }

  /** Actors without a placement, to make the workers steal. */
  private static void noise(ActorSystem system) {
    for (int i = 0; i < 20; i++)
      system.spawn(recorder(ConcurrentHashMap.newKeySet(), new CountDownLatch(1))).cast(200);
  }

  @Test
  void membersOfAGroupShareAWorkerAndGroupsSpread() throws Exception {
    try (var system = ActorSystem.open("groups", c -> c.withWorkers(4))) {
      Set<String> all = new HashSet<>();
      for (int g = 0; g < 12; g++) {
        Set<String> seen = ConcurrentHashMap.newKeySet();
        var done = new CountDownLatch(5);
        for (int i = 0; i < 5; i++)
          system
              .spawn(recorder(seen, done).withPlacement(Placement.groupedAs("group-" + g)))
              .cast(20);
        Await.latch(done);
        assertThat(seen).hasSize(1);
        all.addAll(seen);
      }
      assertThat(all).hasSizeGreaterThan(1);
    }
  }

  @Test
  void pinnedActorsBlockAndCallLikeOthers() throws Exception {
    try (var system = ActorSystem.open("pins", c -> c.withWorkers(3))) {
      var callee =
          system.spawn(
              ActorSpec.<Puppet.Msg>of(
                      () -> new Puppet(Collections.synchronizedList(new ArrayList<>())))
                  .withPlacement(Placement.pinnedTo(1)));
      Set<String> seen = ConcurrentHashMap.newKeySet();
      var done = new CountDownLatch(1);
      ActorRef<Integer> caller =
          system.spawn(
              ActorSpec.<Integer>of(
                      () ->
                          (n, _) -> {
                            for (int i = 0; i < n; i++) {
                              seen.add(worker());
                              assertThat(callee.call(ask("x" + i))).isEqualTo("X" + i);
                              if (i % 50 == 0) waitForOutside();
                              seen.add(worker());
                            }
                            done.countDown();
                          })
                  .withPlacement(Placement.pinnedTo(2)));
      caller.cast(200);
      Await.latch(done);
      assertThat(seen).containsExactly("turnwise-pins-default-worker-2");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 5, 1023})
  void pinnedActorsRunWithoutThreadsToo(int pin) {
    try (var kit = new ManualSystem(c -> c.withWorkers(3))) {
      var actor = kit.puppet("a", s -> s.withPlacement(Placement.pinnedTo(pin)));
      var answer = kit.call(actor, ask("x"));
      kit.run();
      assertThat(answer).isCompletedWithValue("X");
    }
  }

  // ---- resizing --------------------------------------------------------------------------------

  @Test
  void aDispatcherGrowsAndShrinksUnderLoadAndLosesNothing() throws Exception {
    try (var system = ActorSystem.open("resize", c -> c.withWorkers(1))) {
      int actors = 40;
      int each = 2_000;
      var done = new CountDownLatch(actors);
      var handled = new AtomicInteger();
      List<ActorRef<Integer>> all = new ArrayList<>();
      for (int i = 0; i < actors; i++) {
        ActorSpec<Integer> spec =
            ActorSpec.of(
                () ->
                    (n, c) -> {
                      handled.incrementAndGet();
                      if (n % 500 == 0) waitForOutside();
                      if (n > 0) c.self().cast(n - 1);
                      else done.countDown();
                    });
        if (i % 4 == 0) spec = spec.withPlacement(Placement.pinnedTo(i));
        if (i % 4 == 1) spec = spec.withPlacement(Placement.groupedAs("g" + i % 3));
        all.add(system.spawn(spec));
      }
      for (var actor : all) actor.cast(each - 1);
      for (int size : new int[] {4, 2, 8, 1, 3, 1, 6, 2}) {
        system.dispatcher().resize(size);
        assertThat(system.dispatcher().workers()).isEqualTo(size);
        assertThat(system.dispatcher().loads()).hasSize(size);
      }
      Await.latch(done);
      assertThat(handled).hasValue(actors * each);
      Await.until(
          "the counters know them all",
          () -> system.snapshot().messagesHandled() == (long) actors * each);
      assertThat(system.snapshot().deadLettersTotal()).isZero();
    }
  }

  @Test
  void pinnedActorsMoveWhenTheirWorkerIsRemovedAndBackWhenItReturns() throws Exception {
    try (var system = ActorSystem.open("repin", c -> c.withWorkers(4))) {
      var spec =
          ActorSpec.<Puppet.Msg>of(
                  () -> new Puppet(Collections.synchronizedList(new ArrayList<>())))
              .withPlacement(Placement.pinnedTo(3));
      var actor = system.spawn(spec);
      assertThat(workerOf(actor)).endsWith("worker-3");
      system.dispatcher().resize(2);
      assertThat(workerOf(actor)).endsWith("worker-1");
      system.dispatcher().resize(4);
      assertThat(workerOf(actor)).endsWith("worker-3");
    }
  }

  /** Asked of an actor that is idle: one that is still in a slice answers from where it is. */
  private static String workerOf(ActorRef<Puppet.Msg> actor) {
    while (actor.snapshot().state() != ActorState.RECEIVING) Thread.onSpinWait();
    return actor.call(Puppet.want((w, c) -> c.reply(w, worker())));
  }

  @Test
  void anActorMayResizeItsOwnDispatcher() throws Exception {
    try (var system = ActorSystem.open("self", c -> c.withWorkers(3))) {
      var actor = system.spawn(() -> new Puppet(Collections.synchronizedList(new ArrayList<>())));
      for (int size : new int[] {1, 3, 2, 1}) {
        String seen =
            actor.call(
                Puppet.want(
                    (w, c) -> {
                      c.system().dispatcher().resize(size);
                      c.reply(w, "" + c.system().dispatcher().workers());
                    }));
        assertThat(seen).isEqualTo("" + size);
      }
    }
  }

  @Test
  void suspendedTurnsSurviveTheRemovalOfTheirWorker() throws Exception {
    try (var system = ActorSystem.open("suspended", c -> c.withWorkers(4))) {
      int count = 40;
      var begun = new CountDownLatch(count);
      var go = new CountDownLatch(1);
      var done = new CountDownLatch(count);
      for (int i = 0; i < count; i++) {
        ActorRef<String> actor =
            system.spawn(
                () ->
                    (_, _) -> {
                      begun.countDown();
                      go.await();
                      done.countDown();
                    });
        actor.cast("x");
      }
      Await.latch(begun);
      system.dispatcher().resize(1);
      go.countDown();
      Await.latch(done);
    }
  }

  // ---- dispatchers -----------------------------------------------------------------------------

  @Test
  void aNamedDispatcherHasWorkersOfItsOwn() throws Exception {
    try (var system =
        ActorSystem.open("named", c -> c.withWorkers(1).withDispatcher("reports", 2))) {
      assertThat(system.dispatcher("reports").name()).isEqualTo("reports");
      assertThat(system.dispatcher("reports").workers()).isEqualTo(2);
      assertThat(system.dispatcher("default")).isSameAs(system.dispatcher());
      var spec =
          ActorSpec.<Puppet.Msg>of(
              () -> new Puppet(Collections.synchronizedList(new ArrayList<>())));
      assertThat(workerOf(system.spawn(spec.withDispatcher("reports"))))
          .startsWith("turnwise-named-reports-worker-");
      assertThat(workerOf(system.spawn(spec))).startsWith("turnwise-named-default-worker-");
    }
  }

  @Test
  void actorsOfOneDispatcherDoNotWaitForThoseOfAnother() throws Exception {
    try (var system = ActorSystem.open("apart", c -> c.withWorkers(1).withDispatcher("slow", 1))) {
      var go = new CountDownLatch(1);
      var busy = new CountDownLatch(1);
      ActorRef<String> hog =
          system.spawn(
              ActorSpec.<String>of(
                      () ->
                          (_, _) -> {
                            busy.countDown();
                            while (go.getCount() > 0) Thread.onSpinWait();
                          })
                  .withDispatcher("slow"));
      hog.cast("x");
      Await.latch(busy);
      try {
        var other = system.spawn(() -> new Puppet(Collections.synchronizedList(new ArrayList<>())));
        assertThat(other.call(ask("served"))).isEqualTo("SERVED");
      } finally {
        go.countDown();
      }
    }
  }

  @Test
  void actorsOfDifferentDispatchersTalk() {
    try (var kit = new ManualSystem(c -> c.withDispatcher("two", 2).withDispatcher("three", 1))) {
      var a = kit.puppet("a");
      var b = kit.puppet("b", s -> s.withDispatcher("two"));
      var c = kit.puppet("c", s -> s.withDispatcher("three"));
      a.cast(
          Puppet.does(
              _ -> kit.note(b.call(Puppet.want((w, x) -> x.reply(w, c.call(ask("far"))))))));
      kit.run();
      assertThat(kit.log()).endsWith("FAR");
    }
  }

  @Test
  void eachDispatcherHasASchedulingOfItsOwn() {
    try (var kit = new ManualSystem(c -> c.withThroughput(9).withDispatcher("other", 1))) {
      kit.system().dispatcher("other").configure(s -> s.withThroughput(2));
      assertThat(kit.system().dispatcher().scheduling().throughput()).isEqualTo(9);
      assertThat(kit.system().dispatcher("other").scheduling().throughput()).isEqualTo(2);
    }
  }

  // ---- several systems -------------------------------------------------------------------------

  @Test
  void severalSystemsLiveSideBySideAndCallEachOther() throws Exception {
    List<ActorSystem> systems = new ArrayList<>();
    try {
      List<ActorRef<Puppet.Msg>> actors = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        var system = ActorSystem.open("side-" + i, c -> c.withWorkers(1));
        systems.add(system);
        actors.add(
            system.spawn(
                "same", () -> new Puppet(Collections.synchronizedList(new ArrayList<>()))));
      }
      for (int i = 0; i < 4; i++) {
        var callee = actors.get((i + 1) % 4);
        String answer =
            actors.get(i).call(Puppet.want((w, c) -> c.reply(w, callee.call(ask("across")))));
        assertThat(answer).isEqualTo("ACROSS");
      }
      systems.get(0).close();
      assertThat(actors.get(1).call(ask("alive"))).isEqualTo("ALIVE");
      assertThat(systems.get(1).snapshot().actorsLive()).isEqualTo(1);
    } finally {
      systems.forEach(ActorSystem::close);
    }
  }

  @Test
  void twoSystemsMayHaveTheSameName() throws Exception {
    try (var one = ActorSystem.open("twin", c -> c.withWorkers(1));
        var two = ActorSystem.open("twin", c -> c.withWorkers(1))) {
      one.spawn("a", () -> new Puppet(Collections.synchronizedList(new ArrayList<>())));
      assertThat(two.find("a")).isEmpty();
      assertThat(two.snapshot().actorsSpawned()).isZero();
    }
  }
}
