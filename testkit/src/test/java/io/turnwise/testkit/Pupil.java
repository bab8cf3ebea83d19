package io.turnwise.testkit;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.Call;
import io.turnwise.CallOutcome;
import io.turnwise.Context;
import io.turnwise.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** An actor that does as it is told. */
final class Pupil implements Actor<Pupil.Msg> {
  private final List<Reply<String>> deferred = new ArrayList<>();

  /** Where {@link #asks} calls. */
  static final int LINE_OF_CALL = 56;

  sealed interface Msg {}

  /** Runs in its turn. */
  record Do(Consumer<Context<Msg>> what) implements Msg {}

  record Say(String text) implements Msg {}

  /** Answered with the text in capitals. */
  record Ask(String text) implements Msg, Call<Msg, String> {}

  /** Answered by a later {@link Answer}. */
  record AskLater(String text) implements Msg, Call<Msg, String> {}

  record Answer(String text) implements Msg {}

  @Override
  public void receive(Msg message, Context<Msg> context) {
    switch (message) {
      case Do(Consumer<Context<Msg>> what) -> what.accept(context);
      case Say _ -> {}
      case Ask ask -> context.reply(ask, ask.text().toUpperCase());
      case AskLater ask -> deferred.add(context.defer(ask));
      case Answer(String text) -> {
        deferred.forEach(reply -> reply.send(text));
        deferred.clear();
      }
    }
  }

  static Msg tells(ActorRef<Msg> other, Msg message) {
    return new Do(_ -> other.cast(message));
  }

  /** Waits for the answer in its turn, and passes it on. */
  static Msg asks(ActorRef<Msg> other, Call<Msg, String> request, ActorRef<Msg> told) {
    return new Do(_ -> told.cast(new Say(other.call(request))));
  }

  /** Does not wait, and passes on what it gets, or why it gets none. */
  static Msg asksToSelf(
      ActorRef<Msg> other, Call<Msg, String> request, Duration timeout, ActorRef<Msg> told) {
    return new Do(
        context ->
            context.callToSelf(
                other, request, timeout, outcome -> new Do(_ -> told.cast(said(outcome)))));
  }

  private static Msg said(CallOutcome<String> outcome) {
    return new Say(
        switch (outcome) {
          case CallOutcome.Answered<String>(String value) -> value;
          case CallOutcome.Failed<String> failed -> failed.cause().getClass().getSimpleName();
        });
  }

  static Msg throwing(String text) {
    return new Do(
        _ -> {
          throw new IllegalStateException(text);
        });
  }
}
