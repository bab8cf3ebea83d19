package io.turnwise.testkit;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Predicate;

/** Things of one kind that happened, in their order; what a test expects is taken out. */
final class Findings<T> {
  // Both guarded by this: any thread adds, the test looks.
  private final List<T> left = new ArrayList<>();
  private long seen;

  synchronized void add(T finding) {
    left.add(finding);
    seen++;
  }

  /** How many there ever were. */
  synchronized long seen() {
    return seen;
  }

  /** Those that were not taken. */
  synchronized List<T> left() {
    return List.copyOf(left);
  }

  synchronized boolean has(Predicate<? super T> wanted) {
    return left.stream().anyMatch(wanted);
  }

  /** Takes the first such out. */
  synchronized T take(Predicate<? super T> wanted) {
    for (Iterator<T> each = left.iterator(); each.hasNext(); ) {
      T next = each.next();
      if (!wanted.test(next)) continue;
      each.remove();
      return next;
    }
    throw new NoSuchElementException("look with has first");
  }
}
