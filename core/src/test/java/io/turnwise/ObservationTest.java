package io.turnwise;

import static io.turnwise.Puppet.ask;
import static io.turnwise.Puppet.crash;
import static io.turnwise.Puppet.does;
import static io.turnwise.Puppet.say;
import static io.turnwise.Puppet.want;
import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.internal.cell.ManualSystem;
import io.turnwise.observation.ActorState;
import io.turnwise.observation.DeadLetterReason;
import io.turnwise.observation.SystemSnapshot;
import io.turnwise.scheduling.Backend;
import io.turnwise.scheduling.Placement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What can be seen of actors and systems from outside: states, counters, the dump. */
class ObservationTest {

  @Test
  void theStatesOfAnActorsLifeAreVisible() {
    try (var kit = new ManualSystem()) {
      var helper = kit.puppet("helper");
      kit.run();
      var gate = new CompletableFuture<Reply<String>>();
      var actor = kit.puppet("a");
      assertThat(actor.snapshot().state()).isEqualTo(ActorState.STARTING);
      kit.run();
      assertThat(actor.snapshot().state()).isEqualTo(ActorState.RECEIVING);
      List<ActorState> inside = new ArrayList<>();
      actor.cast(
          does(
              c -> {
                inside.add(c.self().snapshot().state());
                helper.call(want((w, h) -> gate.complete(h.defer(w))));
              }));
      assertThat(actor.snapshot().state()).isEqualTo(ActorState.RUNNABLE);
      kit.run();
      assertThat(inside).containsExactly(ActorState.RUNNING);
      assertThat(actor.snapshot().state()).isEqualTo(ActorState.SUSPENDED);
      gate.join().send("go");
      assertThat(actor.snapshot().state()).isEqualTo(ActorState.RUNNABLE);
      kit.run();
      assertThat(actor.snapshot().state()).isEqualTo(ActorState.RECEIVING);
      actor.stop();
      kit.run();
      assertThat(actor.snapshot().state()).isEqualTo(ActorState.HALTED);
    }
  }

  @Test
  void anActorIsStartingUntilInitIsDone() {
    try (var kit = new ManualSystem()) {
      var helper = kit.puppet("helper");
      var gate = new CompletableFuture<Reply<String>>();
      List<ActorState> inside = new ArrayList<>();
      var actor =
          kit.spawn(
              "a",
              () ->
                  new Actor<String>() {
                    @Override
                    public void init(Context<String> context) {
                      inside.add(context.self().snapshot().state());
                      helper.call(want((w, h) -> gate.complete(h.defer(w))));
                    }

                    @Override
                    public void receive(String message, Context<String> context) {}

                    @Override
                    public void teardown(StopReason reason, Context<String> context) {
                      inside.add(context.self().snapshot().state());
                    }
                  });
      kit.run();
      assertThat(actor.snapshot().state()).isEqualTo(ActorState.STARTING);
      gate.join().send("go");
      kit.run();
      actor.stop();
      kit.run();
      assertThat(inside).containsExactly(ActorState.STARTING, ActorState.STOPPING);
    }
  }

  @Test
  void aSnapshotTellsTheMessageInHandTheQueueAndSinceWhen() {
    try (var kit = new ManualSystem()) {
      var helper = kit.puppet("helper");
      var gate = new CompletableFuture<Reply<String>>();
      var actor = kit.puppet("a");
      kit.run();
      var idle = actor.snapshot();
      assertThat(idle.handling()).isNull();
      assertThat(idle.queued()).isZero();
      assertThat(idle.since()).isZero();
      assertThat(idle.stack()).isEmpty();
      assertThat(idle.describe()).isEqualTo("/test/a is RECEIVING, 0 queued");

      actor.cast(
          does(_ -> helper.call(want((w, h) -> gate.complete(h.defer(w))), Duration.ofDays(1))));
      for (int i = 0; i < 3; i++) actor.cast(say("x"));
      actor.cast(say("y"), io.turnwise.mailbox.Priority.HIGH);
      actor.cast(say("z"), io.turnwise.mailbox.Priority.LOW);
      kit.run();
      // The high one was handled first.
      kit.advance(Duration.ofMillis(1_234));
      var seen = actor.snapshot();
      assertThat(seen.path()).isEqualTo("/test/a");
      assertThat(seen.state()).isEqualTo(ActorState.SUSPENDED);
      assertThat(seen.handling()).isEqualTo("Do");
      assertThat(seen.queued()).isEqualTo(4);
      assertThat(seen.since().toMillis()).isBetween(1_233L, 1_235L);
      assertThat(seen.describe()).contains("SUSPENDED, handling Do for 123", "4 queued");
      gate.join().send("go");
      kit.run();
      assertThat(actor.snapshot().queued()).isZero();
      assertThat(actor.snapshot().handling()).isNull();
    }
  }

  @Test
  void aSnapshotTellsWhenTheMessageInHandBeganWhateverItsSliceAndItsWaits() {
    try (var kit = new ManualSystem()) {
      var helper = kit.puppet("helper");
      List<Reply<String>> gates = new ArrayList<>();
      Puppet.Request later = (w, h) -> gates.add(h.defer(w));
      List<Long> inside = new ArrayList<>();
      var actor = kit.puppet("a");
      kit.run();
      Puppet.Step look = c -> inside.add(c.self().snapshot().since().toMillis());
      actor.cast(does(_ -> kit.passAndTick(Duration.ofMillis(2))));
      actor.cast(does(look));
      actor.cast(does(_ -> kit.passAndTick(Duration.ofMillis(3))));
      actor.cast(does(look));
      actor.cast(
          does(
              c -> {
                kit.passAndTick(Duration.ofMillis(1));
                helper.call(want(later), Duration.ofDays(1));
                look.run(c);
                helper.call(want(later), Duration.ofDays(1));
              }));
      actor.cast(does(look));
      kit.advance(Duration.ofMillis(100));
      assertThat(actor.snapshot().since().toMillis()).isBetween(100L, 102L);
      gates.get(0).send("go");
      kit.advance(Duration.ofMillis(100));
      assertThat(actor.snapshot().since().toMillis()).isBetween(200L, 202L);
      gates.get(1).send("go");
      kit.run();
      assertThat(inside).hasSize(4);
      assertThat(inside.get(0)).as("after another message of the slice").isBetween(0L, 1L);
      assertThat(inside.get(1)).as("after two more").isBetween(0L, 1L);
      assertThat(inside.get(2)).as("after a wait").isBetween(100L, 102L);
      assertThat(inside.get(3)).as("after a message that waited").isBetween(0L, 1L);
    }
  }

  @Test
  void theFirstMessageAfterAnInitThatWaitedBeginsAfterIt() {
    try (var kit = new ManualSystem()) {
      var helper = kit.puppet("helper");
      var gate = new CompletableFuture<Reply<String>>();
      List<Long> inside = new ArrayList<>();
      var actor =
          kit.spawn(
              "a",
              () ->
                  new Actor<String>() {
                    @Override
                    public void init(Context<String> context) {
                      helper.call(want((w, h) -> gate.complete(h.defer(w))), Duration.ofDays(1));
                    }

                    @Override
                    public void receive(String message, Context<String> context) {
                      inside.add(context.self().snapshot().since().toMillis());
                    }
                  });
      actor.cast("first");
      kit.advance(Duration.ofMillis(100));
      assertThat(actor.snapshot().since().toMillis()).isBetween(99L, 101L);
      gate.join().send("go");
      kit.run();
      assertThat(inside).hasSize(1).allMatch(millis -> millis <= 1);
    }
  }

  @Test
  void aSnapshotHasTheStackOfTheTurnUnderWay() {
    try (var kit = new ManualSystem()) {
      var helper = kit.puppet("helper");
      var gate = new CompletableFuture<Reply<String>>();
      var actor = kit.puppet("a");
      actor.cast(does(_ -> deep(60, () -> helper.call(want((w, h) -> gate.complete(h.defer(w)))))));
      assertThat(actor.snapshot().stack()).as("not begun").isEmpty();
      kit.run();
      assertThat(actor.snapshot().stack())
          .hasSize(40)
          .anyMatch(frame -> frame.getMethodName().equals("deep"));
      gate.join().send("go");
      kit.run();
      assertThat(actor.snapshot().stack()).as("at rest").isEmpty();
    }
  }

  private static void deep(int frames, Runnable bottom) {
    if (frames == 0) bottom.run();
    else deep(frames - 1, bottom);
  }

  @Test
  void theDumpShowsFortyFramesOfEachStackAndHowManyMore() {
    try (var kit = new ManualSystem()) {
      var helper = kit.puppet("helper");
      var gate = new CompletableFuture<Reply<String>>();
      var actor = kit.puppet("a");
      actor.cast(does(_ -> deep(60, () -> helper.call(want((w, h) -> gate.complete(h.defer(w)))))));
      kit.run();
      String dump = kit.system().dump();
      gate.join().send("go");
      assertThat(dump.lines().filter(line -> line.startsWith("      at "))).hasSize(40);
      assertThat(dump).containsPattern("\n      … \\d+ more\n");
    }
  }

  /**
   * An actor's own thread, and one that it shares with others, wait for work on a stack of ours.
   */
  @ParameterizedTest
  @EnumSource
  void anActorAtRestHasNoStackOnAnyBackend(Backend backend) throws Exception {
    try (var system = ActorSystem.open("rest", c -> c.withWorkers(1))) {
      var go = new CountDownLatch(1);
      var begun = new CountDownLatch(1);
      var actor =
          system.spawn("a", ActorSpec.of(() -> new Puppet(new ArrayList<>())).withBackend(backend));
      actor.cast(
          does(
              _ -> {
                sleepHere(begun, go);
              }));
      Await.latch(begun);
      try {
        Await.until(
            "the stack is seen",
            () -> actor.snapshot().stack().toString().contains("ObservationTest.sleepHere"));
      } finally {
        go.countDown();
      }
      Await.until("it rests", () -> actor.snapshot().state() == ActorState.RECEIVING);
      assertThat(actor.snapshot().stack()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 5, 1_000})
  void theQueueLengthIsExactWhileTheActorRests(int count) {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      kit.run();
      for (int i = 0; i < count; i++) actor.cast(say("" + i));
      assertThat(actor.snapshot().queued()).isEqualTo(count);
      kit.run();
      assertThat(actor.snapshot().queued()).isZero();
    }
  }

  @Test
  void theCountersOfTheSystemAreExactWhenItIsQuiet() {
    try (var kit = new ManualSystem()) {
      var parent = kit.puppet("parent");
      var watched = kit.puppet("watched");
      parent.cast(does(c -> c.watch(watched)));
      parent.cast(does(c -> c.spawn("child", kit.puppetSpec()).cast(crash("boom"))));
      for (int i = 0; i < 10; i++) parent.cast(say("x"));
      kit.run();
      watched.cast(say("last"));
      watched.stop();
      kit.run();
      watched.cast(say("too late"));
      SystemSnapshot now = kit.system().snapshot();
      assertThat(now.actorsSpawned()).isEqualTo(3);
      assertThat(now.actorsLive()).isEqualTo(1);
      assertThat(now.messagesHandled()).isEqualTo(12);
      assertThat(now.messagesFailed()).isEqualTo(1);
      assertThat(now.crashes()).isEqualTo(1);
      assertThat(now.signalsHandled()).isEqualTo(2); // the crash of the child, the end of watched
      assertThat(now.deadLetters().get(DeadLetterReason.LEFT_BEHIND)).isEqualTo(1);
      assertThat(now.deadLetters().get(DeadLetterReason.RECIPIENT_STOPPED)).isEqualTo(1);
      assertThat(now.slices()).isPositive();
      assertThat(now.listenerFailures()).isZero();
      assertThat(now.workersReplaced()).isZero();
      assertThat(kit.accountedFor()).isEqualTo(15);
    }
  }

  @Test
  void everySuspensionIsCounted() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      kit.run();
      long before = kit.system().snapshot().suspensions();
      actor.cast(
          does(
              _ -> {
                for (int i = 0; i < 7; i++) Thread.yield();
              }));
      kit.run();
      assertThat(kit.system().snapshot().suspensions() - before).isEqualTo(7);
    }
  }

  @ParameterizedTest(name = "{0} workers")
  @ValueSource(ints = {1, 2})
  void theCountersEqualALedgerKeptOutside(int workers) throws Exception {
    try (var system = ActorSystem.open("ledger", c -> c.withWorkers(workers))) {
      int actors = 20;
      int each = 300;
      List<ActorRef<Integer>> all = new ArrayList<>();
      for (int i = 0; i < actors; i++) {
        ActorRef<Integer> actor =
            system.spawn(
                () ->
                    (n, c) -> {
                      if (n == 13) throw new IllegalStateException("thirteen");
                      if (n % 50 == 0) Thread.yield();
                    });
        all.add(actor);
      }
      for (int n = 0; n < each; n++)
        for (int i = 0; i < actors; i++) all.get(i).cast(i % 2 == 0 && n == 13 ? 14 : n);
      Await.until(
          "all are accounted for",
          () -> {
            var now = system.snapshot();
            return now.messagesHandled() + now.messagesFailed() + now.deadLettersTotal()
                == (long) actors * each;
          });
      var now = system.snapshot();
      assertThat(now.messagesFailed()).isEqualTo(actors / 2);
      assertThat(now.crashes()).isEqualTo(actors / 2);
      assertThat(now.actorsLive()).isEqualTo(actors / 2);
      assertThat(now.actorsSpawned()).isEqualTo(actors);
      assertThat(now.messagesHandled())
          .isEqualTo((long) actors / 2 * each + (long) actors / 2 * 13);
    }
  }

  @Test
  void theDumpShowsWorkersCountersAndTheTreeWithStacks() throws Exception {
    try (var system = ActorSystem.open("dump", c -> c.withWorkers(2).withDispatcher("side", 1))) {
      List<String> log = Collections.synchronizedList(new ArrayList<>());
      var parent = system.spawn("parent", () -> new Puppet(log));
      var child = new CompletableFuture<ActorRef<Puppet.Msg>>();
      parent.cast(does(c -> child.complete(c.spawn("child", () -> new Puppet(log)))));
      var go = new CountDownLatch(1);
      var begun = new CountDownLatch(1);
      Await.result(child)
          .cast(
              does(
                  _ -> {
                    sleepHere(begun, go);
                  }));
      child.join().cast(say("queued"));
      Await.latch(begun);
      Await.until("the child waits", () -> child.join().snapshot().state() == ActorState.SUSPENDED);
      try {
        assertThat(system.dump())
            .contains("system dump\n")
            .contains("actors 2 live, 2 ever, 0 crashed")
            .contains("dispatcher default", "dispatcher side", "worker 0", "worker 1")
            .contains("/dump/parent is RECEIVING")
            .containsPattern("    /dump/parent/child is SUSPENDED, handling Do.*, 1 queued")
            .contains("sleepHere");
      } finally {
        go.countDown();
      }
    }
  }

  private static void sleepHere(CountDownLatch begun, CountDownLatch go)
      throws InterruptedException {
    begun.countDown();
    go.await();
  }

  @Test
  void theDumpShowsTheStackOfAnActorThatHoldsItsWorker() throws Exception {
    try (var system = ActorSystem.open("dump", c -> c.withWorkers(1))) {
      var go = new CountDownLatch(1);
      var begun = new CountDownLatch(1);
      var actor = system.spawn("hog", () -> new Puppet(new ArrayList<>()));
      actor.cast(
          does(
              _ -> {
                spinHere(begun, go);
              }));
      Await.latch(begun);
      try {
        assertThat(system.dump()).contains("/dump/hog is RUNNING, handling Do", "spinHere");
      } finally {
        go.countDown();
      }
    }
  }

  private static void spinHere(CountDownLatch begun, CountDownLatch go) {
    Unwoven.spin(begun, go);
  }

  @Test
  void theDumpOfManyActorsStaysReadable() {
    try (var kit = new ManualSystem()) {
      for (int i = 0; i < 10_500; i++)
        kit.system().spawn(() -> (String _, Context<String> _) -> {});
      kit.run();
      String dump = kit.system().dump();
      assertThat(dump).contains("and more");
      assertThat(dump.lines().count()).isLessThan(10_100);
    }
  }

  @Test
  void theLoadOfAWorkerCountsThoseThatArePinnedToIt() {
    try (var kit = new ManualSystem(c -> c.withWorkers(2))) {
      int many = 1_000;
      for (int i = 0; i < many; i++)
        kit.puppet("a" + i, s -> s.withPlacement(Placement.pinnedTo(1))).cast(say("x"));
      var loads = kit.system().dispatcher().loads();
      assertThat(loads.get(0).queued()).isZero();
      assertThat(loads.get(1).queued()).isEqualTo(many);
      kit.run();
      assertThat(kit.system().dispatcher().loads()).allMatch(load -> load.queued() == 0);
    }
  }

  @Test
  void theLoadOfEachWorkerIsPublished() throws Exception {
    try (var system = ActorSystem.open("load", c -> c.withWorkers(2))) {
      Await.until(
          "both workers sleep when nobody works",
          () -> system.dispatcher().loads().stream().allMatch(l -> l.parked() && l.queued() == 0));
      var go = new CountDownLatch(1);
      var begun = new CountDownLatch(2);
      for (int i = 0; i < 2; i++)
        system
            .spawn(() -> new Puppet(new ArrayList<>()))
            .cast(
                does(
                    _ -> {
                      spinHere(begun, go);
                    }));
      Await.latch(begun);
      try {
        assertThat(system.dispatcher().loads())
            .hasSize(2)
            .noneMatch(io.turnwise.observation.WorkerLoad::parked);
      } finally {
        go.countDown();
      }
    }
  }

  @Test
  void anActorThatIsAskedAboutWhileItRunsIsNotDisturbed() throws Exception {
    try (var system = ActorSystem.open("look", c -> c.withWorkers(2))) {
      var actor =
          system.spawn("a", () -> new Puppet(Collections.synchronizedList(new ArrayList<>())));
      Thread looker =
          Thread.ofPlatform()
              .start(
                  () -> {
                    while (!Thread.currentThread().isInterrupted()) {
                      actor.snapshot();
                      system.snapshot();
                      system.dump();
                    }
                  });
      for (int i = 0; i < 2_000; i++)
        assertThat(
                actor.call(
                    want(
                        (w, c) -> {
                          Thread.yield();
                          c.reply(w, "seen");
                        })))
            .isEqualTo("seen");
      assertThat(actor.call(ask("end"))).isEqualTo("END");
      looker.interrupt();
      looker.join();
    }
  }
}
