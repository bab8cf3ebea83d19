package io.turnwise;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.KillReport.Force;
import io.turnwise.observation.SystemSnapshot;
import io.turnwise.scheduling.Backend;
import io.turnwise.scheduling.HandlerKind;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorSpec;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Handlers without polls that do not end, so that their actors go on without them. */
class AbandonedHandlerTest {
  private final ActorSystem system =
      ActorSystem.open("test", c -> c.withWorkers(2).withCloseOnShutdown(false));

  private final AtomicBoolean end = new AtomicBoolean();
  private final CountDownLatch begun = new CountDownLatch(1);
  private final AtomicInteger lives = new AtomicInteger();

  @AfterEach
  void close() {
    end.set(true);
    system.close();
  }

  private record Ask() implements Call<Object, String> {}

  /** In its first life it does not come out of one of its handlers. */
  private final class Stubborn implements Actor<Object> {
    private final HandlerKind stuckIn;
    private final boolean first = lives.getAndIncrement() == 0;

    Stubborn(HandlerKind stuckIn) {
      this.stuckIn = stuckIn;
    }

    private void stay(HandlerKind here) {
      if (!first || here != stuckIn) return;
      begun.countDown();
      Unwoven.spin(end);
    }

    @Override
    public void init(Context<Object> context) {
      if (stuckIn == HandlerKind.INFO) watchOneThatEnds(context);
      stay(HandlerKind.INIT);
    }

    private void watchOneThatEnds(Context<Object> context) {
      ActorRef<String> other = context.spawn(() -> (_, own) -> own.stop());
      context.watch(other);
      other.cast("end");
    }

    @Override
    public void receive(Object message, Context<Object> context) {
      if (message.equals("crash")) throw new IllegalStateException("as told");
      if (message instanceof Ask ask) context.reply(ask, first ? "the old one" : "the new one");
      else stay(HandlerKind.CAST);
    }

    @Override
    public void info(Signal signal, Context<Object> context) {
      stay(HandlerKind.INFO);
    }

    @Override
    public void teardown(StopReason reason, Context<Object> context) {
      stay(HandlerKind.TEARDOWN);
    }

    @Override
    public void preRestart(StopReason reason, Context<Object> context) {
      stay(HandlerKind.TEARDOWN);
    }
  }

  private static Stream<Arguments> everywhere() {
    return Stream.of(Backend.values())
        .flatMap(
            backend ->
                Stream.of(
                        HandlerKind.INIT, HandlerKind.CAST, HandlerKind.INFO, HandlerKind.TEARDOWN)
                    .map(handler -> Arguments.of(backend, handler)));
  }

  @ParameterizedTest
  @MethodSource("everywhere")
  void isCountedWhateverItWasFor(Backend backend, HandlerKind handler) throws Exception {
    ActorRef<Object> actor =
        system.spawn(ActorSpec.of(() -> new Stubborn(handler)).withBackend(backend));
    if (handler == HandlerKind.CAST) actor.cast("go");
    if (handler == HandlerKind.TEARDOWN) actor.stop();
    Await.latch(begun);
    assertThat(Await.result(actor.kill()).force()).isEqualTo(Force.ABANDONED);
    SystemSnapshot now = system.snapshot();
    assertThat(now.handlersAbandoned()).isEqualTo(1);
    assertThat(now.handlersLeftBehind()).as("of these, not ended yet").isEqualTo(1);
    assertThat(now.messagesFailed()).isEqualTo(handler == HandlerKind.CAST ? 1 : 0);
    end.set(true);
    Await.until("it has ended", () -> system.snapshot().handlersLeftBehind() == 0);
    assertThat(system.snapshot().handlersAbandoned()).isEqualTo(1);
  }

  /** It comes back from where it was, and finds that its actor has a new life. */
  @ParameterizedTest
  @MethodSource("everywhere")
  void doesNotTouchTheNextLifeOfItsActor(Backend backend, HandlerKind handler) throws Exception {
    ActorRef<Object> actor = supervised(backend, () -> new Stubborn(handler));
    if (handler == HandlerKind.CAST) actor.cast("go");
    if (handler == HandlerKind.TEARDOWN) actor.cast("crash");
    Await.latch(begun);
    assertGoesOn(actor);
  }

  @ParameterizedTest
  @EnumSource
  void aFactoryThatReturnsTooLateDoesNotReplaceTheActor(Backend backend) throws Exception {
    var calls = new AtomicInteger();
    ActorRef<Object> actor =
        supervised(
            backend,
            () -> {
              boolean late = calls.getAndIncrement() == 0;
              if (late) {
                begun.countDown();
                Unwoven.spin(end);
              }
              return (m, context) -> context.reply((Ask) m, late ? "the old one" : "the new one");
            });
    Await.latch(begun);
    assertGoesOn(actor);
  }

  /**
   * The thread of the first life stands still for ever, and passed for that of the second: which of
   * the two a kill looked at was chance.
   */
  @ParameterizedTest
  @EnumSource
  void theNextLifeOfOneThatLeftItselfBehindIsKilledAsAnyOther(Backend backend) throws Exception {
    int times = 10;
    SupervisorSpec spec = SupervisorSpec.dynamic().withLimit(3 * times, Duration.ofMinutes(10));
    Supervisor top = Supervisor.start(system, "top", spec);
    for (int i = 0; i < times; i++) {
      var firstBegun = new CountDownLatch(1);
      var secondBegun = new CountDownLatch(1);
      var made = new AtomicInteger();
      ActorRef<Object> actor =
          top.start(
              ChildSpec.of(
                  "child-" + i,
                  ActorSpec.<Object>of(
                          () -> {
                            boolean first = made.getAndIncrement() == 0;
                            return (_, _) -> {
                              (first ? firstBegun : secondBegun).countDown();
                              if (first) Unwoven.swallow(new AtomicInteger());
                              else new CountDownLatch(1).await();
                            };
                          })
                      .withBackend(backend)));
      actor.cast("swallow");
      Await.latch(firstBegun);
      assertThat(Await.result(actor.kill()).force()).isEqualTo(Force.ABANDONED);
      actor.cast("sleep");
      Await.latch(secondBegun);
      assertThat(Await.result(actor.kill()).force()).isEqualTo(Force.INTERRUPTED);
    }
  }

  /** It came with the news that the handler hangs in, and is not lost with it. */
  @ParameterizedTest
  @EnumSource
  void whoLinkedItselfBehindSuchNewsHearsOfTheEnd(Backend backend) throws Exception {
    ActorRef<Object> ended = system.spawn(() -> (_, own) -> own.stop());
    ended.cast("end");
    Await.end(ended);
    var holds = new CountDownLatch(1);
    var goOn = new CountDownLatch(1);
    Actor<Object> hangsInInfo =
        new Actor<>() {
          @Override
          public void receive(Object message, Context<Object> context) throws Exception {
            context.watch(ended); // is told at once: the news are in its lane from here on
            holds.countDown();
            goOn.await();
          }

          @Override
          public void info(Signal signal, Context<Object> context) {
            begun.countDown();
            Unwoven.spin(end);
          }
        };
    ActorRef<Object> actor = system.spawn(ActorSpec.of(() -> hangsInInfo).withBackend(backend));
    actor.cast("hold");
    Await.latch(holds);
    var linked = new CountDownLatch(1);
    ActorRef<Object> linker =
        system.spawn(
            () ->
                (_, context) -> {
                  context.link(actor);
                  linked.countDown();
                });
    linker.cast("link");
    Await.latch(linked);
    goOn.countDown();
    Await.latch(begun);
    assertThat(Await.result(actor.kill()).force()).isEqualTo(Force.ABANDONED);
    assertThat(Await.end(linker))
        .isInstanceOfSatisfying(
            StopReason.Crashed.class,
            crashed -> assertThat(crashed.cause()).isInstanceOf(LinkedActorEndedException.class));
  }

  private ActorRef<Object> supervised(Backend backend, Supplier<Actor<Object>> factory) {
    return Supervisor.start(system, "top", SupervisorSpec.dynamic())
        .start(ChildSpec.of("child", ActorSpec.of(factory).withBackend(backend)));
  }

  private void assertGoesOn(ActorRef<Object> actor) throws Exception {
    assertThat(Await.result(actor.kill()).force()).isEqualTo(Force.ABANDONED);
    assertThat(actor.call(new Ask())).isEqualTo("the new one");
    end.set(true);
    Await.until("it has ended", () -> system.snapshot().handlersLeftBehind() == 0);
    assertThat(actor.call(new Ask())).isEqualTo("the new one");
  }
}
