package io.turnwise;

import java.util.List;

/**
 * The actor of most tests: writes down what happens to it, and does in its turn what a message
 * tells it to do. Each line of the log begins with the actor's name.
 */
public class Puppet implements Actor<Puppet.Msg> {
  /** What a puppet understands. */
  public sealed interface Msg {}

  /** Is written down. */
  public record Say(String text) implements Msg {}

  /** Is written down, and answered with the text in capitals. */
  public record Ask(String text) implements Msg, Call<Msg, String> {}

  /** Runs in the turn. */
  public record Do(Step step) implements Msg {}

  /** Runs in the turn, with the call in hand, which it may answer or not. */
  public record Want(Request request) implements Msg, Call<Msg, String> {}

  /** What {@link Do} does. */
  @FunctionalInterface
  public interface Step {
    void run(Context<Msg> context) throws Exception;
  }

  /** What {@link Want} does. */
  @FunctionalInterface
  public interface Request {
    void run(Want call, Context<Msg> context) throws Exception;
  }

  private final List<String> log;

  /** The log may be shared; it must be safe for threads where the system has any. */
  public Puppet(List<String> log) {
    this.log = log;
  }

  protected final void note(Context<Msg> context, String text) {
    log.add(context.self().name() + " " + text);
  }

  @Override
  public void init(Context<Msg> context) throws Exception {
    note(context, "begins");
  }

  @Override
  public void receive(Msg message, Context<Msg> context) throws Exception {
    switch (message) {
      case Say(String text) -> note(context, text);
      case Ask ask -> {
        note(context, ask.text() + "?");
        context.reply(ask, ask.text().toUpperCase(java.util.Locale.ROOT));
      }
      case Do(Step step) -> step.run(context);
      case Want want -> want.request().run(want, context);
    }
  }

  @Override
  public void info(Signal signal, Context<Msg> context) throws Exception {
    note(
        context,
        switch (signal) {
          case Signal.Terminated(var actor, var reason) ->
              "sees the end of " + actor.name() + ": " + describe(reason);
          case Signal.ChildCrashed(var actor, var reason) ->
              "sees the crash of " + actor.name() + ": " + describe(reason);
        });
  }

  @Override
  public void teardown(StopReason reason, Context<Msg> context) throws Exception {
    note(context, "ends: " + describe(reason));
  }

  /** A reason in a few words. */
  public static String describe(StopReason reason) {
    return switch (reason) {
      case StopReason.Finished _ -> "finished";
      case StopReason.ShutDown _ -> "shut down";
      case StopReason.Crashed(Throwable cause) -> "crashed by " + cause.getMessage();
      case StopReason.Killed _ -> "killed";
    };
  }

  public static Msg say(String text) {
    return new Say(text);
  }

  public static Ask ask(String text) {
    return new Ask(text);
  }

  public static Msg does(Step step) {
    return new Do(step);
  }

  public static Want want(Request request) {
    return new Want(request);
  }

  /** A step that crashes its actor. */
  public static Msg crash(String text) {
    return new Do(
        _ -> {
          throw new IllegalStateException(text);
        });
  }
}
