package io.turnwise.testkit;

import io.turnwise.internal.cell.Audit;
import io.turnwise.observation.ActorSnapshot;
import io.turnwise.observation.ActorState;
import io.turnwise.observation.CloseReport;
import io.turnwise.observation.DeadLetter;
import io.turnwise.observation.DeadLetterReason;
import io.turnwise.observation.SystemSnapshot;
import io.turnwise.time.TimerHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What must hold after every test, looked at before and after the system is closed. All that does
 * not is said at once, each in a sentence: the first is seldom the cause.
 */
final class LastLook {
  private static final Duration CLOSE_DEADLINE = Duration.ofSeconds(5);
  private static final int SHOWN = 10;

  private final Testkit kit;
  private final boolean crashesAllowed;
  private final boolean lettersAllowed;
  private final List<String> complaints = new ArrayList<>();
  private final List<Throwable> causes = new ArrayList<>();

  /** Whether somebody was at work when the test ended. */
  private boolean inTheMiddle;

  LastLook(Testkit kit, boolean crashesAllowed, boolean lettersAllowed) {
    this.kit = kit;
    this.crashesAllowed = crashesAllowed;
    this.lettersAllowed = lettersAllowed;
  }

  void closeAndCheck() {
    try {
      if (!kit.system.isClosed()) lookWhileOpen();
      lookAtDeadLetters(kit.deadLetters());
    } finally {
      close();
    }
    if (complaints.isEmpty()) return;
    var failure = new AssertionError(text());
    causes.forEach(failure::addSuppressed);
    throw failure;
  }

  private void lookWhileOpen() {
    kit.waitUntil(kit.system::isQuiet, null);
    kit.system.actors().stream().filter(actor -> !Words.rests(actor)).forEach(this::isNotAtRest);
    for (Probe<?> probe : kit.probes)
      for (Object request : probe.unanswered())
        complaints.add(
            "Probe %s has never answered %s. Answer it with reply, or fail it."
                .formatted(probe.ref().path(), Words.message(request)));
    for (TimerHandle timer : firstOf(kit.system.timers().pending(), "pending timers"))
      complaints.add(
          "Timer %s is still pending. Cancel it, or advance the clock beyond its time."
              .formatted(timer.id()));
    inTheMiddle = !complaints.isEmpty();
    if (inTheMiddle) return; // those calls have been named
    for (String call : kit.callsUnderWay())
      complaints.add(
          "The call %s is not over. Let it be answered, or advance the clock beyond its timeout."
              .formatted(call));
  }

  private void isNotAtRest(ActorSnapshot actor) {
    if (actor.state() == ActorState.RECEIVING)
      complain(
          List.of(
              "%s rests although %d messages wait for it."
                  .formatted(actor.path(), actor.queued())));
    else
      complaints.add(
          "Actor %s. Let it come to rest before the test ends.".formatted(Words.actor(actor)));
  }

  private void lookAtDeadLetters(List<DeadLetter> letters) {
    if (lettersAllowed) return;
    for (DeadLetter letter : firstOf(letters, "dead letters"))
      complaints.add(
          "%s became a dead letter. Expect it with expectDeadLetter, or allowDeadLetters."
              .formatted(Words.letter(letter)));
  }

  private void lookAtCrashes(List<Crash> crashes) {
    if (crashesAllowed) return;
    for (Crash crash : firstOf(crashes, "crashes")) {
      complaints.add(
          "Actor %s crashed in %s by %s. Expect it with expectCrash, or allowCrashes."
              .formatted(crash.actor().path(), crash.doing(), crash.cause()));
      causes.add(crash.cause());
    }
  }

  /** Of very many of a kind, the first are enough. */
  private <T> List<T> firstOf(List<T> all, String what) {
    if (all.size() <= SHOWN) return all;
    complaints.add("There were %d %s; the first are:".formatted(all.size(), what));
    return all.subList(0, SHOWN);
  }

  /** Who is in the middle of a turn may well crash when it is told to stop: that is no news. */
  private void close() {
    List<Crash> before = kit.crashes();
    boolean first = !kit.system.isClosed();
    long buried = leftBehind();
    var audit = new Audit(kit.system);
    if (first) complain(audit.lookWhileOpen(List.of()));
    CloseReport report = kit.system.close(CLOSE_DEADLINE);
    lookAtCrashes(inTheMiddle ? before : kit.crashes());
    for (ActorSnapshot stuck : report.stuck())
      complaints.add("Actor %s and could not be stopped.".formatted(Words.actor(stuck)));
    if (report.complete()) {
      lookAtCounters();
      complain(audit.lookAfterClose());
    }
    if (first && report.complete() && report.messagesLeft() != leftBehind() - buried)
      complaints.add(
          "The close left %d messages behind and counted %d: a defect of the runtime."
              .formatted(report.messagesLeft(), leftBehind() - buried));
  }

  private void complain(List<String> defects) {
    for (String defect : firstOf(defects, "defects")) {
      String complaint = defect + " A defect of the runtime.";
      if (!complaints.contains(complaint)) complaints.add(complaint);
    }
  }

  private long leftBehind() {
    return kit.system.snapshot().deadLetters().getOrDefault(DeadLetterReason.LEFT_BEHIND, 0L);
  }

  private void lookAtCounters() {
    SystemSnapshot seen = kit.system.snapshot();
    if (seen.deadLettersTotal() != kit.ledger.letters.seen())
      complaints.add(
          "%d dead letters were counted and %d seen: a defect of the runtime."
              .formatted(seen.deadLettersTotal(), kit.ledger.letters.seen()));
    if (seen.crashes() > kit.ledger.crashes.seen()) // a teardown after a crash is shown alone
    complaints.add(
          "%d crashes were counted and %d seen: a defect of the runtime."
              .formatted(seen.crashes(), kit.ledger.crashes.seen()));
    if (seen.listenerFailures() != 0)
      complaints.add(
          "Listeners threw %d times; the log says what.".formatted(seen.listenerFailures()));
    if (seen.workersReplaced() != 0)
      complaints.add("%d workers died: a defect of the runtime.".formatted(seen.workersReplaced()));
  }

  private String text() {
    var text = new StringBuilder("After the test, ");
    if (complaints.size() == 1) text.append("one thing is not as it must be. [TEST-LEFTOVERS]");
    else text.append(complaints.size()).append(" things are not as they must be. [TEST-LEFTOVERS]");
    for (String complaint : complaints) text.append("\n  * ").append(complaint);
    return text.toString();
  }
}
