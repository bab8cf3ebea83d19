package io.turnwise.internal.supervisor;

import java.util.AbstractCollection;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * The children of one supervisor in the order they came, linked through the children themselves:
 * there may be a hundred thousand of them, and what each costs here is two references. Not to be
 * changed while somebody goes through it.
 */
final class Siblings extends AbstractCollection<Child> {
  private @Nullable Child first;
  private @Nullable Child last;
  private int size;

  @Override
  public boolean add(Child child) {
    child.previous = last;
    if (last == null) first = child;
    else last.next = child;
    last = child;
    size++;
    return true;
  }

  /** One that is among them. */
  void takeOut(Child child) {
    if (child.previous == null) first = child.next;
    else child.previous.next = child.next;
    if (child.next == null) last = child.previous;
    else child.next.previous = child.previous;
    child.previous = null;
    child.next = null;
    size--;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public Iterator<Child> iterator() {
    return new Iterator<>() {
      private @Nullable Child at = first;

      @Override
      public boolean hasNext() {
        return at != null;
      }

      @Override
      public Child next() {
        Child child = at;
        if (child == null) throw new NoSuchElementException();
        at = child.next;
        return child;
      }
    };
  }
}
