package io.turnwise;

import static io.turnwise.Puppet.does;
import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.internal.cell.ManualSystem;
import io.turnwise.internal.door.JdkDoor;
import io.turnwise.scheduling.Backend;
import io.turnwise.scheduling.TimeoutAction;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.FailureAction;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorSpec;
import io.turnwise.weaving.Safepoint;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a handler leaves behind on its thread reaches neither the next turn nor anybody else. */
class LeftoversTest {
  private static final ThreadLocal<String> LOCAL = new ThreadLocal<>();
  private static final InheritableThreadLocal<String> INHERITABLE = new InheritableThreadLocal<>();
  private static final ScopedValue<String> SCOPED = ScopedValue.newInstance();

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
      // Where every poll yields, two may be done before one ends; no other line speaks of threads.
      assertThat(kit.log()).contains(CLEAN);
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
  void aScopedValueOfATurnIsBoundInNoOtherOnItsThread() {
    try (var kit = new ManualSystem()) {
      var threads = new ArrayList<Thread>();
      var one = kit.puppet("one");
      var two = kit.puppet("two");
      one.cast(
          does(
              _ -> {
                threads.add(Thread.currentThread());
                ScopedValue.where(SCOPED, "of one").run(() -> kit.note(SCOPED.get()));
              }));
      for (var next : List.of(one, two))
        next.cast(
            does(
                _ -> {
                  threads.add(Thread.currentThread());
                  kit.note("bound " + SCOPED.isBound());
                }));
      kit.run();
      assertThat(kit.log()).containsSubsequence("of one", "bound false", "bound false");
      assertThat(threads).hasSize(3).containsOnly(threads.getFirst());
    }
  }

  @Test
  void aScopedValueStaysWithATurnThatWaitsInItsScopeAndWithNobodyElse() {
    try (var kit = new ManualSystem()) {
      var helper = kit.puppet("helper");
      var actor = kit.puppet("a");
      Runnable waits =
          () -> {
            helper.call(Puppet.ask("x"));
            kit.note(SCOPED.get());
          };
      actor.cast(does(_ -> ScopedValue.where(SCOPED, "of a").run(waits)));
      helper.cast(does(_ -> kit.note("bound " + SCOPED.isBound())));
      kit.run();
      assertThat(kit.log()).containsSubsequence("bound false", "of a");
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

  // ---- what cannot be taken away: the thread goes ----------------------------------------------

  private enum Place {
    INIT,
    RECEIVE,
    INFO,
    TEARDOWN
  }

  /** Fails in one of its handlers, with the lock in hand. */
  private record Locking(Place place, Lock lock) implements Actor<Puppet.Msg> {
    private void fail(Place here) {
      if (here != place) return;
      lock.lock();
      throw new IllegalStateException("boom");
    }

    @Override
    public void init(Context<Puppet.Msg> context) {
      fail(Place.INIT);
    }

    @Override
    public void receive(Puppet.Msg message, Context<Puppet.Msg> context) {
      fail(Place.RECEIVE);
      context.watch(context.spawn(() -> (String _, Context<String> _) -> {}));
      context.children().forEach(ActorRef::stop);
    }

    @Override
    public void info(Signal signal, Context<Puppet.Msg> context) {
      fail(Place.INFO);
      context.stop();
    }

    @Override
    public void teardown(StopReason reason, Context<Puppet.Msg> context) {
      fail(Place.TEARDOWN);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aLockThatAFailedHandlerLeftIsNoneOfTheNextActors(Place place) {
    try (var kit = new ManualSystem()) {
      var lock = new ReentrantLock();
      kit.spawn("one", () -> new Locking(place, lock)).cast(Puppet.say("x"));
      kit.run();
      assertThat(lock.isLocked()).isTrue();
      kit.puppet("two").cast(does(_ -> kit.note("owner " + lock.isHeldByCurrentThread())));
      kit.run();
      assertThat(kit.log()).endsWith("owner false");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"ASYNC", "BLOCKING"})
  void aLockThatAFailedHandlerLeftIsNoneOfItsActorsNextTurns(Backend backend) throws Exception {
    try (var system = ActorSystem.open("resumed", c -> c.withWorkers(1))) {
      var lock = new ReentrantLock();
      var spec =
          ChildSpec.of(
                  "a",
                  ActorSpec.<Puppet.Msg>of(() -> new Puppet(new ArrayList<>()))
                      .withBackend(backend))
              .withAction(ArithmeticException.class, FailureAction.RESUME);
      var actor =
          Supervisor.start(system, "sup", SupervisorSpec.oneForOne().withChild(spec)).child(spec);
      var allThere = new CountDownLatch(1);
      actor.cast(does(_ -> allThere.await()));
      actor.cast(
          does(
              _ -> {
                lock.lock();
                throw new ArithmeticException("boom");
              }));
      var owner = new CompletableFuture<Boolean>();
      actor.cast(does(_ -> owner.complete(lock.isHeldByCurrentThread())));
      allThere.countDown();
      assertThat(Await.result(owner)).isFalse();
      assertThat(lock.isLocked()).isTrue();
    }
  }

  @Test
  void aLockThatACancelledHandlerLeftIsNoneOfItsActorsNextTurns() {
    try (var kit = new ManualSystem()) {
      var lock = new ReentrantLock();
      var limit = Duration.ofMillis(50);
      var actor = kit.puppet("a", spec -> spec.withHandlerTimeout(limit, TimeoutAction.CANCEL));
      actor.cast(
          does(
              _ -> {
                lock.lock();
                while (true) {
                  kit.passAndTick(limit);
                  Safepoint.poll();
                }
              }));
      actor.cast(does(_ -> kit.note("owner " + lock.isHeldByCurrentThread())));
      kit.run();
      assertThat(lock.isLocked()).isTrue();
      assertThat(kit.log()).endsWith("owner false");
    }
  }

  @Test
  void aLockThatACancelledInfoLeftIsNoneOfTheNextSignalsAndMessages() {
    try (var kit = new ManualSystem()) {
      var lock = new ReentrantLock();
      var limit = Duration.ofMillis(50);
      List<ActorRef<Puppet.Msg>> children = new ArrayList<>();
      class Watching implements Actor<Puppet.Msg> {
        @Override
        public void receive(Puppet.Msg message, Context<Puppet.Msg> context) {
          kit.note("owner in receive " + lock.isHeldByCurrentThread());
        }

        @Override
        public void info(Signal signal, Context<Puppet.Msg> context) {
          kit.note("owner in info " + lock.isHeldByCurrentThread());
          if (lock.isLocked()) return;
          lock.lock();
          while (true) {
            kit.passAndTick(limit);
            Safepoint.poll();
          }
        }

        @Override
        public void init(Context<Puppet.Msg> context) {
          for (int i = 0; i < 2; i++) children.add(context.spawn(kit.puppetSpec()));
          children.forEach(context::watch);
        }
      }
      var actor =
          kit.spawn(
              "a",
              ActorSpec.<Puppet.Msg>of(Watching::new)
                  .withHandlerTimeout(limit, TimeoutAction.CANCEL));
      kit.run();
      children.forEach(ActorRef::stop);
      actor.cast(Puppet.say("x"));
      kit.run();
      assertThat(kit.log().stream().filter(line -> line.startsWith("owner")))
          .containsExactly("owner in info false", "owner in info false", "owner in receive false");
    }
  }

  @Test
  void aLockThatATimersCallbackLeftIsNobodyElses() {
    try (var kit = new ManualSystem()) {
      var lock = new ReentrantLock();
      kit.system()
          .timers()
          .scheduleDelayed(
              () -> {
                lock.lock();
                throw new IllegalStateException("boom");
              },
              Duration.ofMillis(1));
      kit.advance(Duration.ofMillis(10));
      assertThat(lock.isLocked()).isTrue();
      kit.puppet("a").cast(does(_ -> kit.note("owner " + lock.isHeldByCurrentThread())));
      kit.run();
      assertThat(kit.log()).endsWith("owner false");
    }
  }

  @Test
  void aLockLeftOnASharedPlatformThreadIsNoneOfTheNextActors() throws Exception {
    try (var system = ActorSystem.open("shared", c -> c.withWorkers(1))) {
      var spec =
          ActorSpec.<Puppet.Msg>of(() -> new Puppet(new ArrayList<>()))
              .withBackend(Backend.BLOCKING);
      for (int i = 0; i < 100; i++) { // one of them would get the thread of the one before
        var lock = new ReentrantLock();
        var one = system.spawn(spec);
        one.cast(
            does(
                _ -> {
                  lock.lock();
                  throw new IllegalStateException("boom");
                }));
        Await.end(one);
        var two = system.spawn(spec);
        String owner =
            two.call(Puppet.want((w, c) -> c.reply(w, "" + lock.isHeldByCurrentThread())));
        assertThat(owner).isEqualTo("false");
        two.stop();
      }
    }
  }

  @Test
  void aTurnThatReturnsKeepsItsThreadForTheNext() {
    try (var kit = new ManualSystem()) {
      var threads = new ArrayList<Thread>();
      var one = kit.puppet("one");
      var two = kit.puppet("two");
      one.cast(does(_ -> threads.add(Thread.currentThread())));
      two.cast(does(_ -> threads.add(Thread.currentThread())));
      kit.run();
      assertThat(threads.get(0)).isSameAs(threads.get(1));
    }
  }

  // ---- structured task scopes ------------------------------------------------------------------

  /** By reflection: it is a preview, which the compiler refuses and the JDK does not. */
  private static final class Scope implements AutoCloseable {
    private static final Class<?> TYPE = load("java.util.concurrent.StructuredTaskScope");

    private final Object opened;

    Scope() throws ReflectiveOperationException {
      opened = TYPE.getMethod("open").invoke(null);
    }

    private static Class<?> load(String name) {
      try {
        return Class.forName(name);
      } catch (ClassNotFoundException e) {
        throw new AssertionError(e);
      }
    }

    /** Returns the subtask. */
    Object fork(Callable<?> code) throws ReflectiveOperationException {
      return TYPE.getMethod("fork", Callable.class).invoke(opened, code);
    }

    void join() throws ReflectiveOperationException {
      TYPE.getMethod("join").invoke(opened);
    }

    static Object get(Object subtask) throws ReflectiveOperationException {
      return load(TYPE.getName() + "$Subtask").getMethod("get").invoke(subtask);
    }

    @Override
    public void close() throws ReflectiveOperationException {
      TYPE.getMethod("close").invoke(opened);
    }
  }

  @Test
  void aStructuredTaskScopeInAHandlerWorksAsEverywhere() throws Exception {
    try (var system = ActorSystem.open("scopes", c -> c.withWorkers(2))) {
      var actor = system.spawn("a", () -> new Puppet(new ArrayList<>()));
      for (int i = 0; i < 100; i++)
        assertThat(
                actor.call(
                    Puppet.want(
                        (w, c) -> {
                          try (var scope = new Scope()) {
                            Object half = scope.fork(() -> 20);
                            Object rest = scope.fork(() -> 22);
                            scope.join();
                            c.reply(w, Scope.get(half) + " and " + Scope.get(rest));
                          }
                        })))
            .isEqualTo("20 and 22");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"ASYNC", "BLOCKING"})
  void aScopeLeftOpenIsNoneOfTheNextTurnsAndKeepsNoThread(Backend backend) throws Exception {
    try (var system = ActorSystem.open("scopes", c -> c.withWorkers(1))) {
      var actor =
          system.spawn(
              ActorSpec.<Puppet.Msg>of(() -> new Puppet(new ArrayList<>())).withBackend(backend));
      var thread = new CompletableFuture<Thread>();
      var end = new CountDownLatch(1);
      var ended = new CountDownLatch(1);
      actor.cast(
          does(
              _ -> {
                thread.complete(Thread.currentThread());
                new Scope() // neither joined nor closed
                    .fork(
                        () -> {
                          end.await();
                          ended.countDown();
                          return "done";
                        });
              }));
      assertThat(
              actor.call(
                  Puppet.want(
                      (w, c) -> c.reply(w, "" + JdkDoor.hasOpenScopes(Thread.currentThread())))))
          .isEqualTo("false");
      Thread left = Await.result(thread);
      Await.until("its thread ends, whatever was started in the scope", () -> !left.isAlive());
      end.countDown();
      Await.latch(ended); // what was started goes on
    }
  }
}
