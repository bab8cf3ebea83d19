package io.turnwise;

import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.Priority;
import io.turnwise.scheduling.Backend;
import io.turnwise.scheduling.Placement;
import io.turnwise.scheduling.SchedulingConfig;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How to make an actor, and how it is to live. A value: make it once, spawn from it many times.
 *
 * {@snippet :
 * var orders = ActorSpec.of(Orders::new)
 *     .withMailbox(MailboxConfig.bounded(1_000, OverflowPolicy.WAIT))
 *     .withPriority(Orders.Cancel.class, Priority.HIGH);
 * }
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
 */
public record ActorSpec<M>(
    Supplier<? extends Actor<M>> factory,
    MailboxConfig mailbox,
    @Nullable SchedulingConfig scheduling,
    String dispatcher,
    Backend backend,
    Placement placement,
    Map<Class<?>, Priority> priorities,
    int stashCapacity) {

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
        DEFAULT_STASH_CAPACITY);
  }

  public ActorSpec<M> withMailbox(MailboxConfig mailbox) {
    return new ActorSpec<>(
        factory, mailbox, scheduling, dispatcher, backend, placement, priorities, stashCapacity);
  }

  public ActorSpec<M> withScheduling(SchedulingConfig scheduling) {
    return new ActorSpec<>(
        factory, mailbox, scheduling, dispatcher, backend, placement, priorities, stashCapacity);
  }

  public ActorSpec<M> withDispatcher(String dispatcher) {
    return new ActorSpec<>(
        factory, mailbox, scheduling, dispatcher, backend, placement, priorities, stashCapacity);
  }

  public ActorSpec<M> withBackend(Backend backend) {
    return new ActorSpec<>(
        factory, mailbox, scheduling, dispatcher, backend, placement, priorities, stashCapacity);
  }

  public ActorSpec<M> withPlacement(Placement placement) {
    return new ActorSpec<>(
        factory, mailbox, scheduling, dispatcher, backend, placement, priorities, stashCapacity);
  }

  /** Messages of this type, and of its subtypes, travel in this lane. */
  public ActorSpec<M> withPriority(Class<? extends M> type, Priority priority) {
    var all = new LinkedHashMap<>(priorities);
    all.put(type, priority);
    return new ActorSpec<>(
        factory, mailbox, scheduling, dispatcher, backend, placement, all, stashCapacity);
  }

  public ActorSpec<M> withStashCapacity(int stashCapacity) {
    return new ActorSpec<>(
        factory, mailbox, scheduling, dispatcher, backend, placement, priorities, stashCapacity);
  }
}
