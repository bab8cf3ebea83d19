package io.turnwise.internal.cell;

import io.turnwise.Actor;
import io.turnwise.StopReason;
import io.turnwise.SystemConfig;
import io.turnwise.internal.mailbox.Envelope;
import io.turnwise.internal.mailbox.Mailbox;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.util.function.Supplier;

/** Actors that never run, in a system without threads that nobody drives. */
final class StressCell {
  private static final DrivenSystem SYSTEM =
      DrivenSystem.open(
          "stress", SystemConfig.DEFAULT.withCloseOnShutdown(false), System::nanoTime);
  private static final Supplier<Actor<Object>> FACTORY = () -> (_, _) -> {};

  static final ActorCell<?> CELL = (ActorCell<?>) SYSTEM.system().spawn(FACTORY);

  private static final MethodHandle TELL;
  private static final VarHandle WATCHERS;
  private static final VarHandle NOTICES;
  private static final VarHandle TAIL;
  private static final Object WAKE;

  static {
    try {
      MethodHandles.Lookup own = MethodHandles.lookup();
      MethodHandles.Lookup watched = MethodHandles.privateLookupIn(Watched.class, own);
      TELL =
          watched.findVirtual(
              Watched.class,
              "tell",
              MethodType.methodType(void.class, Object.class, StopReason.class));
      WATCHERS = watched.findVarHandle(Watched.class, "watchers", Watchers.class);
      NOTICES =
          MethodHandles.privateLookupIn(Address.class, own)
              .findVarHandle(Address.class, "notices", Notice.Link.class);
      MethodHandles.Lookup mailbox = MethodHandles.privateLookupIn(Mailbox.class, own);
      TAIL = mailbox.findVarHandle(Mailbox.class, "tail", Envelope.class);
      WAKE =
          MethodHandles.privateLookupIn(Envelope.class, own)
              .findStaticVarHandle(Envelope.class, "WAKE", Envelope.class)
              .get();
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private StressCell() {}

  /** One that no list and no queue knows, so that it goes when its test does. */
  static ActorCell<?> unknown() {
    var cell = new ActorCell<Object>(CELL.kind, null, null, FACTORY);
    TAIL.setVolatile((Mailbox) cell, (Envelope) WAKE); // in somebody's hands, and never queued
    return cell;
  }

  /** The step of an actor's end that meets those who watch. As {@code ActorCell.end} does it. */
  static void end(ActorCell<?> cell) {
    StopReason reason = ActorCell.FINISHED;
    var told = (Watchers) WATCHERS.getAndSet(cell, (Watchers) Watchers.Ended.of(reason));
    try {
      for (Watchers.Link l = (Watchers.Link) told; l != null; l = l.next())
        TELL.invoke(cell, l.who(), reason);
    } catch (Throwable e) {
      throw new AssertionError("telling never throws", e);
    }
  }

  /** The step after that: the last notices, of which links are told. As {@code ActorCell.end}. */
  static void seeToTheLast(ActorCell<?> cell) {
    for (Notice.Link l = cell.takeLastNotices(); l != null; l = l.next)
      if (l.notice instanceof Notice.Linked(ActorCell<?> to, int _))
        cell.owe(to, Watched.Owed.LINK_ENDED, ActorCell.FINISHED);
  }

  /** How many notices wait in its system lane. */
  static int notices(ActorCell<?> cell) {
    int count = 0;
    var first = (Notice.Link) NOTICES.getVolatile(cell);
    for (Notice.Link link = first; link != null; link = link.next) count++;
    return count;
  }
}
