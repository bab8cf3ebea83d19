package io.turnwise.internal.cell;

import io.turnwise.CallTimeoutException;
import io.turnwise.CalleeFailedException;
import io.turnwise.CalleeStoppedException;
import io.turnwise.LinkedActorEndedException;
import io.turnwise.NoReplyException;
import io.turnwise.RequestDroppedException;
import io.turnwise.Signal;
import io.turnwise.StopReason;
import io.turnwise.internal.door.ErrorBarrier;
import io.turnwise.internal.mailbox.BoundedStore;
import io.turnwise.internal.mailbox.Envelope;
import io.turnwise.internal.mailbox.TimedRequest;
import io.turnwise.internal.mailbox.WaitGraph;
import io.turnwise.internal.scheduler.AbandonedTurn;
import io.turnwise.internal.scheduler.ParkReason;
import io.turnwise.internal.scheduler.StackProbe;
import io.turnwise.internal.scheduler.StrandedTasks;
import io.turnwise.mailbox.MailboxDeadlockException;
import io.turnwise.mailbox.MailboxFullException;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.mailbox.Priority;
import io.turnwise.mailbox.StashFullException;
import io.turnwise.observation.DeadLetter;
import io.turnwise.observation.DeadLetterReason;
import io.turnwise.supervision.PoisonMessage;
import io.turnwise.supervision.SupervisorBlueprint;
import io.turnwise.supervision.SupervisorGaveUpException;
import java.lang.invoke.MethodHandles;
import java.util.List;

/**
 * Initialises, before the first actor runs, the classes that a send, a spawn or a crash may be the
 * first to need. A class whose initialiser meets the end of a stack, or of memory, is broken for
 * the rest of the JVM's life; and loading classes takes locks that a suspended turn may hold. A
 * switch over types is made when it is first passed, and is broken for good in the same way.
 */
final class Preload {
  /** Loaded by being named here. */
  private static final List<Class<?>> CLASSES =
      List.of(
          ActorCell.Pill.class,
          AnswerSpins.class,
          AsyncCall.class,
          Belongings.class,
          BlockingCall.class,
          CallbackThreads.class,
          Children.class,
          Children.Added.class,
          Household.class,
          KeyedTimer.class,
          KeyedTimer.Tick.class,
          KeyedTimers.class,
          LateCalls.class,
          Notice.ChildCrashed.class,
          Notice.ChildGone.class,
          Notice.Event.class,
          Notice.Link.class,
          Notice.LinkEnded.class,
          Notice.Linked.class,
          Notice.News.class,
          Notice.OfChild.class,
          Notice.Order.class,
          Notice.Ordered.class,
          Notice.Stop.class,
          PendingCall.class,
          PendingCall.Failure.class,
          PendingCall.TimedOut.class,
          Protocols.class,
          SelfCall.class,
          SelfCall.Answer.class,
          Supervised.class,
          TurnContext.class,
          Watchers.Ended.class,
          Watchers.Killer.class,
          Watchers.Link.class);

  private static final List<Class<?>> OF_OTHER_PACKAGES =
      List.of(
          BoundedStore.class,
          BoundedStore.Offer.class,
          BoundedStore.Outcome.class,
          Envelope.class,
          TimedRequest.class,
          WaitGraph.class,
          ErrorBarrier.class,
          AbandonedTurn.class,
          ParkReason.class,
          StackProbe.class,
          StrandedTasks.class,
          CallTimeoutException.class,
          CalleeFailedException.class,
          CalleeStoppedException.class,
          LinkedActorEndedException.class,
          NoReplyException.class,
          RequestDroppedException.class,
          Signal.ChildCrashed.class,
          Signal.Terminated.class,
          StopReason.Crashed.class,
          StopReason.Finished.class,
          StopReason.Killed.class,
          StopReason.ShutDown.class,
          MailboxDeadlockException.class,
          MailboxFullException.class,
          OverflowPolicy.class,
          Priority.class,
          StashFullException.class,
          DeadLetter.class,
          DeadLetterReason.class,
          PoisonMessage.class,
          SupervisorBlueprint.class,
          SupervisorGaveUpException.class);

  private Preload() {}

  static void all() {
    MethodHandles.Lookup lookup = MethodHandles.lookup();
    try {
      for (Class<?> each : CLASSES) lookup.ensureInitialized(each);
      for (Class<?> each : OF_OTHER_PACKAGES) lookup.ensureInitialized(each);
    } catch (IllegalAccessException e) {
      throw new AssertionError("Preload may see every class it names", e);
    }
    if (!ActorCell.FINISHED.orderly()) throw new AssertionError("to finish is in good order");
  }
}
