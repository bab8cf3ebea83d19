package io.turnwise.faults.supervision;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.CallException;
import io.turnwise.Context;
import io.turnwise.StopReason;
import io.turnwise.faults.trial.Broken;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.ChildState;
import io.turnwise.supervision.ChildStatus;
import io.turnwise.supervision.Recovery;
import io.turnwise.supervision.RestartLimit;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorRequest;
import io.turnwise.supervision.SupervisorSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A supervisor of three children, of whom the middle one never gets to its first message; and
 * somebody who stops one of them all the same.
 */
final class HangingStart {
  /** What keeps it from starting. */
  enum Trouble {
    CONSTRUCTOR_HANGS,
    INIT_HANGS,
    INIT_COMPUTES_FOR_EVER,
    CONSTRUCTOR_FAILS,
    INIT_FAILS,
    RESTART_HANGS,
    RESTART_FAILS;

    /** The first start succeeds. */
    boolean isLater() {
      return this == RESTART_HANGS || this == RESTART_FAILS;
    }

    /** Only a kill gets it out of there. */
    boolean hangs() {
      return switch (this) {
        case CONSTRUCTOR_HANGS, INIT_HANGS, INIT_COMPUTES_FOR_EVER, RESTART_HANGS -> true;
        case CONSTRUCTOR_FAILS, INIT_FAILS, RESTART_FAILS -> false;
      };
    }
  }

  /** Who is told to end, and how. */
  enum Way {
    STOP_CHILD,
    STOP_SUPERVISOR,
    KILL_SUPERVISOR
  }

  record Case(String shape, SupervisorSpec spec, Trouble trouble, Way way) {
    @Override
    public String toString() {
      return shape + ", " + trouble + ", " + way;
    }
  }

  static List<Case> all() {
    List<Case> all = new ArrayList<>();
    for (Trouble trouble : Trouble.values())
      for (Way way : Way.values()) {
        all.add(new Case("one for one", SupervisorSpec.oneForOne(), trouble, way));
        all.add(new Case("one for all", SupervisorSpec.oneForAll(), trouble, way));
        all.add(new Case("rest for one", SupervisorSpec.restForOne(), trouble, way));
        all.add(new Case("dynamic", SupervisorSpec.dynamic(), trouble, way));
        for (Recovery recovery : Recovery.values())
          all.add(new Case("graph " + recovery, SupervisorSpec.graph(recovery), trouble, way));
      }
    return all;
  }

  private final Case played;
  private final Duration deadline;
  private final Supervisor supervisor;
  private final AtomicInteger attempts = new AtomicInteger();
  private @Nullable ActorRef<?> child;
  private long toldAt;
  private volatile long endedAt;

  HangingStart(ActorSystem system, String name, Case played, Duration deadline) {
    this.played = played;
    this.deadline = deadline;
    boolean graph = played.spec.shape() == SupervisorSpec.Shape.GRAPH;
    ChildSpec<String> before = ChildSpec.of("before", () -> (_, _) -> {});
    ChildSpec<String> bad = ChildSpec.<String>of("bad", () -> new Bad()).withStopDeadline(deadline);
    ChildSpec<String> after = ChildSpec.of("after", () -> (_, _) -> {});
    this.supervisor =
        Supervisor.start(
            system,
            name,
            played
                .spec
                .withLimit(RestartLimit.NONE)
                .withChild(before)
                .withChild(graph ? bad.withDependsOn("before") : bad)
                .withChild(graph ? after.withDependsOn("bad") : after));
  }

  /** It is in trouble: the supervisor answers all the same. */
  boolean isInTrouble() {
    if (child == null) child = supervisor.child("bad").orElseThrow();
    ChildStatus now =
        supervisor.children().stream().filter(c -> c.actor() == child).findFirst().orElseThrow();
    if (played.trouble.isLater() && attempts.get() == 0) {
      if (now.state() == ChildState.UP) crash();
      return false;
    }
    return played.trouble.hangs() ? attempts.get() > 0 : attempts.get() > 10;
  }

  @SuppressWarnings("unchecked") // made for such messages
  private void crash() {
    if (!crashed) ((ActorRef<String>) known()).cast("crash");
    crashed = true;
  }

  private boolean crashed;

  private ActorRef<?> known() {
    if (child == null) throw new Broken("nobody has looked for the child of " + played);
    return child;
  }

  /** Returns at once. */
  CompletableFuture<?> end() {
    toldAt = System.nanoTime();
    CompletableFuture<?> done =
        switch (played.way) {
          case STOP_CHILD ->
              supervisor
                  .actor()
                  .callAsync(new SupervisorRequest.Stop(known(), true), Duration.ofMinutes(10))
                  .toCompletableFuture();
          case STOP_SUPERVISOR -> {
            supervisor.stop();
            yield supervisor.whenStopped().toCompletableFuture();
          }
          case KILL_SUPERVISOR -> {
            supervisor.actor().kill();
            yield supervisor.whenStopped().toCompletableFuture();
          }
        };
    return done.thenRun(() -> endedAt = System.nanoTime());
  }

  /** By how many ns it ended after it was due; less than 0 where it did not need its deadline. */
  long late() {
    boolean waits = played.trouble.hangs() && played.way != Way.KILL_SUPERVISOR;
    return endedAt - toldAt - (waits ? deadline.toNanos() : 0);
  }

  /** Where its supervisor lives on, that has two children, and both are up. */
  void check(Duration patience) {
    if (played.way != Way.STOP_CHILD) return;
    try {
      supervisor.awaitUp(patience);
    } catch (CallException e) {
      throw new Broken(played + ": the others do not start: " + supervisor.children());
    }
    List<ChildStatus> left = supervisor.children();
    if (left.size() != 2 || left.stream().anyMatch(c -> c.state() != ChildState.UP))
      throw new Broken(played + ": " + left);
    supervisor.stop();
  }

  private final class Bad implements Actor<String> {
    private volatile int sum;

    Bad() throws IllegalStateException {
      suffer(Trouble.CONSTRUCTOR_HANGS, Trouble.CONSTRUCTOR_FAILS);
    }

    @Override
    public void init(Context<String> context) {
      suffer(Trouble.INIT_HANGS, Trouble.INIT_FAILS);
      if (played.trouble != Trouble.INIT_COMPUTES_FOR_EVER) return;
      attempts.incrementAndGet();
      while (System.nanoTime() != 0)
        sum++; // a look at the clock takes a moment, also a simulated one
    }

    @Override
    public void postRestart(StopReason reason, Context<String> context) {
      if (!played.trouble.isLater()) init(context);
      else suffer(Trouble.RESTART_HANGS, Trouble.RESTART_FAILS);
    }

    @Override
    public void receive(String message, Context<String> context) {
      throw new IllegalStateException("on purpose");
    }

    private void suffer(Trouble hangs, Trouble fails) {
      if (played.trouble == fails) {
        attempts.incrementAndGet();
        throw new IllegalStateException("it does not start");
      }
      if (played.trouble != hangs) return;
      attempts.incrementAndGet();
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e); // it is killed
      }
    }
  }
}
