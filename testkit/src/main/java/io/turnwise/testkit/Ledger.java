package io.turnwise.testkit;

import io.turnwise.ActorRef;
import io.turnwise.internal.cell.Witness;
import io.turnwise.observation.DeadLetter;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Every crash and every dead letter of one system, in the order in which they happened; what a test
 * expects is taken out.
 */
final class Ledger implements Witness {
  private final Bell bell;

  // All guarded by this.
  private final List<Crash> crashes = new ArrayList<>();
  private final List<DeadLetter> letters = new ArrayList<>();
  private long crashesSeen;
  private long lettersSeen;

  Ledger(Bell bell) {
    this.bell = bell;
  }

  @Override
  public void crashed(ActorRef<?> actor, String doing, Throwable cause) {
    synchronized (this) {
      crashesSeen++;
      crashes.add(new Crash(actor, doing, cause));
    }
    bell.ring();
  }

  @Override
  public void deadLetter(DeadLetter letter) {
    synchronized (this) {
      lettersSeen++;
      letters.add(letter);
    }
    bell.ring();
  }

  synchronized List<Crash> crashes() {
    return List.copyOf(crashes);
  }

  synchronized List<DeadLetter> letters() {
    return List.copyOf(letters);
  }

  synchronized long crashesSeen() {
    return crashesSeen;
  }

  synchronized long lettersSeen() {
    return lettersSeen;
  }

  synchronized @Nullable Crash takeCrash(Predicate<? super Crash> wanted) {
    return takeFirst(crashes, wanted);
  }

  synchronized @Nullable DeadLetter takeLetter(Predicate<? super DeadLetter> wanted) {
    return takeFirst(letters, wanted);
  }

  private static <T> @Nullable T takeFirst(List<T> from, Predicate<? super T> wanted) {
    for (Iterator<T> each = from.iterator(); each.hasNext(); ) {
      T next = each.next();
      if (!wanted.test(next)) continue;
      each.remove();
      return next;
    }
    return null;
  }
}
