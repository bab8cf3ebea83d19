package io.turnwise;

import static io.turnwise.Puppet.ask;
import static io.turnwise.Puppet.crash;
import static io.turnwise.Puppet.does;
import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.weaving.Safepoint;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Several systems in one JVM. */
class SystemsTest {
  private static final int PINGS = 20_000;
  private static final int CRASHES = 2_000;

  private static ActorRef<Puppet.Msg> puppet(ActorSystem system) {
    return system.spawn(() -> new Puppet(Collections.synchronizedList(new ArrayList<>())));
  }

  private static ActorRef<Puppet.Msg> loop(ActorSystem system) throws Exception {
    var begun = new CountDownLatch(1);
    var actor = puppet(system);
    actor.cast(
        does(
            _ -> {
              begun.countDown();
              for (; ; ) Safepoint.poll();
            }));
    Await.latch(begun);
    return actor;
  }

  @Test
  void loopsKillsAndCrashesInOneDoNotReachTheOther() throws Exception {
    try (var quiet = ActorSystem.open("quiet", c -> c.withWorkers(1))) {
      var pinged = puppet(quiet);
      List<CompletableFuture<String>> answers = new ArrayList<>();
      try (var wild = ActorSystem.open("wild", c -> c.withWorkers(2))) {
        List<ActorRef<Puppet.Msg>> loops = new ArrayList<>();
        for (int i = 0; i < 4; i++) loops.add(loop(wild));
        for (int i = 0; i < PINGS; i++) {
          answers.add(pinged.callAsync(ask("x")).toCompletableFuture());
          if (i % (PINGS / CRASHES) == 0) puppet(wild).cast(crash("wild"));
          if (i % (PINGS / 20) == 0) {
            Await.result(loops.removeFirst().kill());
            loops.add(loop(wild));
          }
        }
        for (var answer : answers) assertThat(Await.result(answer)).isEqualTo("X");
        Await.until("all have crashed", () -> wild.snapshot().crashes() == CRASHES);
        assertThat(wild.snapshot().preemptions()).isPositive();
        for (var loop : loops) loop.kill();
      }
      assertThat(pinged.call(ask("after the other's close"))).startsWith("AFTER");
      // The answer comes out of the handler, the count after it.
      Await.until("the last one is counted", () -> quiet.snapshot().messagesHandled() > PINGS);
      var all = quiet.snapshot();
      assertThat(all.messagesHandled()).isEqualTo(PINGS + 1);
      assertThat(all.messagesFailed()).isZero();
      assertThat(all.crashes()).isZero();
      assertThat(all.deadLettersTotal()).isZero();
      assertThat(all.handlersAbandoned()).isZero();
      assertThat(all.workersReplaced()).isZero();
    }
  }
}
