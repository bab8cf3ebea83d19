package io.turnwise.testkit.supervision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.Call;
import io.turnwise.CalleeFailedException;
import io.turnwise.Context;
import io.turnwise.observation.DeadLetterReason;
import io.turnwise.observation.SystemSnapshot;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.FailureAction;
import io.turnwise.supervision.RestartLimit;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorSpec;
import io.turnwise.testkit.Testkit;
import io.turnwise.testkit.simulation.Simulation;
import io.turnwise.testkit.simulation.SimulationPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A message that puts itself aside and then fails its turn: it has failed, or is tried again, or is
 * a dead letter. Never two of these, and never none.
 */
class StashedAndFailedTest {
  @BeforeAll
  static void quietLog() {
    Family.quietLog(true);
  }

  @AfterAll
  static void loudLog() {
    Family.quietLog(false);
  }

  private sealed interface Message {}

  /**
   * @param fails how often its turn fails before it is handled
   * @param stashes whether it is put aside before it fails
   * @param unstashes whether it is brought back in the same turn
   */
  private record Work(int number, int fails, boolean stashes, boolean unstashes)
      implements Message {}

  private record Ask() implements Message, Call<Message, Integer> {}

  /** Puts itself aside, once, and is handled when it comes back. */
  private record Later(int number) implements Message {}

  private record Open() implements Message {}

  /** What was seen of each message: outside of the lives that saw it. */
  private static final class Diary {
    final Map<Integer, Integer> begun = new TreeMap<>();
    final List<Integer> handled = new ArrayList<>();
    final List<Integer> putAside = new ArrayList<>();
  }

  private record Worker(Diary diary) implements Actor<Message> {
    @Override
    public void receive(Message message, Context<Message> context) {
      switch (message) {
        case Work work -> {
          int before = diary.begun.merge(work.number, 1, Integer::sum) - 1;
          if (before >= work.fails) {
            diary.handled.add(work.number);
            return;
          }
          if (work.stashes) context.stash();
          if (work.unstashes) context.unstashAll();
          throw new IllegalStateException("after the stash");
        }
        case Ask _ -> {
          context.stash();
          throw new IllegalStateException("in the call");
        }
        case Later(int number) -> {
          if (diary.putAside.contains(number)) {
            diary.handled.add(number);
            return;
          }
          diary.putAside.add(number);
          context.stash();
        }
        case Open _ -> context.unstashAll();
      }
    }
  }

  static Stream<Arguments> cases() {
    List<Arguments> all = new ArrayList<>();
    for (FailureAction action :
        List.of(FailureAction.RESTART, FailureAction.RESUME, FailureAction.STOP))
      for (int tries : new int[] {1, 3})
        for (boolean unstashes : new boolean[] {false, true})
          all.add(Arguments.of(action, tries, unstashes));
    return all.stream();
  }

  private static ChildSpec<Message> worker(Diary diary, FailureAction action, int tries) {
    return ChildSpec.of("a", () -> (Actor<Message>) new Worker(diary))
        .withTries(tries)
        .withAction(IllegalStateException.class, action);
  }

  @ParameterizedTest(name = "{0}, {1} tries, unstashed in the same turn: {2}")
  @MethodSource("cases")
  void itHasOneFate(FailureAction action, int tries, boolean unstashes) {
    var diary = new Diary();
    try (var kit = Testkit.onVirtualTime()) {
      kit.allowCrashes();
      kit.allowDeadLetters();
      ChildSpec<Message> spec = worker(diary, action, tries);
      Supervisor sup =
          Supervisor.start(
              kit.system(),
              "sup",
              SupervisorSpec.oneForOne().withChild(spec).withLimit(RestartLimit.NONE));
      ActorRef<Message> a = sup.child(spec);
      SystemSnapshot before = kit.system().snapshot();
      a.cast(new Work(1, Integer.MAX_VALUE, true, unstashes));
      kit.run();
      if (action != FailureAction.STOP) {
        a.cast(new Open());
        a.cast(new Work(2, 0, false, false));
      }
      kit.run();
      boolean again = tries > 1 && action == FailureAction.RESTART;
      SystemSnapshot end = kit.system().snapshot();
      assertThat(diary.begun.get(1)).isEqualTo(again ? tries : 1);
      assertThat(diary.handled).isEqualTo(action == FailureAction.STOP ? List.of() : List.of(2));
      long failed = end.messagesFailed() - before.messagesFailed();
      long poison = end.deadLetters().getOrDefault(DeadLetterReason.POISON, 0L);
      long left = end.deadLetters().getOrDefault(DeadLetterReason.LEFT_BEHIND, 0L);
      assertThat(failed + poison + left).isEqualTo(1);
      assertThat(end.deadLettersTotal()).isEqualTo(poison + left);
      assertThat(poison).isEqualTo(again ? 1 : 0);
      // One that has tries left when its actor stops for good is left behind.
      assertThat(left).isEqualTo(tries > 1 && action == FailureAction.STOP ? 1 : 0);
    }
  }

  @Test
  void whoCalledIsToldTheCauseAtOnce() {
    try (var kit = Testkit.onVirtualTime()) {
      kit.allowCrashes();
      ChildSpec<Message> spec = worker(new Diary(), FailureAction.RESTART, 3);
      Supervisor sup =
          Supervisor.start(kit.system(), "sup", SupervisorSpec.oneForOne().withChild(spec));
      assertThatThrownBy(() -> sup.child(spec).call(new Ask()))
          .isInstanceOf(CalleeFailedException.class)
          .hasRootCauseMessage("in the call");
      kit.run();
      assertThat(kit.system().snapshot().crashes()).isEqualTo(1); // it is not handled again
      assertThat(kit.system().snapshot().messagesFailed()).isEqualTo(1);
    }
  }

  /** Between two of its tries it may be put aside in good order: they go on where they were. */
  @Test
  void aMessageThatIsPutAsideBetweenItsTriesHasNoMoreOfThem() {
    var begun = new int[1];
    try (var kit = Testkit.onVirtualTime()) {
      kit.allowCrashes();
      kit.allowDeadLetters();
      ChildSpec<String> spec =
          ChildSpec.<String>of(
                  "a",
                  () ->
                      (message, context) -> {
                        if (message.equals("open")) {
                          context.unstashAll();
                        } else if (++begun[0] % 2 == 0) {
                          context.stash();
                          context.self().cast("open");
                        } else {
                          throw new IllegalStateException("every other time");
                        }
                      })
              .withTries(3);
      Supervisor sup =
          Supervisor.start(
              kit.system(),
              "sup",
              SupervisorSpec.oneForOne().withChild(spec).withLimit(RestartLimit.of(10)));
      sup.child(spec).cast("work");
      kit.run();
      assertThat(begun[0]).isEqualTo(5); // fails, aside, fails, aside, fails
      assertThat(kit.expectDeadLetter(String.class).reason()).isEqualTo(DeadLetterReason.POISON);
    }
  }

  /**
   * Among others, some of which are put aside in good order, with kills at any moment: a simulation
   * compares what was sent with what was handled, has failed, or is a dead letter.
   */
  @ParameterizedTest(name = "{0}, {1} tries, unstashed in the same turn: {2}")
  @MethodSource("cases")
  void soItHasWhateverHappens(FailureAction action, int tries, boolean unstashes) {
    Simulation.runAll(
        SimulationPlan.DEFAULT.withPreempts(false),
        1,
        200,
        simulation -> {
          var random = new SplittableRandom(simulation.seed());
          var diary = new Diary();
          ChildSpec<Message> spec = worker(diary, action, tries);
          Supervisor sup =
              Supervisor.start(
                  simulation.system(),
                  "sup",
                  SupervisorSpec.oneForOne().withChild(spec).withLimit(RestartLimit.NONE));
          ActorRef<Message> a = sup.child(spec);
          int sent = 20;
          for (int i = 0; i < sent; i++) {
            a.cast(
                switch (random.nextInt(5)) {
                  case 0, 1 -> new Work(i, 1 + random.nextInt(4), true, unstashes);
                  case 2 -> new Work(i, random.nextInt(2), false, false);
                  case 3 -> new Later(i);
                  default -> new Open();
                });
            if (random.nextInt(6) == 0) a.kill();
            if (random.nextInt(6) == 0) simulation.sleep(Duration.ofNanos(random.nextInt(50_000)));
          }
          simulation.sleep(Duration.ofSeconds(1));
          assertThat(diary.handled).doesNotHaveDuplicates();
          int most = action == FailureAction.RESTART ? tries : 1;
          assertThat(diary.begun.values()).allMatch(begun -> begun <= most);
        });
  }
}
