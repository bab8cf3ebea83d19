package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.result.Measurement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Future;

/** A plain thread asks an actor: one question at a time, or a window of them. */
final class AskFromOutside implements Workload {
  private static final int QUESTIONS = 1_000_000;
  private static final Duration TIME = Duration.ofSeconds(5);

  private final int window;

  AskFromOutside(int window) {
    this.window = window;
  }

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    A server = stage.runtime().spawn(new EchoServer<>());
    long start = System.nanoTime();
    Quota quota = new Quota(stage.scaled(QUESTIONS, 10 * window), TIME);
    ask(stage, server, window, quota);
    long nanos = System.nanoTime() - start;
    stage.failures().throwIfAny();
    stage.runtime().stop(server);
    return Measurement.perSecond(quota.taken(), quota.taken(), nanos);
  }

  /** Keeps up to {@code window} questions open, always waiting for the oldest. */
  static <A> void ask(Stage<A> stage, A server, int window, Quota quota) throws Exception {
    if (window == 1) {
      while (quota.take()) {
        EchoServer.check(Cue.WORK, stage.runtime().askAndWait(server, Cue.WORK));
      }
      return;
    }
    Queue<Future<Object>> open = new ArrayDeque<>(window);
    while (quota.take()) {
      if (open.size() == window) {
        EchoServer.check(Cue.WORK, open.remove().get());
      }
      open.add(stage.runtime().ask(server, Cue.WORK));
    }
    for (Future<Object> last : open) {
      EchoServer.check(Cue.WORK, last.get());
    }
  }
}
