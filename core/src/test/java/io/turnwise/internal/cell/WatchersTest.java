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

/** Who is to be told of an actor's end, and what is told to one that has ended. */
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
  void anActorThatHasEndedKeepsNothingOfWhatItIsTold() {
    try (var kit = new ManualSystem()) {
      ActorRef<Puppet.Msg> ended = kit.puppet("ended");
      ended.stop();
      kit.run();
      Notice.Link last = ((ActorCell<?>) ended).newestNotice();
      for (int i = 0; i < 100; i++) ended.stop();
      ActorRef<Puppet.Msg> linker = kit.puppet("linker");
      linker.cast(does(c -> c.link(ended)));
      kit.run();
      assertThat(((ActorCell<?>) ended).newestNotice()).isSameAs(last);
      assertThat(kit.log())
          .as("it hears of the end all the same")
          .contains("linker ends: shut down");
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
