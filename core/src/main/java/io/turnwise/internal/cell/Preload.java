package io.turnwise.internal.cell;

import java.util.List;

/**
 * Initialises, before the first actor runs, the classes that a send, a spawn or a crash may be the
 * first to need. A class whose initialiser meets the end of a stack, or of memory, is broken for
 * the rest of the JVM's life; and loading classes takes locks that a suspended turn may hold.
 */
final class Preload {
  private static final String HERE = "io.turnwise.internal.cell.";
  private static final String MAILBOX = "io.turnwise.internal.mailbox.";
  private static final String SCHEDULER = "io.turnwise.internal.scheduler.";

  private static final List<String> NAMES =
      List.of(
          HERE + "ActorCell$Pill",
          HERE + "ActorCell$RuntimeMessage",
          HERE + "AsyncCall",
          HERE + "AsyncCall$CallFuture",
          HERE + "Belongings",
          HERE + "BlockingCall",
          HERE + "Children",
          HERE + "Children$Added",
          HERE + "Notice$ChildGone",
          HERE + "Notice$Link",
          HERE + "Notice$News",
          HERE + "Notice$Stop",
          HERE + "PendingCall",
          HERE + "PendingCall$Failure",
          HERE + "PendingCall$TimedOut",
          HERE + "Protocols",
          HERE + "Reporter$Line",
          HERE + "SelfCall",
          HERE + "SelfCall$Answer",
          HERE + "TurnContext",
          HERE + "Watchers$Ended",
          HERE + "Watchers$Link",
          MAILBOX + "BoundedStore",
          MAILBOX + "BoundedStore$Offer",
          MAILBOX + "BoundedStore$Outcome",
          MAILBOX + "BoundedStore$Waiter",
          MAILBOX + "Envelope",
          MAILBOX + "LaneQueue",
          MAILBOX + "Lanes",
          MAILBOX + "WaitGraph",
          SCHEDULER + "ForeignTask",
          SCHEDULER + "ParkReason",
          SCHEDULER + "StackProbe",
          SCHEDULER + "StrandedTasks",
          SCHEDULER + "Wheel",
          "io.turnwise.CallTimeoutException",
          "io.turnwise.CalleeFailedException",
          "io.turnwise.CalleeStoppedException",
          "io.turnwise.NoReplyException",
          "io.turnwise.Signal$ChildCrashed",
          "io.turnwise.Signal$Terminated",
          "io.turnwise.StopReason$Crashed",
          "io.turnwise.StopReason$Finished",
          "io.turnwise.StopReason$ShutDown",
          "io.turnwise.mailbox.MailboxDeadlockException",
          "io.turnwise.mailbox.MailboxFullException",
          "io.turnwise.mailbox.OverflowPolicy",
          "io.turnwise.mailbox.Priority",
          "io.turnwise.mailbox.StashFullException",
          "io.turnwise.observation.DeadLetter",
          "io.turnwise.observation.DeadLetterReason");

  /** Made by the compiler for a switch over an enum, so that not every compiler makes them. */
  private static final List<String> SWITCHES =
      List.of(HERE + "ActorCell$1", MAILBOX + "BoundedStore$1");

  private Preload() {}

  static void all() {
    ClassLoader loader = Preload.class.getClassLoader();
    for (String name : NAMES) initialise(name, loader, true);
    for (String name : SWITCHES) initialise(name, loader, false);
  }

  private static void initialise(String name, ClassLoader loader, boolean must) {
    try {
      Class.forName(name, true, loader);
    } catch (ClassNotFoundException e) {
      if (must) throw new AssertionError("Preload names a class that is gone: " + name, e);
    }
  }
}
