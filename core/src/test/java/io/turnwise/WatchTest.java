package io.turnwise;

import static io.turnwise.Puppet.ask;
import static io.turnwise.Puppet.crash;
import static io.turnwise.Puppet.does;
import static io.turnwise.Puppet.say;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.internal.cell.ManualSystem;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who watches learns of the end: once, whatever the order of things. */
class WatchTest {

  @Test
  void aWatcherIsToldOnceWithTheReason() {
    try (var kit = new ManualSystem()) {
      var watched = kit.puppet("watched");
      kit.puppet("watcher").cast(does(c -> c.watch(watched)));
      kit.run();
      watched.cast(crash("boom"));
      kit.run();
      assertThat(sightings(kit))
          .containsExactly("watcher sees the end of watched: crashed by boom");
    }
  }

  @Test
  void watchingAnActorThatHasAlreadyStoppedTellsAtOnce() {
    try (var kit = new ManualSystem()) {
      var watched = kit.puppet("watched");
      watched.stop();
      kit.run();
      kit.puppet("watcher").cast(does(c -> c.watch(watched)));
      kit.run();
      assertThat(sightings(kit)).containsExactly("watcher sees the end of watched: shut down");
    }
  }

  @Test
  void watchingTwiceTellsOnce() {
    try (var kit = new ManualSystem()) {
      var watched = kit.puppet("watched");
      kit.puppet("watcher")
          .cast(
              does(
                  c -> {
                    c.watch(watched);
                    c.watch(watched);
                  }));
      kit.run();
      watched.stop();
      kit.run();
      assertThat(sightings(kit)).hasSize(1);
    }
  }

  @Test
  void watchingAgainAfterTheEndTellsAgain() {
    try (var kit = new ManualSystem()) {
      var watched = kit.puppet("watched");
      var watcher = kit.puppet("watcher");
      watched.stop();
      watcher.cast(does(c -> c.watch(watched)));
      kit.run();
      watcher.cast(does(c -> c.watch(watched)));
      kit.run();
      assertThat(sightings(kit)).hasSize(2);
    }
  }

  @Test
  void everyWatcherIsTold() {
    try (var kit = new ManualSystem()) {
      var watched = kit.puppet("watched");
      for (int i = 0; i < 10; i++) kit.puppet("w" + i).cast(does(c -> c.watch(watched)));
      kit.run();
      watched.stop();
      kit.run();
      assertThat(sightings(kit)).hasSize(10).doesNotHaveDuplicates();
    }
  }

  @Test
  void afterUnwatchNoSignalComes() {
    try (var kit = new ManualSystem()) {
      var watched = kit.puppet("watched");
      kit.puppet("watcher")
          .cast(
              does(
                  c -> {
                    c.watch(watched);
                    c.unwatch(watched);
                    c.unwatch(watched);
                  }));
      kit.run();
      watched.stop();
      kit.run();
      assertThat(sightings(kit)).isEmpty();
    }
  }

  @Test
  void unwatchHoldsEvenWhenTheSignalIsAlreadyOnItsWay() {
    try (var kit = new ManualSystem()) {
      var watched = kit.puppet("watched");
      var watcher = kit.puppet("watcher");
      watcher.cast(does(c -> c.watch(watched)));
      kit.run();
      watcher.cast(
          does(
              c -> {
                watched.stop();
                assertThatThrownBy(() -> watched.call(ask("x"))).isInstanceOf(CallException.class);
                c.unwatch(watched); // its end has happened; the signal waits for this turn to end
                kit.note("unwatched");
              }));
      kit.run();
      assertThat(kit.log()).contains("unwatched");
      assertThat(sightings(kit)).isEmpty();
    }
  }

  @Test
  void unwatchByOneLeavesTheOthersWatching() {
    try (var kit = new ManualSystem()) {
      var watched = kit.puppet("watched");
      for (int i = 0; i < 5; i++) kit.puppet("w" + i).cast(does(c -> c.watch(watched)));
      kit.run();
      ActorRef<?> third = kit.system().find("w2").orElseThrow();
      cast(third, does(c -> c.unwatch(watched)));
      kit.run();
      watched.stop();
      kit.run();
      assertThat(sightings(kit)).hasSize(4).noneMatch(line -> line.startsWith("w2 "));
    }
  }

  @SuppressWarnings("unchecked")
  private static void cast(ActorRef<?> puppet, Puppet.Msg message) {
    ((ActorRef<Puppet.Msg>) puppet).cast(message);
  }

  @Test
  void theNameIsFreeAgainWhenTheSignalComes() {
    try (var kit = new ManualSystem()) {
      var watched = kit.puppet("watched");
      var found = new CompletableFuture<Boolean>();
      var watcher =
          kit.spawn(
              "watcher",
              () ->
                  new Actor<String>() {
                    @Override
                    public void init(Context<String> context) {
                      context.watch(watched);
                    }

                    @Override
                    public void receive(String message, Context<String> context) {}

                    @Override
                    public void info(Signal signal, Context<String> context) {
                      found.complete(context.system().find("watched").isPresent());
                      context.system().spawn("watched", kit.puppetSpec());
                    }
                  });
      watched.stop();
      kit.run();
      assertThat(found).isCompletedWithValue(false);
      assertThat(kit.system().find("watched")).isPresent().get().isNotSameAs(watched);
      assertThat(watcher.snapshot().queued()).isZero();
    }
  }

  @Test
  void twoActorsMayWatchEachOther() {
    try (var kit = new ManualSystem()) {
      var one = kit.puppet("one");
      var two = kit.puppet("two");
      one.cast(does(c -> c.watch(two)));
      two.cast(does(c -> c.watch(one)));
      kit.run();
      one.stop();
      kit.run();
      assertThat(sightings(kit)).containsExactly("two sees the end of one: shut down");
      two.stop();
      kit.run();
      assertThat(sightings(kit)).hasSize(1);
    }
  }

  @Test
  void anActorCannotWatchItself() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      actor.cast(
          does(
              c -> {
                assertThatThrownBy(() -> c.watch(c.self()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("/test/a");
                kit.note("checked");
              }));
      kit.run();
      assertThat(kit.log()).contains("checked");
    }
  }

  @Test
  void whenStoppedCompletesBeforeAndAfterTheEnd() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      var before = actor.whenStopped().toCompletableFuture();
      kit.run();
      assertThat(before).isNotDone();
      actor.cast(does(Context::stop));
      kit.run();
      assertThat(before)
          .succeedsWithin(java.time.Duration.ofSeconds(20))
          .isEqualTo(new StopReason.Finished());
      assertThat(actor.whenStopped().toCompletableFuture())
          .succeedsWithin(java.time.Duration.ofSeconds(20))
          .isEqualTo(new StopReason.Finished());
    }
  }

  @Test
  void aWatcherThatStopsFirstHarmsNobody() {
    try (var kit = new ManualSystem()) {
      var watched = kit.puppet("watched");
      var watcher = kit.puppet("watcher");
      watcher.cast(does(c -> c.watch(watched)));
      watcher.stopAfterDrain();
      kit.run();
      watched.stop();
      kit.run();
      assertThat(sightings(kit)).isEmpty();
      assertThat(kit.system().snapshot().deadLettersTotal()).isZero();
    }
  }

  @Test
  void anActorMayWatchOneOfAnotherSystem() {
    try (var kit = new ManualSystem();
        var abroad = new ManualSystem()) {
      var watched = abroad.puppet("watched");
      kit.puppet("watcher").cast(does(c -> c.watch(watched)));
      kit.run();
      watched.stop();
      abroad.run();
      kit.run();
      assertThat(sightings(kit)).hasSize(1);
    }
  }

  @ParameterizedTest(name = "{0} workers")
  @ValueSource(ints = {1, 2})
  void watchersThatRaceWithTheEndAreAllToldOnce(int workers) throws Exception {
    List<String> log = Collections.synchronizedList(new ArrayList<>());
    try (var system = ActorSystem.open("race", c -> c.withWorkers(workers))) {
      int rounds = 200;
      for (int i = 0; i < rounds; i++) {
        var watched = system.spawn(() -> new Puppet(new ArrayList<>()));
        var told = new CompletableFuture<Signal>();
        system.spawn(
            () ->
                new Actor<String>() {
                  @Override
                  public void init(Context<String> context) {
                    context.watch(watched);
                  }

                  @Override
                  public void receive(String message, Context<String> context) {}

                  @Override
                  public void info(Signal signal, Context<String> context) {
                    log.add("told");
                    told.complete(signal);
                    context.stop();
                  }
                });
        if (i % 2 == 0) watched.cast(say("x"));
        watched.stop();
        assertThat(Await.result(told).actor()).isSameAs(watched);
      }
      assertThat(log).hasSize(rounds);
    }
  }

  private static List<String> sightings(ManualSystem kit) {
    return kit.log().stream().filter(line -> line.contains(" sees the end of ")).toList();
  }
}
