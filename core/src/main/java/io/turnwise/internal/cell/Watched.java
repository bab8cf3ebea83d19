package io.turnwise.internal.cell;

import io.turnwise.Signal;
import io.turnwise.StopReason;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * An actor as those see it who want to know of its end: watchers, futures, and who kills one of its
 * lives. Any thread comes here.
 *
 * <p>A part of {@link ActorCell}, and one object with it.
 *
 * @param <M> the messages it understands
 */
abstract sealed class Watched<M> extends Address<M> permits Observed {
  static final int ATTEMPTS_TO_TELL = 20;

  private static final VarHandle WATCHERS;

  static {
    try {
      WATCHERS = MethodHandles.lookup().findVarHandle(Watched.class, "watchers", Watchers.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Swapped by anybody; in the end it holds the reason. */
  private volatile @Nullable Watchers watchers;

  Watched(Kind kind, @Nullable ActorCell<?> parent, @Nullable String name) {
    super(kind, parent, name);
  }

  /** An actor or a future. Told at once when the end has come already. */
  final void addWatcher(Object who) {
    for (; ; ) {
      Watchers now = watchers;
      if (now instanceof Watchers.Ended(StopReason reason)) {
        tell(who, reason);
        return;
      }
      if (WATCHERS.compareAndSet(this, now, Watchers.Link.with((Watchers.Link) now, who))) return;
    }
  }

  /** Whether it wants no news of others any more. Any thread. */
  boolean hasToldItsEnd() {
    return watchers instanceof Watchers.Ended;
  }

  /** How many are to be told of its end, as far as it knows. Any thread; a look, no more. */
  int watcherCount() {
    return watchers instanceof Watchers.Link list ? list.size() : 0;
  }

  /** Done when this life of the actor has ended. */
  CompletionStage<StopReason> whenLifeEnded(int incarnation) {
    var killer = new Watchers.Killer(incarnation);
    addWatcher(killer);
    return killer;
  }

  /** A life is over: who wanted to end it, or an earlier one, is told, once. */
  final void tellKillers(int incarnation) {
    StopReason known = stopReason();
    StopReason reason = known == null ? ActorCell.FINISHED : known;
    for (; ; ) {
      Watchers now = watchers;
      if (!(now instanceof Watchers.Link list)) return;
      Watchers.Link kept = Watchers.Link.withoutKillers(list, incarnation);
      if (kept == list) return;
      if (!WATCHERS.compareAndSet(this, now, kept)) continue;
      for (Watchers.Link l = list; l != null; l = l.next())
        if (l.who() instanceof Watchers.Killer killer && killer.incarnation <= incarnation)
          tell(killer, reason);
      return;
    }
  }

  @SuppressWarnings("unchecked") // no other futures are put in
  final void tell(Object who, StopReason reason) {
    if (who instanceof ActorCell<?> cell) owe(cell, Owed.TERMINATED, reason);
    else complete((CompletableFuture<StopReason>) who, reason);
  }

  private void complete(CompletableFuture<StopReason> future, StopReason reason) {
    try {
      kind.system.callbacks.execute(() -> future.complete(reason));
    } catch (Throwable noMemory) { // then here: who waits for it must hear of it
      future.complete(reason);
    }
  }

  final void removeWatcher(ActorCell<?> who) {
    for (; ; ) {
      Watchers now = watchers;
      if (!(now instanceof Watchers.Link list)) return;
      Watchers.Link kept = Watchers.Link.without(list, who);
      if (kept == list || WATCHERS.compareAndSet(this, now, kept)) return;
    }
  }

  /** Why it has ended, or null while it has not said so. Any thread. */
  final @Nullable StopReason endTold() {
    return watchers instanceof Watchers.Ended(StopReason reason) ? reason : null;
  }

  /** The owner, at the end: whoever comes later is told at once. Returns who is to be told now. */
  final Watchers.@Nullable Link close(Watchers.Ended ended) {
    return (Watchers.Link) WATCHERS.getAndSet(this, ended);
  }

  /** What the end of an actor owes to others. */
  enum Owed {
    LINK_ENDED,
    TERMINATED,
    CHILD_CRASHED,
    CHILD_GONE
  }

  /**
   * Such a notice is owed once, and nobody asks for it again. So where memory is missing this tries
   * again for a while: each attempt has the garbage collected.
   */
  final void owe(ActorCell<?> to, Owed what, StopReason reason) {
    owe(to, what, reason, 0);
  }

  /**
   * @param ofLife which life of the other this concerns, where that matters
   */
  final void owe(ActorCell<?> to, Owed what, StopReason reason, int ofLife) {
    for (int i = 1; ; i++) {
      try {
        to.notify(
            switch (what) {
              case LINK_ENDED -> new Notice.LinkEnded(cell(), cell().incarnation(), reason);
              case TERMINATED -> new Notice.News(new Signal.Terminated(this, reason));
              case CHILD_CRASHED ->
                  new Notice.ChildCrashed(new Signal.ChildCrashed(this, reason), ofLife);
              case CHILD_GONE -> new Notice.ChildGone();
            });
        return;
      } catch (OutOfMemoryError e) {
        if (i == ATTEMPTS_TO_TELL) throw e;
      }
    }
  }

  @Override
  public CompletionStage<StopReason> whenStopped() {
    var future = new CompletableFuture<StopReason>();
    addWatcher(future);
    return future;
  }
}
