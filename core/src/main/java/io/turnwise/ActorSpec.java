package io.turnwise;

import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.Priority;
import io.turnwise.scheduling.Backend;
import io.turnwise.scheduling.HandlerKind;
import io.turnwise.scheduling.HandlerTimeout;
import io.turnwise.scheduling.Placement;
import io.turnwise.scheduling.SchedulingConfig;
import io.turnwise.scheduling.TimeoutAction;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How to make an actor, and how it is to live. A value: make it once, spawn from it many times.
 *
 * {@snippet file="ApiSnippets.java" region="spec"}
 *
 * @param factory makes a fresh instance; called in the new actor's first turn
 * @param mailbox bounds of the mailbox; unbounded unless said otherwise
 * @param scheduling its own scheduling, or null for what the actor, then the dispatcher, says
 * @param dispatcher the dispatcher that runs it, {@code "default"} unless said otherwise
 * @param backend the kind of thread its turns run on
 * @param placement whether it may move between workers
 * @param priorities lanes by message type; a message takes the lane of the first entry it is an
 *     instance of, and the normal lane without one
 * @param stashCapacity how many messages may be stashed at once
 * @param handlerTimeouts how long a handler may take, by its kind; no limit for those not named
 */
public record ActorSpec<M>(
    Supplier<? extends Actor<M>> factory,
    MailboxConfig mailbox,
    @Nullable SchedulingConfig scheduling,
    String dispatcher,
    Backend backend,
    Placement placement,
    Map<Class<?>, Priority> priorities,
    int stashCapacity,
    Map<HandlerKind, HandlerTimeout> handlerTimeouts) {

  /** The name of the dispatcher that every system has. */
  public static final String DEFAULT_DISPATCHER = "default";

  /** Stashed messages an actor may hold at once; a guess, large enough for a slow start-up. */
  public static final int DEFAULT_STASH_CAPACITY = 1_000_000;

  public ActorSpec {
    Objects.requireNonNull(factory, "ActorSpec.factory is null; pass a constructor, Counter::new");
    Objects.requireNonNull(mailbox, "ActorSpec.mailbox is null; use MailboxConfig.UNBOUNDED");
    Objects.requireNonNull(dispatcher, "ActorSpec.dispatcher is null; use DEFAULT_DISPATCHER");
    Objects.requireNonNull(backend, "ActorSpec.backend is null; use Backend.ASYNC");
    Objects.requireNonNull(placement, "ActorSpec.placement is null; use Placement.ANYWHERE");
    if (stashCapacity < 0)
      throw new IllegalArgumentException(
          "ActorSpec.stashCapacity is "
              + stashCapacity
              + "; use 0 for \"no stash\", or a positive count");
    Objects.requireNonNull(priorities, "ActorSpec.priorities is null; use Map.of()");
    priorities.forEach(
        (type, priority) -> {
          if (type == null || priority == null)
            throw new IllegalArgumentException(
                "ActorSpec.priorities has " + type + "=" + priority + "; name a type and a lane");
        });
    Objects.requireNonNull(handlerTimeouts, "ActorSpec.handlerTimeouts is null; use Map.of()");
    handlerTimeouts.forEach(
        (handler, timeout) -> {
          if (handler == null || timeout == null)
            throw new IllegalArgumentException(
                "ActorSpec.handlerTimeouts has "
                    + handler
                    + "="
                    + timeout
                    + ". [BAD-TIMEOUT]\n"
                    + "  next:  name a kind of handler and a HandlerTimeout; leave out those"
                    + " without a limit");
        });
    handlerTimeouts = Map.copyOf(handlerTimeouts);
    priorities = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(priorities));
  }

  /** A spec with every default. */
  public static <M> ActorSpec<M> of(Supplier<? extends Actor<M>> factory) {
    return new ActorSpec<>(
        factory,
        MailboxConfig.UNBOUNDED,
        null,
        DEFAULT_DISPATCHER,
        Backend.ASYNC,
        Placement.ANYWHERE,
        Map.of(),
        DEFAULT_STASH_CAPACITY,
        Map.of());
  }

  public ActorSpec<M> withMailbox(MailboxConfig mailbox) {
    return new ActorSpec<>(
        factory,
        mailbox,
        scheduling,
        dispatcher,
        backend,
        placement,
        priorities,
        stashCapacity,
        handlerTimeouts);
  }

  public ActorSpec<M> withScheduling(SchedulingConfig scheduling) {
    return new ActorSpec<>(
        factory,
        mailbox,
        scheduling,
        dispatcher,
        backend,
        placement,
        priorities,
        stashCapacity,
        handlerTimeouts);
  }

  public ActorSpec<M> withDispatcher(String dispatcher) {
    return new ActorSpec<>(
        factory,
        mailbox,
        scheduling,
        dispatcher,
        backend,
        placement,
        priorities,
        stashCapacity,
        handlerTimeouts);
  }

  public ActorSpec<M> withBackend(Backend backend) {
    return new ActorSpec<>(
        factory,
        mailbox,
        scheduling,
        dispatcher,
        backend,
        placement,
        priorities,
        stashCapacity,
        handlerTimeouts);
  }

  public ActorSpec<M> withPlacement(Placement placement) {
    return new ActorSpec<>(
        factory,
        mailbox,
        scheduling,
        dispatcher,
        backend,
        placement,
        priorities,
        stashCapacity,
        handlerTimeouts);
  }

  /** Messages of this type, and of its subtypes, travel in this lane. */
  public ActorSpec<M> withPriority(Class<? extends M> type, Priority priority) {
    var all = new LinkedHashMap<>(priorities);
    all.put(type, priority);
    return new ActorSpec<>(
        factory,
        mailbox,
        scheduling,
        dispatcher,
        backend,
        placement,
        all,
        stashCapacity,
        handlerTimeouts);
  }

  public ActorSpec<M> withStashCapacity(int stashCapacity) {
    return new ActorSpec<>(
        factory,
        mailbox,
        scheduling,
        dispatcher,
        backend,
        placement,
        priorities,
        stashCapacity,
        handlerTimeouts);
  }

  /** No handler of any kind may take longer than this; see {@link TimeoutAction}. */
  public ActorSpec<M> withHandlerTimeout(Duration limit, TimeoutAction action) {
    var all = new EnumMap<HandlerKind, HandlerTimeout>(HandlerKind.class);
    for (HandlerKind handler : HandlerKind.values())
      all.put(handler, new HandlerTimeout(limit, action));
    return withHandlerTimeouts(all);
  }

  /** The same for one kind of handler. */
  public ActorSpec<M> withHandlerTimeout(
      HandlerKind handler, Duration limit, TimeoutAction action) {
    Objects.requireNonNull(
        handler,
        "ActorSpec.withHandlerTimeout: the kind of handler is null. [BAD-TIMEOUT]\n"
            + "  next:  name a HandlerKind, or leave it out for all of them");
    var all = new EnumMap<HandlerKind, HandlerTimeout>(HandlerKind.class);
    all.putAll(handlerTimeouts);
    all.put(handler, new HandlerTimeout(limit, action));
    return withHandlerTimeouts(all);
  }

  private ActorSpec<M> withHandlerTimeouts(Map<HandlerKind, HandlerTimeout> all) {
    return new ActorSpec<>(
        factory,
        mailbox,
        scheduling,
        dispatcher,
        backend,
        placement,
        priorities,
        stashCapacity,
        all);
  }
}
