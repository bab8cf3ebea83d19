package io.turnwise.faults.load;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.Context;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Trial;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Two actors that keep sending to themselves, and an innocent one that must pass on 1,000 pings.
 * Judged by counting, not by time: so many messages of the two may be handled meanwhile, and no
 * more.
 *
 * <p>On one worker the bound follows from the rules: a ping needs two slices, before each of which
 * each of the two may have a full slice and, as those are brief, three more; twice that is allowed.
 * On two workers one of the two can run on its own worker for as long as the machine does not run
 * the other, so that the bound is only there to tell slow from never.
 */
public final class StarvationRow implements Row {
  private static final int PINGS = 1_000;

  /** A brief slice may be followed by three more of the same actor. */
  private static final long RUN = 4;

  private static final long NEVER = 300_000_000;

  @Override
  public String id() {
    return "starvation";
  }

  @Override
  public String what() {
    return "two self-senders, an innocent actor, pings";
  }

  @Override
  public String run(Trial trial) throws Exception {
    for (int workers : trial.workerCounts())
      for (int throughput : new int[] {5, 100}) {
        long selfSends = selfSendsDuringPings(workers, throughput);
        trial.say(
            workers + " workers, throughput " + throughput + ": " + selfSends + " self-sends");
      }
    return PINGS + " pings, throughput 5 and 100";
  }

  /** Returns how many messages the two handled until all pings were through. */
  static long selfSendsDuringPings(int workers, int throughput) throws InterruptedException {
    long bound = workers == 1 ? PINGS * 2L * 2L * throughput * RUN * 2L : NEVER;
    var selfSends = new LongAdder();
    var done = new CountDownLatch(1);
    try (var system =
        ActorSystem.open(
            "starvation",
            c ->
                c.withWorkers(workers)
                    .withThroughput(throughput)
                    .withCloseDeadline(Duration.ofSeconds(120)))) {
      for (int i = 0; i < 2; i++) system.spawn(() -> new SelfSender(selfSends)).cast("go");
      ActorRef<Ping> innocent = system.spawn(() -> new Innocent());
      var before = new LongAdder();
      ActorRef<Ping> pinger =
          system.spawn(
              () ->
                  new Pinger(
                      innocent,
                      () -> before.add(selfSends.sum()),
                      () -> {
                        before.add(-selfSends.sum());
                        done.countDown();
                      }));
      pinger.cast(new Ping(0, pinger));
      while (!done.await(5, TimeUnit.MILLISECONDS))
        if (selfSends.sum() > bound + before.sum() + NEVER)
          throw new Broken("after " + selfSends + " self-sends the pings are not through");
      long used = -before.sum();
      if (used > bound)
        throw new Broken(
            PINGS + " pings took " + used + " self-sends on " + workers + " workers, of " + bound);
      return used;
    }
  }

  private static final class SelfSender implements Actor<String> {
    private final LongAdder handled;

    SelfSender(LongAdder handled) {
      this.handled = handled;
    }

    @Override
    public void receive(String message, Context<String> context) {
      handled.increment();
      context.self().cast(message);
    }
  }

  private record Ping(int number, ActorRef<Ping> from) {}

  private static final class Innocent implements Actor<Ping> {
    @Override
    public void receive(Ping ping, Context<Ping> context) {
      ping.from.cast(new Ping(ping.number + 1, ping.from));
    }
  }

  private record Pinger(ActorRef<Ping> innocent, Runnable begin, Runnable end)
      implements Actor<Ping> {
    @Override
    public void receive(Ping ping, Context<Ping> context) {
      if (ping.number == 0) begin.run();
      if (ping.number == PINGS) end.run();
      else innocent.cast(ping);
    }
  }
}
