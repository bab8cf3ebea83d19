package io.turnwise.testkit;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.Context;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.supervision.Backoff;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorSpec;
import io.turnwise.testkit.Pupil.Ask;
import io.turnwise.testkit.Pupil.Msg;
import io.turnwise.testkit.Pupil.Say;
import io.turnwise.time.ActorTimers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The timers of actors, on virtual time: what comes, when, and what never does. */
class ActorTimersTest {
  /** Notes what it is told and when, in milliseconds; does what it is given to do. */
  private static final class Noter implements Actor<Msg> {
    private final VirtualTestkit kit;
    private final List<String> notes;

    Noter(VirtualTestkit kit, List<String> notes) {
      this.kit = kit;
      this.notes = notes;
    }

    @Override
    public void receive(Msg message, Context<Msg> context) {
      switch (message) {
        case Pupil.Do(Consumer<Context<Msg>> what) -> what.accept(context);
        case Say(String text) -> notes.add(text + "@" + kit.clock().elapsed().toMillis());
        case Ask ask -> context.reply(ask, "");
        default -> throw new AssertionError("none of its messages");
      }
    }
  }

  private final List<String> notes = new ArrayList<>();

  private ActorRef<Msg> noter(VirtualTestkit kit) {
    return kit.system().spawn("noter", () -> new Noter(kit, notes));
  }

  private static void in(ActorRef<Msg> actor, Consumer<Context<Msg>> what) {
    actor.cast(new Pupil.Do(what));
  }

  private static Say say(String text) {
    return new Say(text);
  }

  @Test
  void onceSendsItsMessageOnceAndNotANanosecondEarly() {
    try (var kit = Testkit.onVirtualTime()) {
      var noter = noter(kit);
      in(noter, c -> c.timers().once("k", ofMillis(10), say("tick")));
      kit.advance(ofMillis(10).minusNanos(1));
      assertThat(notes).isEmpty();
      kit.advance(ofNanos(1));
      assertThat(notes).containsExactly("tick@10");
      kit.advance(ofSeconds(10));
      assertThat(notes).hasSize(1);
    }
  }

  @Test
  void aDelayOfZeroComesAtOnceBehindWhatIsQueued() {
    try (var kit = Testkit.onVirtualTime()) {
      var noter = noter(kit);
      in(noter, c -> c.timers().once("k", ZERO, say("tick")));
      noter.cast(say("queued"));
      kit.run();
      assertThat(notes).containsExactly("queued@0", "tick@0");
    }
  }

  @Test
  void fixedRateKeepsToTheClock() {
    try (var kit = Testkit.onVirtualTime()) {
      var noter = noter(kit);
      in(noter, c -> c.timers().atFixedRate("k", ofMillis(10), say("tick")));
      kit.advance(ofMillis(35));
      assertThat(notes).containsExactly("tick@10", "tick@20", "tick@30");
      in(noter, c -> assertThat(c.timers().cancel("k")).isTrue());
      kit.advance(ofMillis(100));
      assertThat(notes).hasSize(3);
    }
  }

  @Test
  void aSlowActorFindsOneTickOfAKeyAndTheNextAtItsTime() {
    try (var kit = Testkit.onVirtualTime()) {
      var noter = noter(kit);
      var gate = new CompletableFuture<Void>();
      in(noter, c -> c.timers().atFixedRate("k", ofMillis(10), say("tick")));
      kit.run();
      in(noter, _ -> gate.join());
      kit.advance(ofMillis(95));
      assertThat(noter.snapshot().queued()).isEqualTo(1);
      gate.complete(null);
      kit.run();
      assertThat(notes).containsExactly("tick@95");
      kit.advance(ofMillis(10));
      assertThat(notes).containsExactly("tick@95", "tick@100");
      assertThat(kit.system().timers().metrics().missedTicks()).isEqualTo(8);
      in(noter, c -> c.timers().cancel("k"));
    }
  }

  @Test
  void fixedDelayCountsFromTheEndOfTheHandler() {
    try (var kit = Testkit.onVirtualTime()) {
      List<CompletableFuture<Void>> gates = new ArrayList<>();
      ActorRef<String> slow =
          kit.system()
              .spawn(
                  "slow",
                  () ->
                      (message, context) -> {
                        if (message.equals("start")) {
                          context.timers().withFixedDelay("k", ofMillis(10), "tick");
                          return;
                        }
                        if (message.equals("end")) {
                          context.timers().cancel("k");
                          return;
                        }
                        notes.add(message + "@" + kit.clock().elapsed().toMillis());
                        var gate = new CompletableFuture<Void>();
                        gates.add(gate);
                        gate.join();
                      });
      slow.cast("start");
      kit.advance(ofMillis(25)); // the first tick at 10 is still being handled
      assertThat(notes).containsExactly("tick@10");
      gates.get(0).complete(null);
      kit.advance(ofMillis(20));
      assertThat(notes).containsExactly("tick@10", "tick@35");
      gates.get(1).complete(null);
      slow.cast("end");
      kit.advance(ofMillis(100));
      assertThat(notes).hasSize(2);
    }
  }

  @Test
  void aKeyInUseIsReplaced() {
    try (var kit = Testkit.onVirtualTime()) {
      var noter = noter(kit);
      in(
          noter,
          c -> {
            c.timers().once("k", ofMillis(10), say("old"));
            c.timers().once("k", ofMillis(20), say("new"));
          });
      kit.advance(ofMillis(50));
      assertThat(notes).containsExactly("new@20");
    }
  }

  /** The tick is in the mailbox, before whatever cancels its timer. */
  @Test
  void aTickThatWaitsIsNotHandledOnceItsTimerIsCancelled() {
    try (var kit = Testkit.onVirtualTime()) {
      var noter = noter(kit);
      var gate = new CompletableFuture<Void>();
      in(
          noter,
          c -> {
            c.timers().once("a", ofMillis(5), say("a"));
            c.timers().atFixedRate("b", ofMillis(5), say("b"));
          });
      kit.run();
      in(
          noter,
          c -> {
            gate.join();
            assertThat(c.timers().isActive("a")).isTrue();
            assertThat(c.timers().cancel("a")).isTrue();
            assertThat(c.timers().cancel("a")).isFalse();
            assertThat(c.timers().isActive("a")).isFalse();
            c.timers().atFixedRate("b", ofMillis(50), say("new b"));
          });
      kit.advance(ofMillis(20));
      assertThat(noter.snapshot().queued()).isEqualTo(2);
      gate.complete(null);
      kit.advance(ofMillis(50));
      assertThat(notes).containsExactly("new b@70");
      in(noter, c -> c.timers().cancel("b"));
    }
  }

  @Test
  void timersDieWithTheirActor() {
    try (var kit = Testkit.onVirtualTime()) {
      var noter = noter(kit);
      in(
          noter,
          c -> {
            c.timers().once("a", ofMillis(5), say("a"));
            c.timers().atFixedRate("b", ofMillis(5), say("b"));
            c.timers().withFixedDelay("c", ofMillis(5), say("c"));
            c.receiveTimeout(ofMillis(5), say("idle"));
          });
      kit.run();
      noter.stop();
      kit.expectStopped(noter);
      kit.advance(ofSeconds(1));
      assertThat(notes).isEmpty();
      assertThat(kit.timersOfActors()).isZero();
    }
  }

  /** One tick waits in the mailbox, one is held while the actor is down, others are to come. */
  @Test
  void aTickOfAFormerIncarnationIsNeverHandled() {
    try (var kit = Testkit.onVirtualTime()) {
      kit.allowCrashes();
      ChildSpec<Msg> spec =
          ChildSpec.<Msg>of("noter", () -> new Noter(kit, notes))
              .withBackoff(Backoff.constant(ofMillis(50)));
      ActorRef<Msg> noter =
          Supervisor.start(kit.system(), "sup", SupervisorSpec.oneForOne().withChild(spec))
              .child(spec);
      var gate = new CompletableFuture<Void>();
      in(
          noter,
          c -> {
            c.timers().once("a", ofMillis(5), say("a"));
            c.timers().atFixedRate("b", ofMillis(7), say("b"));
            c.timers().withFixedDelay("c", ofMillis(30), say("c"));
            c.timers().once("d", ofMillis(200), say("d"));
            c.receiveTimeout(ofMillis(9), say("idle"));
            gate.join();
            throw new IllegalStateException("planned");
          });
      kit.advance(ofMillis(20));
      gate.complete(null);
      kit.advance(ofMillis(100));
      noter.cast(say("again"));
      kit.advance(ofSeconds(1));
      assertThat(notes).containsExactly("again@120");
      in(noter, c -> c.timers().once("a", ofMillis(5), say("new a")));
      kit.advance(ofMillis(5));
      assertThat(notes).containsExactly("again@120", "new a@1125");
      assertThat(kit.timersOfActors()).isZero();
    }
  }

  @Test
  void aTickThatCrashedItsActorIsNotTriedAgainByTheNext() {
    try (var kit = Testkit.onVirtualTime()) {
      kit.allowCrashes();
      ChildSpec<String> spec =
          ChildSpec.<String>of(
                  "touchy",
                  () ->
                      (message, context) -> {
                        notes.add(message);
                        if (message.equals("start")) context.timers().once("k", ZERO, "tick");
                        if (message.equals("tick")) throw new IllegalStateException("planned");
                      })
              .withTries(3);
      ActorRef<String> touchy =
          Supervisor.start(kit.system(), "sup", SupervisorSpec.oneForOne().withChild(spec))
              .child(spec);
      touchy.cast("start");
      kit.advance(ofSeconds(1));
      touchy.cast("end");
      kit.advance(ofSeconds(1));
      assertThat(notes).containsExactly("start", "tick", "end");
    }
  }

  @Test
  void aTickGoesIntoAFullMailbox() {
    try (var kit = Testkit.onVirtualTime()) {
      var noter =
          kit.system()
              .spawn(
                  "noter",
                  ActorSpec.<Msg>of(() -> new Noter(kit, notes))
                      .withMailbox(MailboxConfig.bounded(1, OverflowPolicy.FAIL)));
      var gate = new CompletableFuture<Void>();
      in(
          noter,
          c -> {
            c.timers().once("k", ofMillis(1), say("tick"));
            gate.join();
          });
      kit.run();
      noter.cast(say("full"));
      kit.advance(ofMillis(5));
      gate.complete(null);
      kit.run();
      assertThat(notes).containsExactly("full@5", "tick@5");
    }
  }

  @Test
  void aTickIsAccountedForLikeAnyMessage() {
    try (var kit = Testkit.onVirtualTime()) {
      var noter = noter(kit);
      in(noter, c -> c.timers().atFixedRate("k", ofMillis(1), say("tick")));
      kit.advance(ofMillis(10));
      in(noter, c -> c.timers().cancel("k"));
      kit.run();
      kit.expectAccountedFor(12);
    }
  }

  // ---- receive timeout -------------------------------------------------------------------------

  @Test
  void theReceiveTimeoutComesWhenNoMessageWasHandledForSoLongAndAgain() {
    try (var kit = Testkit.onVirtualTime()) {
      var noter = noter(kit);
      in(noter, c -> c.receiveTimeout(ofMillis(10), say("idle")));
      kit.advance(ofMillis(8));
      noter.cast(say("x"));
      kit.advance(ofMillis(8));
      noter.cast(say("y"));
      kit.advance(ofMillis(9));
      assertThat(notes).containsExactly("x@8", "y@16");
      kit.advance(ofMillis(21));
      assertThat(notes).containsExactly("x@8", "y@16", "idle@26", "idle@36", "idle@46");
      in(noter, Context::cancelReceiveTimeout);
      kit.advance(ofSeconds(1));
      assertThat(notes).hasSize(5);
    }
  }

  @Test
  void aHandlerThatTakesLongIsNotIdle() {
    try (var kit = Testkit.onVirtualTime()) {
      var noter = noter(kit);
      var gate = new CompletableFuture<Void>();
      in(noter, c -> c.receiveTimeout(ofMillis(10), say("idle")));
      kit.run();
      in(noter, _ -> gate.join());
      kit.advance(ofMillis(35));
      gate.complete(null);
      kit.advance(ofMillis(9));
      assertThat(notes).isEmpty();
      kit.advance(ofMillis(1));
      assertThat(notes).containsExactly("idle@45");
      in(noter, Context::cancelReceiveTimeout);
    }
  }

  @Test
  void anotherReceiveTimeoutReplacesTheOneBefore() {
    try (var kit = Testkit.onVirtualTime()) {
      var noter = noter(kit);
      in(noter, c -> c.receiveTimeout(ofMillis(10), say("old")));
      kit.advance(ofMillis(5));
      in(noter, c -> c.receiveTimeout(ofMillis(30), say("new")));
      kit.advance(ofMillis(30));
      assertThat(notes).containsExactly("new@35");
      in(noter, Context::cancelReceiveTimeout);
    }
  }

  @Test
  void ticksAndAnswersCountAsMessagesAndStaleTicksDoNot() {
    try (var kit = Testkit.onVirtualTime()) {
      var noter = noter(kit);
      in(
          noter,
          c -> {
            c.receiveTimeout(ofMillis(10), say("idle"));
            c.timers().once("k", ofMillis(6), say("tick"));
          });
      kit.advance(ofMillis(15));
      assertThat(notes).containsExactly("tick@6");
      kit.advance(ofMillis(1));
      assertThat(notes).containsExactly("tick@6", "idle@16");
      in(noter, Context::cancelReceiveTimeout);
    }
  }

  // ---- misuse ----------------------------------------------------------------------------------

  @Test
  void whatMakesNoSenseIsRefusedWithASentence() {
    try (var kit = Testkit.onVirtualTime()) {
      var noter = noter(kit);
      AtomicReference<ActorTimers<Msg>> kept = new AtomicReference<>();
      in(
          noter,
          c -> {
            ActorTimers<Msg> timers = c.timers();
            kept.set(timers);
            Duration negative = ofMillis(-1);
            assertThatThrownBy(() -> timers.once("k", negative, say("")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Duration.ZERO");
            assertThatThrownBy(() -> timers.atFixedRate("k", ZERO, say("")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("positive");
            assertThatThrownBy(() -> timers.withFixedDelay("k", negative, say("")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("positive");
            assertThatThrownBy(() -> c.receiveTimeout(ZERO, say("")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("positive");
            assertThat(timers.isActive("k")).isFalse();
          });
      kit.run();
      assertThatThrownBy(() -> kept.get().once("k", ofMillis(1), say("")))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("[NOT-YOUR-TURN]");
    }
  }
}
