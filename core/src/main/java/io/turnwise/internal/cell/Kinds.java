package io.turnwise.internal.cell;

import io.turnwise.ActorSpec;
import io.turnwise.internal.scheduler.Runner;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.Priority;
import io.turnwise.scheduling.Backend;
import io.turnwise.scheduling.HandlerKind;
import io.turnwise.scheduling.HandlerTimeout;
import io.turnwise.scheduling.SchedulingConfig;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What actors of a system have in common, kept once for all that are alike. No more of it than
 * {@link #MOST_KEPT}: a timeout or a capacity that is computed for each spawn makes another kind
 * each time, and they would stay for as long as the system lives. Who comes later has a kind of its
 * own, which costs a spawn a little memory and goes with its actor.
 */
final class Kinds {
  /** Far more than a program writes down; all of them together are a megabyte or so. */
  static final int MOST_KEPT = 4_096;

  /** Of actors that are spawned without a spec. */
  final Kind plain;

  /** Of the system's own. */
  final Kind internal;

  private final LocalActorSystem system;
  private final Map<Key, Kind> known = new ConcurrentHashMap<>();

  /**
   * Everything of a spec but the factory, compared by value; the lanes as a list, since their order
   * counts: the first entry that fits decides, and two maps are equal in whatever order.
   */
  private record Key(
      MailboxConfig mailbox,
      @Nullable SchedulingConfig scheduling,
      String dispatcher,
      Backend backend,
      List<Map.Entry<Class<?>, Priority>> priorities,
      int stashCapacity,
      Map<HandlerKind, HandlerTimeout> handlerTimeouts) {}

  Kinds(LocalActorSystem system, WorkerDispatcher main, Runner internalRunner) {
    this.system = system;
    this.plain =
        new Kind(
            system,
            main.scheduler,
            MailboxConfig.UNBOUNDED,
            Map.of(),
            ActorSpec.DEFAULT_STASH_CAPACITY,
            main,
            null,
            null,
            false);
    this.internal =
        new Kind(
            system, internalRunner, MailboxConfig.UNBOUNDED, Map.of(), 0, null, null, null, true);
  }

  Kind of(ActorSpec<?> spec) {
    var key =
        new Key(
            spec.mailbox(),
            spec.scheduling(),
            spec.dispatcher(),
            spec.backend(),
            List.copyOf(spec.priorities().entrySet()),
            spec.stashCapacity(),
            spec.handlerTimeouts());
    Kind found = known.get(key);
    if (found != null) return found;
    Runner runner =
        system.isThreaded() && spec.backend() == Backend.BLOCKING
            ? system.elastic
            : system.dispatcher(spec.dispatcher()).scheduler;
    // Several that come at once may pass the bound, by one each.
    if (known.size() >= MOST_KEPT) return make(spec, runner);
    return known.computeIfAbsent(key, _ -> make(spec, runner));
  }

  /** How many are kept. */
  int kept() {
    return known.size();
  }

  /** One of its own, for an actor with a runner of its own. */
  Kind make(ActorSpec<?> spec, Runner runner) {
    return new Kind(
        system,
        runner,
        spec.mailbox(),
        spec.priorities(),
        spec.stashCapacity(),
        system.dispatcher(spec.dispatcher()),
        spec.scheduling(),
        spec.handlerTimeouts().isEmpty() ? null : spec.handlerTimeouts(),
        false);
  }
}
