package io.turnwise.supervision;

import io.turnwise.Actor;
import io.turnwise.ActorSpec;
import io.turnwise.internal.name.Names;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A child of a supervisor: how it is made, and what happens when it ends. A value. It is also the
 * typed way to the child: {@link Supervisor#child(ChildSpec)}.
 *
 * {@snippet file="SupervisionSnippets.java" region="child"}
 *
 * @param name unique among the children; null for a child of a dynamic supervisor that needs none
 * @param actor how it is made, and how it lives
 * @param restart after which ends it is started again
 * @param backoff how long it stays down before that
 * @param stopDeadline how long it may take to stop; then it is killed. Zero kills at once, and
 *     where it has ended by itself, leaves out what it would do at its end; its reason stays
 * @param significant whether its end may end its supervisor; see {@link AutoShutdown}
 * @param actions what to do about a failure, by its type: the first entry that it is an instance of
 *     decides; restart without one
 * @param dependsOn the names of those that must be up before it; in a graph only
 * @param heldMessages how many messages are kept for it while it is down; more are dead letters. A
 *     bounded mailbox keeps what it has room for, and then does what its policy says
 * @param tries how often a message may be handled that makes it fail, each time by a fresh
 *     instance. 1 means never again. A call is not tried again: its caller has been told; nor is a
 *     message after whose failure the child was resumed
 */
public record ChildSpec<M>(
    @Nullable String name,
    ActorSpec<M> actor,
    RestartType restart,
    Backoff backoff,
    Duration stopDeadline,
    boolean significant,
    Map<Class<? extends Throwable>, FailureAction> actions,
    Set<String> dependsOn,
    int heldMessages,
    int tries) {

  /** How long a child may take to stop, unless its spec says otherwise; a guess. */
  public static final Duration DEFAULT_STOP_DEADLINE = Duration.ofSeconds(5);

  /** As long as it takes. What a supervisor as a child gets: its own children have deadlines. */
  public static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE / 4);

  /** Messages that are kept for a child while it is down, unless its spec says otherwise. */
  public static final int DEFAULT_HELD_MESSAGES = 100_000;

  public ChildSpec {
    String who = titleOf(name);
    if (name != null) Names.checkOf("ChildSpec: name ", name);
    Objects.requireNonNull(actor, who + ": actor is null; use ActorSpec.of(Worker::new)");
    Objects.requireNonNull(restart, who + ": restart is null; use RestartType.PERMANENT");
    Objects.requireNonNull(backoff, who + ": backoff is null; use Backoff.NONE");
    if (stopDeadline == null || stopDeadline.isNegative())
      throw new IllegalArgumentException(
          who
              + ": stopDeadline is "
              + stopDeadline
              + "; use a positive duration, zero to kill at once, or ChildSpec.FOREVER");
    if (stopDeadline.compareTo(FOREVER) > 0) stopDeadline = FOREVER;
    Objects.requireNonNull(actions, who + ": actions is null; use Map.of()");
    actions.forEach(
        (type, action) -> {
          if (type == null || action == null)
            throw new IllegalArgumentException(
                who + ": actions has " + type + "=" + action + "; name a type and an action");
        });
    Objects.requireNonNull(dependsOn, who + ": dependsOn is null; use Set.of()");
    for (String other : dependsOn)
      if (other == null || other.equals(name))
        throw new IllegalArgumentException(
            who + ": dependsOn has " + other + "; name other children of the same supervisor");
    if (heldMessages < 0)
      throw new IllegalArgumentException(
          who + ": heldMessages is " + heldMessages + "; use 0 to keep none, or a positive count");
    if (tries < 1)
      throw new IllegalArgumentException(
          who + ": tries is " + tries + "; use 1 for \"never again\", or more");
    if (significant && restart == RestartType.PERMANENT)
      throw new IllegalArgumentException(
          who
              + ": significant is true and restart is PERMANENT, but such a child never ends by"
              + " itself; say withRestart(TRANSIENT) or TEMPORARY before withSignificant(true)");
    actions = Collections.unmodifiableMap(new LinkedHashMap<>(actions));
    dependsOn = Collections.unmodifiableSet(new LinkedHashSet<>(dependsOn));
  }

  /** What errors call a child of this name. */
  static String titleOf(@Nullable String name) {
    return "ChildSpec " + (name == null ? "(without a name)" : "'" + name + "'");
  }

  /** A permanent child without backoff, for a dynamic supervisor, which names it itself. */
  public static <M> ChildSpec<M> of(Supplier<? extends Actor<M>> factory) {
    return of((String) null, factory);
  }

  /** The same, with an actor of its own settings. */
  public static <M> ChildSpec<M> of(ActorSpec<M> actor) {
    return of(null, actor);
  }

  /** A permanent child without backoff. */
  public static <M> ChildSpec<M> of(@Nullable String name, Supplier<? extends Actor<M>> factory) {
    Objects.requireNonNull(
        factory, () -> titleOf(name) + ": factory is null; pass a constructor, Worker::new");
    return of(name, ActorSpec.of(factory));
  }

  /** The same, with an actor of its own settings. */
  public static <M> ChildSpec<M> of(@Nullable String name, ActorSpec<M> actor) {
    return new ChildSpec<>(
        name,
        actor,
        RestartType.PERMANENT,
        Backoff.NONE,
        DEFAULT_STOP_DEADLINE,
        false,
        Map.of(),
        Set.of(),
        DEFAULT_HELD_MESSAGES,
        1);
  }

  /** A supervisor under a supervisor: permanent, and given as long as it takes to stop. */
  public static ChildSpec<SupervisorRequest> supervisor(String name, SupervisorSpec spec) {
    Objects.requireNonNull(
        spec,
        "ChildSpec.supervisor '" + name + "': the spec is null; use SupervisorSpec.oneForOne()");
    return of(name, spec.asActor()).withStopDeadline(FOREVER);
  }

  public ChildSpec<M> withRestart(RestartType restart) {
    return new ChildSpec<>(
        name,
        actor,
        restart,
        backoff,
        stopDeadline,
        significant,
        actions,
        dependsOn,
        heldMessages,
        tries);
  }

  public ChildSpec<M> withBackoff(Backoff backoff) {
    return new ChildSpec<>(
        name,
        actor,
        restart,
        backoff,
        stopDeadline,
        significant,
        actions,
        dependsOn,
        heldMessages,
        tries);
  }

  public ChildSpec<M> withStopDeadline(Duration stopDeadline) {
    return new ChildSpec<>(
        name,
        actor,
        restart,
        backoff,
        stopDeadline,
        significant,
        actions,
        dependsOn,
        heldMessages,
        tries);
  }

  public ChildSpec<M> withSignificant(boolean significant) {
    return new ChildSpec<>(
        name,
        actor,
        restart,
        backoff,
        stopDeadline,
        significant,
        actions,
        dependsOn,
        heldMessages,
        tries);
  }

  /** What to do about failures of this type that no earlier entry names. */
  public ChildSpec<M> withAction(Class<? extends Throwable> failure, FailureAction action) {
    var all = new LinkedHashMap<>(actions);
    all.put(failure, action);
    return new ChildSpec<>(
        name,
        actor,
        restart,
        backoff,
        stopDeadline,
        significant,
        all,
        dependsOn,
        heldMessages,
        tries);
  }

  public ChildSpec<M> withDependsOn(String... names) {
    Objects.requireNonNull(names, () -> titleOf(name) + ": dependsOn is null; name whom, or none");
    return new ChildSpec<>(
        name,
        actor,
        restart,
        backoff,
        stopDeadline,
        significant,
        actions,
        new LinkedHashSet<>(java.util.Arrays.asList(names)),
        heldMessages,
        tries);
  }

  public ChildSpec<M> withHeldMessages(int heldMessages) {
    return new ChildSpec<>(
        name,
        actor,
        restart,
        backoff,
        stopDeadline,
        significant,
        actions,
        dependsOn,
        heldMessages,
        tries);
  }

  public ChildSpec<M> withTries(int tries) {
    return new ChildSpec<>(
        name,
        actor,
        restart,
        backoff,
        stopDeadline,
        significant,
        actions,
        dependsOn,
        heldMessages,
        tries);
  }

  /** What its spec says about a failure. */
  public FailureAction actionFor(Throwable failure) {
    for (Map.Entry<Class<? extends Throwable>, FailureAction> entry : actions.entrySet())
      if (entry.getKey().isInstance(failure)) return entry.getValue();
    return FailureAction.RESTART;
  }
}
