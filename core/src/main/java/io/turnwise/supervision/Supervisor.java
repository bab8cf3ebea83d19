package io.turnwise.supervision;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.CallException;
import io.turnwise.CallTimeoutException;
import io.turnwise.Context;
import io.turnwise.StopReason;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A running supervisor. Its methods ask the supervisor's actor, and may be used from any thread and
 * any turn, also those in which its own children start. Once it has ended they throw {@link
 * io.turnwise.CalleeStoppedException}.
 *
 * {@snippet file="SupervisionSnippets.java" region="start"}
 */
public final class Supervisor {
  private static final Duration PATIENCE = Duration.ofDays(1);
  private static final int CHILDREN_SHOWN = 10;

  private final ActorRef<SupervisorRequest> actor;

  private Supervisor(ActorRef<SupervisorRequest> actor) {
    this.actor = actor;
  }

  /**
   * Starts a supervisor at the top of a system. Returns at once: its children start meanwhile, in
   * their order, and what is sent to them before they are up is kept for them.
   *
   * @throws IllegalArgumentException when the name is taken, or a child names a dispatcher that the
   *     system does not have
   */
  public static Supervisor start(ActorSystem system, String name, SupervisorSpec spec) {
    check(system, name, spec);
    return new Supervisor(system.spawn(name, spec.asActor()));
  }

  /** Starts a supervisor as a child of an actor. */
  public static Supervisor start(Context<?> context, String name, SupervisorSpec spec) {
    check(context.system(), name, spec);
    return new Supervisor(context.spawn(name, spec.asActor()));
  }

  /** What only the system can tell; here, so that who gave the spec is told, and not the log. */
  private static void check(ActorSystem system, String name, SupervisorSpec spec) {
    Objects.requireNonNull(
        spec, "Supervisor.start '" + name + "': the spec is null; use SupervisorSpec.oneForOne()");
    for (ChildSpec<?> child : spec.children())
      try {
        system.dispatcher(child.actor().dispatcher());
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            "ChildSpec '" + child.name() + "': actor: " + e.getMessage(), e);
      }
  }

  /** The supervisor behind an address: one that is a child of another supervisor. */
  public static Supervisor at(ActorRef<SupervisorRequest> actor) {
    return new Supervisor(
        Objects.requireNonNull(actor, "Supervisor.at: the actor is null; name a supervisor's"));
  }

  /** The supervisor's own address: to watch it, stop it or kill it. */
  public ActorRef<SupervisorRequest> actor() {
    return actor;
  }

  /**
   * The child that was made from this spec: it is known by the spec's name alone. The result stays
   * valid through all its restarts.
   *
   * @throws IllegalArgumentException when there is none of its name
   */
  @SuppressWarnings("unchecked") // the child was made from a spec of this name
  public <M> ActorRef<M> child(ChildSpec<M> spec) {
    Objects.requireNonNull(spec, "Supervisor.child: the spec is null; pass the child's own");
    String name =
        Objects.requireNonNull(
            spec.name(), "Supervisor.child: the spec has no name; keep what start returned");
    return (ActorRef<M>) child(name).orElseThrow(() -> unknown(name));
  }

  /** The child of this name. */
  public Optional<ActorRef<?>> child(String name) {
    Objects.requireNonNull(name, "Supervisor.child: the name is null; name the child");
    return actor.call(new SupervisorRequest.Find(name));
  }

  private IllegalArgumentException unknown(String name) {
    return new IllegalArgumentException(
        "Supervisor "
            + actor.path()
            + " has no child '"
            + name
            + "'. [NO-CHILD]\n"
            + "  next:  start it with Supervisor.start, or see in children() what there is");
  }

  /**
   * Adds a child and starts it: behind the others of a row, after those it depends on in a graph.
   *
   * @throws io.turnwise.CalleeFailedException when its name is taken or its spec does not fit here
   */
  @SuppressWarnings("unchecked") // made from this very spec
  public <M> ActorRef<M> start(ChildSpec<M> child) {
    Objects.requireNonNull(
        child, "Supervisor.start: the spec of the child is null; use ChildSpec.of");
    return (ActorRef<M>) actor.call(new SupervisorRequest.Start(child));
  }

  /**
   * Ends a child for good, and returns when it has ended; a restart that is pending is cancelled.
   * Its spec is kept, for {@link #restart(String)}, unless it is temporary or its supervisor is
   * dynamic. Returns false if it had ended before, or is no child of this supervisor.
   *
   * <p>A child that stops itself so would wait for its own end, until it is killed at its deadline;
   * it has {@link Context#stop}.
   */
  public boolean stop(ActorRef<?> child) {
    Objects.requireNonNull(child, "Supervisor.stop: the child is null; name whom to stop");
    return actor.call(new SupervisorRequest.Stop(child, false), PATIENCE);
  }

  /** The same, and its spec is forgotten. */
  public boolean remove(ActorRef<?> child) {
    Objects.requireNonNull(child, "Supervisor.remove: the child is null; name whom to remove");
    return actor.call(new SupervisorRequest.Stop(child, true), PATIENCE);
  }

  /**
   * Starts a child again. One that had ended gets a new address; one that runs is stopped first and
   * keeps its own. Not counted against the limit.
   */
  public ActorRef<?> restart(String name) {
    Objects.requireNonNull(name, "Supervisor.restart: the name is null; name the child");
    return actor.call(new SupervisorRequest.Restart(name));
  }

  /**
   * Starts a child again that has not ended, named or not: one that runs is stopped first, one that
   * waits for its restart is started now. Its address stays. Returns at once; false if it has
   * ended, or is no child of this supervisor. Not counted against the limit.
   */
  public boolean restart(ActorRef<?> child) {
    Objects.requireNonNull(child, "Supervisor.restart: the child is null; name whom to restart");
    return actor.call(new SupervisorRequest.Renew(child));
  }

  /** All children, in the order of their start. */
  public List<ChildStatus> children() {
    return actor.call(new SupervisorRequest.Children());
  }

  /** The restarts that wait for their time. */
  public List<PendingRestart> pendingRestarts() {
    return actor.call(new SupervisorRequest.Pending());
  }

  /** Lets a child that waits for its restart end instead. Returns how many restarts that were. */
  public int cancelPendingRestarts(ActorRef<?> child) {
    Objects.requireNonNull(
        child, "Supervisor.cancelPendingRestarts: the child is null; name whose to cancel");
    return actor.call(new SupervisorRequest.CancelRestarts(child));
  }

  /**
   * Waits until every child is up or has ended for good. A child that waits so for its own start
   * waits in vain.
   *
   * @throws CallTimeoutException when that takes longer; it names those that are not up, and why
   * @throws io.turnwise.CalleeStoppedException when the supervisor gives up or stops meanwhile
   */
  public void awaitUp(Duration timeout) {
    try {
      actor.call(new SupervisorRequest.AwaitUp(), timeout);
    } catch (CallTimeoutException late) {
      throw withThoseNotUp(late);
    }
  }

  private CallTimeoutException withThoseNotUp(CallTimeoutException late) {
    List<ChildStatus> all;
    try {
      all = children();
    } catch (CallException _) { // it has no time for this either, or is gone by now
      return late;
    }
    var text = new StringBuilder("Supervisor ").append(actor.path()).append(" is not up after ");
    text.append(late.timeout().toMillis()).append(" ms. [CALL-TIMEOUT]\n  where: ");
    text.append(late.calleeThen().describe()).append("; not up are");
    Throwable crash = null;
    int missing = 0;
    for (ChildStatus child : all) {
      if (child.state() == ChildState.UP || child.state() == ChildState.ENDED) continue;
      if (++missing <= CHILDREN_SHOWN) text.append("\n         ").append(describe(child));
      if (crash == null && child.lastReason() instanceof StopReason.Crashed(Throwable cause))
        crash = cause;
    }
    if (missing == 0) return late; // they came up meanwhile
    if (missing > CHILDREN_SHOWN)
      text.append("\n         and ").append(missing - CHILDREN_SHOWN).append(" more");
    text.append("\n  next:  mend what keeps them down, or wait longer; ActorSystem.tree says when");
    text.append(" each is started next");
    return new CallTimeoutException(
        late.callee(), late.request(), late.timeout(), late.calleeThen(), text.toString(), crash);
  }

  private static String describe(ChildStatus child) {
    String name = child.actor().name() + " is " + child.state();
    return child.lastReason() == null ? name : name + ", and ended last with " + child.lastReason();
  }

  /** Stops the children, last first, and then the supervisor. */
  public void stop() {
    actor.stop();
  }

  /** Done when the supervisor has ended for good. */
  public CompletionStage<StopReason> whenStopped() {
    return actor.whenStopped();
  }
}
