package io.turnwise.faults.load;

import io.turnwise.Actor;
import io.turnwise.ActorSystem;
import io.turnwise.Context;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.ChildJvm;
import io.turnwise.faults.trial.QuietLog;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Trial;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * What nobody uses costs little: an actor that has handled a message and waits, with a name and
 * without, and a worker that has run and sleeps.
 */
public final class IdleRow implements Row {
  private static final long MOST_OF_AN_ACTOR = 200;
  private static final long MOST_OF_A_WORKER = 10_000;
  private static final int MANY_WORKERS = 65;

  @Override
  public String id() {
    return "idle";
  }

  @Override
  public String what() {
    return "memory of idle actors and workers";
  }

  @Override
  public String run(Trial trial) throws Exception {
    int actors = (int) trial.sized(200_000, 1_000_000);
    long none = live(2, 0, false);
    judge(
        trial, "actor without a name", (live(2, actors, false) - none) / actors, MOST_OF_AN_ACTOR);
    judge(trial, "actor with a name", (live(2, actors, true) - none) / actors, MOST_OF_AN_ACTOR);
    long workers = live(MANY_WORKERS, 0, false) - live(1, 0, false);
    judge(trial, "worker", workers / (MANY_WORKERS - 1), MOST_OF_A_WORKER);
    return actors + " actors of each kind";
  }

  private static void judge(Trial trial, String what, long bytes, long most) {
    trial.say("an idle " + what + " takes " + bytes + " bytes");
    if (bytes > most) throw new Broken("an idle " + what + " takes " + bytes + " of " + most);
  }

  /** Of a JVM of its own: what an earlier system left would be in the figure. */
  private static long live(int workers, int actors, boolean named) throws Exception {
    ChildJvm.Ended ended =
        ChildJvm.run(
            IdleRow.class,
            List.of("-Xms1g", "-Xmx1g", "-XX:+UseSerialGC"),
            List.of("" + workers, "" + actors, "" + named),
            600);
    ended.mustEndWith(0, "idle");
    return ended
        .output()
        .lines()
        .filter(line -> line.startsWith(LIVE))
        .mapToLong(line -> Long.parseLong(line.substring(LIVE.length())))
        .findFirst()
        .orElseThrow(() -> new Broken("the child says nothing: " + ended.output()));
  }

  private static final String LIVE = "live ";

  /** The child: workers, actors, whether they have names. */
  public static void main(String[] arguments) {
    QuietLog.install();
    int workers = Integer.parseInt(arguments[0]);
    ActorSystem system = ActorSystem.open("idle", c -> c.withWorkers(workers));
    spawn(system, 100 * MANY_WORKERS, "early-", true); // each worker has run
    spawn(system, Integer.parseInt(arguments[1]), "actor-", Boolean.parseBoolean(arguments[2]));
    System.out.println(LIVE + LiveHeap.bytes());
    if (system.snapshot().crashes() > 0) System.exit(1);
    System.exit(0);
  }

  private static void spawn(ActorSystem system, int actors, String name, boolean named) {
    long handled = system.snapshot().messagesHandled();
    for (int i = 0; i < actors; i++)
      (named ? system.spawn(name + i, Idler::new) : system.spawn(Idler::new)).cast("once");
    while (system.snapshot().messagesHandled() < handled + actors) LockSupport.parkNanos(1_000_000);
  }

  private static final class Idler implements Actor<String> {
    @Override
    public void receive(String message, Context<String> context) {}
  }
}
