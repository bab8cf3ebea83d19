package io.turnwise.testkit.simulation;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.Call;
import io.turnwise.CallOutcome;
import io.turnwise.Context;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What {@code callToSelf} brings is counted as any other message, whatever becomes of it. */
class AnswersAccountedTest {
  private record Ask(boolean answers) implements Call<Ask, String> {}

  private sealed interface Message {}

  private record Begin(boolean answers) implements Message {}

  private record Came(CallOutcome<String> outcome) implements Message {}

  /** What it does when the outcome comes. */
  private enum End {
    HANDLE,
    CRASH,
    CRASH_WHILE_TRANSLATING,
    STASH,
    STOP_BEFORE
  }

  private static final class Asker implements Actor<Message> {
    private final ActorRef<Ask> server;
    private final End end;

    Asker(ActorRef<Ask> server, End end) {
      this.server = server;
      this.end = end;
    }

    @Override
    public void receive(Message message, Context<Message> context) {
      switch (message) {
        case Begin(boolean answers) -> {
          context.callToSelf(server, new Ask(answers), Duration.ofSeconds(1), this::translate);
          if (end == End.STOP_BEFORE) context.stop();
        }
        case Came _ -> {
          if (end == End.STASH) context.stash();
          if (end == End.CRASH) throw new IllegalStateException("on purpose");
        }
      }
    }

    private Message translate(CallOutcome<String> outcome) {
      if (end == End.CRASH_WHILE_TRANSLATING) throw new IllegalStateException("on purpose");
      return new Came(outcome);
    }
  }

  @Test
  void eachEndsAsOneMessage() {
    for (boolean answers : new boolean[] {true, false})
      for (End end : End.values())
        Simulation.runAll(
            SimulationPlan.DEFAULT,
            1,
            50,
            simulation -> {
              ActorRef<Ask> server =
                  simulation.spawn(
                      "server",
                      () ->
                          (ask, context) -> {
                            if (ask.answers()) context.reply(ask, "here");
                            else context.defer(ask);
                          });
              simulation
                  .<Message>spawn("asker", () -> new Asker(server, end))
                  .cast(new Begin(answers));
              simulation.sleep(Duration.ofSeconds(2));
            });
  }
}
