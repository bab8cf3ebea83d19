package io.turnwise.internal.cell;

import static io.turnwise.Puppet.does;
import static io.turnwise.Puppet.say;
import static io.turnwise.Puppet.want;
import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.Await;
import io.turnwise.CallTimeoutException;
import io.turnwise.Puppet;
import io.turnwise.observation.ActorSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Very many calls that time out together: nobody else's time is taken for them. */
class TimeoutBurstTest {
  private static final int CALLS = 20_000;
  private static final Puppet.Request NEVER = (call, context) -> context.defer(call);

  private final Set<ActorSnapshot> seen =
      Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));
  private final CountDownLatch release = new CountDownLatch(1);
  private final CountDownLatch told = new CountDownLatch(CALLS);

  private void callAndBlock(ActorRef<Puppet.Msg> callee, Duration timeout) {
    callee
        .callAsync(want(NEVER), timeout)
        .whenCompleteAsync(
            (_, failure) -> {
              if (failure instanceof CallTimeoutException e) seen.add(e.calleeThen());
              blockHere();
              told.countDown();
            });
  }

  private void blockHere() {
    try {
      release.await();
    } catch (InterruptedException e) {
      throw new AssertionError("nobody interrupts it", e);
    }
  }

  private static long callbackThreads(String system) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("turnwise-" + system + "-callback-"))
        .count();
  }

  @Test
  void aTickOfTimeoutsStartsFewThreadsLooksOnceAtTheCalleeAndTheNextDeadlineIsMet()
      throws Exception {
    try (var kit = new ManualSystem()) {
      var callee = kit.puppet("callee");
      var other = kit.puppet("other");
      other.cast(
          does(
              c ->
                  c.callToSelf(
                      callee, want(NEVER), Duration.ofMillis(11), _ -> say("is told in time"))));
      for (int i = 0; i < CALLS; i++) callAndBlock(callee, Duration.ofMillis(10));
      kit.advance(Duration.ofMillis(10));
      long threads = callbackThreads("test");
      assertThat(threads).isBetween(1L, (long) LocalActorSystem.MOST_CALLBACK_THREADS);
      assertThat(kit.log()).doesNotContain("other is told in time");
      kit.advance(Duration.ofMillis(1));
      assertThat(kit.log()).endsWith("other is told in time");
      assertThat(told.getCount()).as("all others wait").isEqualTo(CALLS);
      release.countDown();
      Await.latch(told);
      assertThat(seen).hasSize(1);
    }
  }

  @Test
  void deadlinesAreMetWhileEveryCallbackBlocks() throws Exception {
    List<String> log = Collections.synchronizedList(new ArrayList<>());
    try (var system = ActorSystem.open("burst", c -> c.withWorkers(1))) {
      var callee = system.spawn("callee", () -> new Puppet(log));
      for (int i = 0; i < CALLS; i++) callAndBlock(callee, Duration.ofMillis(1));
      Await.until("some block", () -> callbackThreads("burst") >= 4);
      var later = new CountDownLatch(3);
      for (int i = 1; i <= 3; i++)
        system.timers().scheduleDelayed(later::countDown, Duration.ofMillis(10 * i));
      Await.latch(later);
      assertThat(told.getCount()).as("all of them wait").isEqualTo(CALLS);
      assertThat(callbackThreads("burst"))
          .isLessThanOrEqualTo(LocalActorSystem.MOST_CALLBACK_THREADS);
      release.countDown();
      Await.latch(told);
    }
  }
}
