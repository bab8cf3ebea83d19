package io.turnwise;

import static io.turnwise.Puppet.ask;
import static io.turnwise.Puppet.does;
import static io.turnwise.Puppet.say;
import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.internal.cell.ManualSystem;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.mailbox.Priority;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lanes: high before normal before low, in order within each, and never for ever. */
class LanesTest {
  private static final int RUN = 16;

  private static UnaryOperator<ActorSpec<Puppet.Msg>> mailbox(boolean bounded) {
    return spec ->
        bounded ? spec.withMailbox(MailboxConfig.bounded(10_000, OverflowPolicy.FAIL)) : spec;
  }

  @ParameterizedTest(name = "bounded {0}")
  @ValueSource(booleans = {false, true})
  void aHigherLaneGoesFirst(boolean bounded) {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a", mailbox(bounded));
      actor.cast(say("low"), Priority.LOW);
      actor.cast(say("normal"), Priority.NORMAL);
      actor.cast(say("plain"));
      actor.cast(say("high"), Priority.HIGH);
      kit.run();
      assertThat(kit.log()).containsExactly("a begins", "a high", "a normal", "a plain", "a low");
    }
  }

  @ParameterizedTest(name = "bounded {0}")
  @ValueSource(booleans = {false, true})
  void theLaneFollowsFromTheTypeOfTheMessage(boolean bounded) {
    try (var kit = new ManualSystem()) {
      var actor =
          kit.puppet(
              "a",
              spec ->
                  mailbox(bounded)
                      .apply(spec)
                      .withPriority(Puppet.Ask.class, Priority.HIGH)
                      .withPriority(Puppet.Do.class, Priority.LOW));
      actor.cast(does(_ -> kit.note("low")));
      actor.cast(say("normal"));
      actor.cast(ask("high"));
      actor.cast(ask("low after all"), Priority.LOW); // the send wins over the type
      kit.run();
      assertThat(kit.log())
          .containsExactly("a begins", "a high?", "a normal", "low", "a low after all?");
    }
  }

  @Test
  void callsTravelInTheLaneOfTheirType() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a", s -> s.withPriority(Puppet.Ask.class, Priority.HIGH));
      actor.cast(say("normal"));
      var call = kit.call(actor, ask("urgent"));
      kit.run();
      assertThat(call).isCompletedWithValue("URGENT");
      assertThat(kit.log()).containsExactly("a begins", "a urgent?", "a normal");
    }
  }

  @Test
  void theFirstMatchingTypeDecides() {
    try (var kit = new ManualSystem()) {
      var actor =
          kit.puppet(
              "a",
              s ->
                  s.withPriority(Puppet.Say.class, Priority.LOW)
                      .withPriority(Puppet.Msg.class, Priority.HIGH));
      actor.cast(say("low"));
      actor.cast(ask("high"));
      kit.run();
      assertThat(kit.log()).containsExactly("a begins", "a high?", "a low");
    }
  }

  /** What actors of one system have in common is kept once for all whose specs are equal. */
  @Test
  void theFirstMatchingTypeDecidesAlsoBesideASpecWithTheSameTypesInAnotherOrder() {
    try (var kit = new ManualSystem()) {
      var narrowFirst =
          kit.puppet(
              "a",
              s ->
                  s.withPriority(Puppet.Say.class, Priority.LOW)
                      .withPriority(Puppet.Msg.class, Priority.HIGH));
      var wideFirst =
          kit.puppet(
              "b",
              s ->
                  s.withPriority(Puppet.Msg.class, Priority.HIGH)
                      .withPriority(Puppet.Say.class, Priority.LOW));
      for (var actor : List.of(narrowFirst, wideFirst)) {
        actor.cast(say("said"));
        actor.cast(ask("asked"));
        kit.run();
      }
      assertThat(kit.log())
          .containsExactly("a begins", "a asked?", "a said", "b begins", "b said", "b asked?");
    }
  }

  @ParameterizedTest(name = "bounded {0}")
  @ValueSource(booleans = {false, true})
  void whileNormalWaitsAtMost16InARowComeFromHigh(boolean bounded) {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a", mailbox(bounded));
      for (int i = 0; i < 100; i++) actor.cast(say("high"), Priority.HIGH);
      for (int i = 0; i < 3; i++) actor.cast(say("normal"));
      kit.run();
      List<String> log = kit.log().subList(1, kit.log().size());
      assertThat(log).hasSize(103);
      assertThat(log.indexOf("a normal")).isEqualTo(RUN);
      assertThat(log.subList(RUN + 1, 103).indexOf("a normal")).isEqualTo(RUN);
      assertThat(log.subList(2 * RUN + 2, 103).indexOf("a normal")).isEqualTo(RUN);
    }
  }

  @ParameterizedTest(name = "bounded {0}")
  @ValueSource(booleans = {false, true})
  void whileLowWaitsAtMost16InARowComeFromAbove(boolean bounded) {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a", mailbox(bounded));
      for (int i = 0; i < 40; i++) actor.cast(say("high"), Priority.HIGH);
      for (int i = 0; i < 40; i++) actor.cast(say("normal"));
      for (int i = 0; i < 3; i++) actor.cast(say("low"), Priority.LOW);
      kit.run();
      List<String> log = kit.log().subList(1, kit.log().size());
      assertThat(log).hasSize(83);
      assertThat(log.indexOf("a low")).isEqualTo(RUN);
      assertThat(log.subList(RUN + 1, 83).indexOf("a low")).isEqualTo(RUN);
      assertThat(log.subList(2 * RUN + 2, 83).indexOf("a low")).isEqualTo(RUN);
    }
  }

  /** Any mix: order within each lane, nothing lost, and the two rules hold at every step. */
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void theRulesHoldForAnyMix(long seed) {
    var random = new Random(seed);
    boolean bounded = seed % 2 == 0;
    try (var kit = new ManualSystem(c -> c.withThroughput(1 + random.nextInt(40)))) {
      var actor = kit.puppet("a", mailbox(bounded));
      Map<Priority, List<String>> sent = new EnumMap<>(Priority.class);
      for (Priority lane : Priority.values()) sent.put(lane, new ArrayList<>());
      List<Priority> waiting = new ArrayList<>();
      int total = 600;
      for (int i = 0; i < total; i++) {
        Priority lane = Priority.values()[Math.min(2, random.nextInt(5))];
        if (random.nextInt(4) > 0) lane = Priority.HIGH;
        String text = lane + " " + i;
        sent.get(lane).add("a " + text);
        waiting.add(lane);
        actor.cast(say(text), lane);
      }
      kit.run();
      List<String> handled = kit.log().subList(1, kit.log().size());
      for (Priority lane : Priority.values())
        assertThat(handled.stream().filter(line -> line.startsWith("a " + lane)).toList())
            .as("seed %d, lane %s", seed, lane)
            .isEqualTo(sent.get(lane));
      checkRuns(seed, handled, waiting);
    }
  }

  private static void checkRuns(long seed, List<String> handled, List<Priority> waiting) {
    int highRun = 0;
    int aboveLowRun = 0;
    for (String line : handled) {
      Priority lane = Priority.valueOf(line.split(" ")[1]);
      if (lane == Priority.NORMAL || !waiting.contains(Priority.NORMAL)) highRun = 0;
      else if (lane == Priority.HIGH) highRun++; // a low one in between gives it no new start
      aboveLowRun = lane != Priority.LOW && waiting.contains(Priority.LOW) ? aboveLowRun + 1 : 0;
      assertThat(highRun).as("seed %d, high in a row", seed).isLessThanOrEqualTo(RUN);
      assertThat(aboveLowRun).as("seed %d, above low in a row", seed).isLessThanOrEqualTo(RUN);
      waiting.remove(lane);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void twoLanesThatNeverRunDryDoNotStarveTheThird(boolean bounded) {
    try (var kit = new ManualSystem()) {
      var log = new ArrayList<String>();
      ActorSpec<String> spec =
          ActorSpec.of(
              () ->
                  (m, c) -> {
                    log.add(m);
                    if (log.size() > 500) return;
                    if (m.equals("high")) c.self().cast(m, Priority.HIGH);
                    if (m.equals("low")) c.self().cast(m, Priority.LOW);
                  });
      ActorRef<String> actor =
          kit.spawn(
              "a",
              bounded ? spec.withMailbox(MailboxConfig.bounded(50, OverflowPolicy.FAIL)) : spec);
      for (int i = 0; i < 3; i++) {
        actor.cast("high", Priority.HIGH);
        actor.cast("low", Priority.LOW);
      }
      for (int i = 0; i < 10; i++) actor.cast("normal");
      kit.run();
      assertThat(log.subList(0, 300)).filteredOn("normal"::equals).hasSize(10);
    }
  }

  @Test
  void aLaneThatNeverRunsDryStarvesNobody() {
    try (var kit = new ManualSystem()) {
      var log = new ArrayList<String>();
      ActorRef<String> actor =
          kit.spawn(
              "a",
              () ->
                  (m, c) -> {
                    log.add(m);
                    if (m.equals("high") && log.size() < 200) c.self().cast(m, Priority.HIGH);
                  });
      for (int i = 0; i < 5; i++) actor.cast("high", Priority.HIGH);
      actor.cast("normal");
      actor.cast("low", Priority.LOW);
      kit.run();
      assertThat(log.indexOf("normal")).isBetween(0, 40);
      assertThat(log.indexOf("low")).isBetween(0, 40);
    }
  }

  @Test
  void signalsComeBeforeTheHighLane() {
    try (var kit = new ManualSystem()) {
      var watched = kit.puppet("watched");
      var actor = kit.puppet("a");
      actor.cast(does(c -> c.watch(watched)));
      kit.run();
      watched.stop();
      kit.run();
      kit.clearLog();
      actor.cast(say("high"), Priority.HIGH);
      actor.stop();
      kit.run();
      assertThat(kit.log()).containsExactly("a ends: shut down");
    }
  }

  @Test
  void priorityMayComeWithTheFirstMessageOfAnIdleActor() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      kit.run();
      for (Priority lane : Priority.values()) {
        actor.cast(say("" + lane), lane);
        kit.run();
      }
      assertThat(kit.log()).containsExactly("a begins", "a HIGH", "a NORMAL", "a LOW");
    }
  }

  // ---- signals ---------------------------------------------------------------------------------

  /** Keeps a message to itself under way, and does something at each notice of an end. */
  private static final class Parent implements Actor<String> {
    private final List<String> log;
    private final Consumer<Context<String>> atEachEnd;
    private int ends;

    Parent(List<String> log, Consumer<Context<String>> atEachEnd) {
      this.log = log;
      this.atEachEnd = atEachEnd;
    }

    @Override
    public void receive(String message, Context<String> context) {
      if (message.equals("begin")) atEachEnd.accept(context);
      else log.add(message);
      if (ends < ENDS) context.self().cast("message");
    }

    @Override
    public void info(Signal signal, Context<String> context) {
      if (!(signal instanceof Signal.Terminated)) return;
      log.add("end");
      if (++ends < ENDS) atEachEnd.accept(context);
    }
  }

  private static final int ENDS = 300;

  private static void assertMessagesBetween(List<String> log) {
    assertThat(log.stream().filter("end"::equals)).hasSize(ENDS);
    for (int i = 1; i < log.size(); i++)
      if (log.get(i).equals("end"))
        assertThat(log.get(i - 1)).as("before the end at %s", i).isEqualTo("message");
  }

  @Test
  void aParentWhoseChildrenEndOneAfterAnotherHandlesItsMessagesInBetween() {
    try (var kit = new ManualSystem()) {
      List<String> log = new ArrayList<>();
      Consumer<Context<String>> next =
          c -> {
            ActorRef<String> child = c.spawn(() -> (_, _) -> {});
            child.stop();
            c.watch(child);
          };
      kit.spawn("parent", () -> new Parent(log, next)).cast("begin");
      kit.run();
      assertMessagesBetween(log);
    }
  }

  /** Each notice is there as soon as the one before has been handled. */
  @Test
  void noticesThatBringTheNextNoticeLetAMessagePassInBetween() {
    try (var kit = new ManualSystem()) {
      var ended = kit.puppet("ended");
      ended.stop();
      kit.run();
      List<String> log = new ArrayList<>();
      kit.spawn("parent", () -> new Parent(log, c -> c.watch(ended))).cast("begin");
      kit.run();
      assertMessagesBetween(log);
    }
  }
}
