package io.turnwise.faults.life;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.Context;
import io.turnwise.Signal;
import io.turnwise.StopReason;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.ChildJvm;
import io.turnwise.faults.trial.QuietLog;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Traffic;
import io.turnwise.faults.trial.Trial;
import io.turnwise.scheduling.Backend;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * F33: {@code System.exit} from inside, in a JVM of its own. The process ends with the code it was
 * given: the hook that closes the system does not wait for ever for the turn that waits for the
 * hook.
 */
public final class ExitRow implements Row {
  private static final int CODE = 7;

  /** Who ends the process. */
  private enum From {
    HANDLER,
    HANDLER_BLOCKING,
    HANDLER_THREAD,
    TWO_HANDLERS,
    INIT,
    TEARDOWN,
    SIGNAL,
    LISTENER,
    CALLBACK,
    VIRTUAL_THREAD,
    AFTER_CLOSE
  }

  @Override
  public String id() {
    return "F33";
  }

  @Override
  public String what() {
    return "System.exit from inside a handler";
  }

  @Override
  public String run(Trial trial) throws Exception {
    int rounds = (int) trial.sized(1, 9);
    int children = 0;
    for (int round = 0; round < rounds; round++)
      for (From from : From.values()) {
        // Every build tries some of them: each is a JVM that waits for its close deadline.
        if (!trial.full() && (from.ordinal() + trial.seed()) % 6 != 0) continue;
        for (int workers : trial.workerCounts()) {
          ChildJvm.run(ExitRow.class, List.of(), List.of("" + workers, from.name()), 300)
              .mustEndWith(CODE, "exit from " + from + " on " + workers + " workers");
          children++;
        }
      }
    return children + " processes";
  }

  /** The child. */
  public static void main(String[] arguments) throws InterruptedException {
    QuietLog.install();
    int workers = Integer.parseInt(arguments[0]);
    From from = From.valueOf(arguments[1]);
    ActorSystem system =
        ActorSystem.open(
            "exit", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofMillis(300)));
    new Traffic(system, new Books(), 2, Long.MAX_VALUE); // under load
    ActorRef<String> bait = system.spawn(() -> (message, context) -> {});
    ActorRef<String> exiting = system.spawn(spec(from, bait));
    switch (from) {
      case HANDLER, HANDLER_BLOCKING, HANDLER_THREAD, CALLBACK, VIRTUAL_THREAD, AFTER_CLOSE ->
          exiting.cast("exit");
      case TWO_HANDLERS -> {
        system.spawn(spec(from, bait)).cast("exit");
        exiting.cast("exit");
      }
      case INIT -> {
        // It does so by itself.
      }
      case TEARDOWN -> exiting.stop();
      case SIGNAL -> bait.stop();
      case LISTENER -> {
        system.onDeadLetter(_ -> System.exit(CODE));
        bait.stop();
        bait.whenStopped().thenRun(() -> bait.cast("too late"));
      }
    }
    if (from == From.CALLBACK) bait.stop();
    new CountDownLatch(1).await(); // the threads of a system keep no process alive
  }

  private static ActorSpec<String> spec(From from, ActorRef<String> bait) {
    ActorSpec<String> spec = ActorSpec.of(() -> new Exiting(from, bait));
    return switch (from) {
      case HANDLER_BLOCKING -> spec.withBackend(Backend.BLOCKING);
      case HANDLER_THREAD -> spec.withBackend(Backend.THREAD);
      default -> spec;
    };
  }

  private record Exiting(From from, ActorRef<String> bait) implements Actor<String> {
    @Override
    public void init(Context<String> context) {
      if (from == From.INIT) System.exit(CODE);
      if (from == From.SIGNAL) context.watch(bait);
    }

    @Override
    public void receive(String message, Context<String> context) {
      switch (from) {
        case CALLBACK -> bait.whenStopped().thenRun(() -> System.exit(CODE));
        case VIRTUAL_THREAD -> Thread.startVirtualThread(() -> System.exit(CODE));
        case AFTER_CLOSE -> {
          context.system().close();
          System.exit(CODE);
        }
        default -> System.exit(CODE);
      }
    }

    @Override
    public void info(Signal signal, Context<String> context) {
      System.exit(CODE);
    }

    @Override
    public void teardown(StopReason reason, Context<String> context) {
      if (from == From.TEARDOWN) System.exit(CODE);
    }
  }
}
