package io.turnwise.internal.cell;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.Actor;
import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.Context;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.scheduling.Backend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Which ticks an idle worker may put into a mailbox, and which only the ticking thread. */
class KeyedTimerTest {
  private static final class Ticked implements Actor<String> {
    private final CountDownLatch ready;

    Ticked(CountDownLatch ready) {
      this.ready = ready;
    }

    @Override
    public void init(Context<String> context) {
      context.timers().atFixedRate("far", Duration.ofHours(1), "tick");
      ready.countDown();
    }

    @Override
    public void receive(String message, Context<String> context) {}
  }

  private static List<Boolean> mayWait(UnaryOperator<ActorSpec<String>> settings) throws Exception {
    var ready = new CountDownLatch(1);
    try (var system = ActorSystem.open("ticks")) {
      system.spawn("a", settings.apply(ActorSpec.of(() -> new Ticked(ready))));
      ready.await();
      var ticker = ((LocalActorSystem) system).ticker;
      ticker.takeIn();
      List<Boolean> seen = new ArrayList<>();
      ticker.forEach(
          entry -> {
            if (entry instanceof KeyedTimer<?> timer) seen.add(timer.mayWait());
          });
      return seen;
    }
  }

  @Test
  void whoseMailboxHasALockOrWhoRunsOnNoWorkerIsLeftToTheTickingThread() throws Exception {
    assertThat(mayWait(spec -> spec)).containsExactly(false);
    assertThat(mayWait(spec -> spec.withMailbox(MailboxConfig.bounded(5, OverflowPolicy.WAIT))))
        .containsExactly(true);
    assertThat(mayWait(spec -> spec.withBackend(Backend.BLOCKING))).containsExactly(true);
  }
}
