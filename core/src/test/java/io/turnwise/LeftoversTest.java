package io.turnwise;

import static io.turnwise.Puppet.does;
import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.internal.cell.ManualSystem;
import io.turnwise.scheduling.Backend;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a handler leaves behind on its thread reaches neither the next turn nor anybody else. */
class LeftoversTest {
  private static final ThreadLocal<String> LOCAL = new ThreadLocal<>();
  private static final InheritableThreadLocal<String> INHERITABLE = new InheritableThreadLocal<>();

  private static String state() {
    return "interrupted "
        + Thread.currentThread().isInterrupted()
        + ", local "
        + LOCAL.get()
        + ", inheritable "
        + INHERITABLE.get()
        + ", loader "
        + (Thread.currentThread().getContextClassLoader() instanceof URLClassLoader);
  }

  private static final String CLEAN =
      "interrupted false, local null, inheritable null, loader false";

  private static void makeAMess(Context<Puppet.Msg> context) {
    Thread.currentThread().interrupt();
    LOCAL.set("left by " + context.self().path());
    INHERITABLE.set("left by " + context.self().path());
    Thread.currentThread().setContextClassLoader(new URLClassLoader(new URL[0]));
  }

  @Test
  void theNextTurnFindsACleanThread() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      actor.cast(does(LeftoversTest::makeAMess));
      actor.cast(does(_ -> kit.note(state())));
      kit.run();
      assertThat(kit.log()).endsWith(CLEAN);
    }
  }

  @Test
  void anotherActorFindsACleanThread() {
    try (var kit = new ManualSystem()) {
      var one = kit.puppet("one");
      var two = kit.puppet("two");
      one.cast(does(LeftoversTest::makeAMess));
      two.cast(does(_ -> kit.note(state())));
      kit.run();
      assertThat(kit.log()).endsWith(CLEAN);
    }
  }

  @Test
  void aCrashLeavesACleanThreadToo() {
    try (var kit = new ManualSystem()) {
      var one = kit.puppet("one");
      var two = kit.puppet("two");
      one.cast(
          does(
              c -> {
                makeAMess(c);
                throw new IllegalStateException("boom");
              }));
      two.cast(does(_ -> kit.note(state())));
      kit.run();
      assertThat(kit.log()).endsWith(CLEAN);
    }
  }

  @Test
  void initInfoAndTeardownLeaveACleanThread() {
    try (var kit = new ManualSystem()) {
      class Messy implements Actor<Puppet.Msg> {
        @Override
        public void init(Context<Puppet.Msg> context) {
          kit.note(state());
          makeAMess(context);
        }

        @Override
        public void receive(Puppet.Msg message, Context<Puppet.Msg> context) {
          kit.note(state());
          context.watch(context.spawn(() -> (String _, Context<String> _) -> {}));
          context.children().forEach(ActorRef::stop);
          makeAMess(context);
        }

        @Override
        public void info(Signal signal, Context<Puppet.Msg> context) {
          kit.note(state());
          makeAMess(context);
          context.stop();
        }

        @Override
        public void teardown(StopReason reason, Context<Puppet.Msg> context) {
          kit.note(state());
          makeAMess(context);
        }
      }
      kit.spawn("messy", Messy::new).cast(Puppet.say("x"));
      kit.run();
      kit.puppet("next").cast(does(_ -> kit.note(state())));
      kit.run();
      List<String> states = kit.log().stream().filter(l -> l.startsWith("interrupted")).toList();
      assertThat(states).hasSize(5).allMatch(CLEAN::equals);
    }
  }

  @Test
  void withinOneTurnEverythingStaysEvenAcrossASuspension() {
    try (var kit = new ManualSystem()) {
      var helper = kit.puppet("helper");
      var actor = kit.puppet("a");
      actor.cast(
          does(
              c -> {
                LOCAL.set("mine");
                helper.call(Puppet.ask("x"));
                Thread.yield();
                kit.note("local " + LOCAL.get());
              }));
      helper.cast(does(_ -> kit.note("helper sees " + LOCAL.get())));
      kit.run();
      assertThat(kit.log()).contains("local mine", "helper sees null");
    }
  }

  @Test
  void anInterruptFlagDoesNotDisturbCallsAndWaitsOfTheSameTurn() {
    try (var kit = new ManualSystem()) {
      var helper = kit.puppet("helper");
      kit.puppet("a")
          .cast(
              does(
                  _ -> {
                    Thread.currentThread().interrupt();
                    kit.note(helper.call(Puppet.ask("x")));
                    kit.note("still " + Thread.currentThread().isInterrupted());
                  }));
      kit.run();
      assertThat(kit.log()).endsWith("X", "still true");
    }
  }

  @Test
  void interruptingAFiberFromOutsideHarmsOnlyTheTurnInHand() throws Exception {
    try (var system = ActorSystem.open("poke", c -> c.withWorkers(1))) {
      List<String> log = Collections.synchronizedList(new ArrayList<>());
      var actor = system.spawn("a", () -> new Puppet(log));
      var thread = new CompletableFuture<Thread>();
      var woken = new CompletableFuture<String>();
      actor.cast(
          does(
              _ -> {
                thread.complete(Thread.currentThread());
                try {
                  new CountDownLatch(1).await(); // nobody counts it down
                } catch (InterruptedException e) {
                  woken.complete("interrupted");
                }
              }));
      Await.result(thread).interrupt();
      assertThat(Await.result(woken)).isEqualTo("interrupted");
      Await.result(thread).interrupt(); // between turns, or in somebody else's
      for (int i = 0; i < 100; i++) {
        Await.result(thread).interrupt();
        assertThat(actor.call(Puppet.ask("x"))).isEqualTo("X");
      }
      assertThat(system.snapshot().crashes()).isZero();
      assertThat(system.snapshot().workersReplaced()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aFlagLeftByAHandlerIsGoneInTheNextTurnOfEveryBackend(Backend backend) throws Exception {
    try (var system = ActorSystem.open("flags", c -> c.withWorkers(1))) {
      List<String> log = Collections.synchronizedList(new ArrayList<>());
      var actor =
          system.spawn(ActorSpec.<Puppet.Msg>of(() -> new Puppet(log)).withBackend(backend));
      actor.cast(does(_ -> Thread.currentThread().interrupt()));
      assertThat(
              actor.call(
                  Puppet.want((w, c) -> c.reply(w, "" + Thread.currentThread().isInterrupted()))))
          .isEqualTo("false");
    }
  }

  @Test
  void anActorOnASharedPlatformThreadLeavesNothingToTheNext() throws Exception {
    try (var system = ActorSystem.open("shared", c -> c.withWorkers(1))) {
      List<String> log = Collections.synchronizedList(new ArrayList<>());
      var spec = ActorSpec.<Puppet.Msg>of(() -> new Puppet(log)).withBackend(Backend.BLOCKING);
      boolean shared = false;
      for (int i = 0; i < 100 && !shared; i++) {
        var first = new CompletableFuture<Thread>();
        var one = system.spawn(spec);
        one.cast(
            does(
                c -> {
                  first.complete(Thread.currentThread());
                  makeAMess(c);
                }));
        one.stopAfterDrain();
        Await.end(one);
        var second = new CompletableFuture<Thread>();
        String seen =
            system
                .spawn(spec)
                .call(
                    Puppet.want(
                        (w, c) -> {
                          second.complete(Thread.currentThread());
                          c.reply(w, state());
                        }));
        assertThat(seen).isEqualTo(CLEAN);
        shared = Await.result(first) == Await.result(second);
      }
      assertThat(shared).as("two actors on one thread, one after the other").isTrue();
    }
  }
}
