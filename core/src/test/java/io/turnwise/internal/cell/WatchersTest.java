package io.turnwise.internal.cell;

import static io.turnwise.Puppet.does;
import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.ActorRef;
import io.turnwise.Puppet;
import io.turnwise.StopReason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The list of those who are to be told of an actor's end. */
class WatchersTest {
  @Test
  void anActorForgetsWatchersThatEndedBeforeIt() {
    try (var kit = new ManualSystem()) {
      ActorRef<Puppet.Msg> service = kit.puppet("service");
      for (int i = 0; i < 5_000; i++) {
        ActorRef<Puppet.Msg> guest = kit.system().spawn(kit.puppetSpec());
        guest.cast(
            does(
                c -> {
                  c.watch(service);
                  c.stop();
                }));
        if (i % 10 == 0) kit.run();
      }
      kit.run();
      assertThat(((ActorCell<?>) service).watcherCount()).isLessThan(200);
      CompletableFuture<StopReason> last = service.whenStopped().toCompletableFuture();
      service.stop();
      kit.run();
      assertThat(last).succeedsWithin(java.time.Duration.ofSeconds(20));
    }
  }

  @Test
  void whoStillLivesIsToldHoweverOftenTheOthersWereTakenOut() {
    try (var kit = new ManualSystem()) {
      ActorRef<Puppet.Msg> service = kit.puppet("service");
      List<String> expected = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        ActorRef<Puppet.Msg> stays = kit.puppet("w" + i);
        stays.cast(does(c -> c.watch(service)));
        expected.add("w" + i + " sees the end of service: shut down");
        for (int k = 0; k < 3; k++) {
          ActorRef<Puppet.Msg> goes = kit.system().spawn(kit.puppetSpec());
          goes.cast(does(c -> c.watch(service)));
          kit.run();
          goes.stop();
        }
      }
      kit.run();
      ActorRef<Puppet.Msg> first = kit.puppet("first");
      first.cast(does(c -> c.watch(service)));
      first.cast(does(c -> c.unwatch(service)));
      kit.run();
      kit.clearLog();
      service.stop();
      kit.run();
      assertThat(kit.log()).contains("service ends: shut down").containsAll(expected);
      assertThat(kit.log()).hasSize(301);
    }
  }
}
