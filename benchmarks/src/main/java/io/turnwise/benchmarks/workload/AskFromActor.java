package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.Ability;
import io.turnwise.benchmarks.peer.Answer;
import io.turnwise.benchmarks.peer.Behavior;
import io.turnwise.benchmarks.peer.Next;
import io.turnwise.benchmarks.peer.Self;
import io.turnwise.benchmarks.result.Measurement;
import java.time.Duration;

/**
 * An actor asks an actor: one question at a time, or a window of them. Where answers can come as
 * messages, the next question is asked when one arrives; elsewhere the asking actor waits.
 */
final class AskFromActor implements Workload {
  private static final int QUESTIONS = 1_000_000;
  private static final Duration TIME = Duration.ofSeconds(5);

  /** How the asking actor goes about it. */
  enum Style {
    /** As the peer's users would. */
    NATURAL,
    /**
     * One at a time, the actor suspended in the middle of its message until the answer is there.
     */
    BLOCKING
  }

  private final int window;
  private final Style style;

  AskFromActor(int window, Style style) {
    this.window = window;
    this.style = style;
  }

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    A server = stage.runtime().spawn(new EchoServer<>());
    Finish finish = stage.finish(1);
    Quota quota = new Quota(stage.scaled(QUESTIONS, 10 * window), TIME);
    A asker = stage.runtime().spawn(asker(stage, server, quota, finish));

    long start = System.nanoTime();
    stage.runtime().send(asker, Cue.GO);
    finish.await();
    long nanos = System.nanoTime() - start;

    stage.runtime().stop(server);
    return Measurement.perSecond(quota.taken(), quota.taken(), nanos);
  }

  private <A> Behavior<A> asker(Stage<A> stage, A server, Quota quota, Finish finish) {
    if (style == Style.BLOCKING) {
      return new BlockingAsker<>(server, quota, finish);
    }
    return stage.peer().can(Ability.ANSWERS_AS_MESSAGES)
        ? new MessageAsker<>(server, window, quota, finish)
        : new FutureAsker<>(stage, server, window, quota, finish);
  }

  private static final class MessageAsker<A> implements Behavior<A> {
    private final A server;
    private final int window;
    private final Quota quota;
    private final Finish finish;
    private int open;

    MessageAsker(A server, int window, Quota quota, Finish finish) {
      this.server = server;
      this.window = window;
      this.quota = quota;
      this.finish = finish;
    }

    @Override
    public Next receive(Object message, Self<A> self) {
      if (message instanceof Answer(Object payload)) {
        EchoServer.check(Cue.WORK, payload);
        open--;
      }
      while (open < window && quota.take()) {
        open++;
        self.ask(server, Cue.WORK);
      }
      if (open > 0) {
        return Next.CONTINUE;
      }
      finish.crossed();
      return Next.STOP;
    }
  }

  /** Peers whose actors are threads: from inside they ask as a plain thread does. */
  private static final class FutureAsker<A> implements Behavior<A> {
    private final Stage<A> stage;
    private final A server;
    private final int window;
    private final Quota quota;
    private final Finish finish;

    FutureAsker(Stage<A> stage, A server, int window, Quota quota, Finish finish) {
      this.stage = stage;
      this.server = server;
      this.window = window;
      this.quota = quota;
      this.finish = finish;
    }

    @Override
    public Next receive(Object message, Self<A> self) throws Exception {
      AskFromOutside.ask(stage, server, window, quota);
      finish.crossed();
      return Next.STOP;
    }
  }

  private static final class BlockingAsker<A> implements Behavior<A> {
    private final A server;
    private final Quota quota;
    private final Finish finish;

    BlockingAsker(A server, Quota quota, Finish finish) {
      this.server = server;
      this.quota = quota;
      this.finish = finish;
    }

    @Override
    public Next receive(Object message, Self<A> self) throws Exception {
      while (quota.take()) {
        EchoServer.check(Cue.WORK, self.askAndWait(server, Cue.WORK));
      }
      finish.crossed();
      return Next.STOP;
    }
  }
}
