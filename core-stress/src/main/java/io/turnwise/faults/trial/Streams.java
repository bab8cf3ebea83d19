package io.turnwise.faults.trial;

import java.util.Arrays;

/** A receiver's view of numbered senders. Belongs to the receiver. */
public final class Streams {
  private final Books books;
  private final boolean gapsAllowed;
  private long[] next;

  /**
   * @param gapsAllowed where messages may be dropped on the way: then they must still come in order
   */
  public Streams(Books books, int senders, boolean gapsAllowed) {
    this.books = books;
    this.gapsAllowed = gapsAllowed;
    this.next = new long[senders];
  }

  public void see(Numbered message) {
    int sender = message.sender();
    if (sender >= next.length) next = Arrays.copyOf(next, Math.max(sender + 1, next.length * 2));
    long number = message.number();
    if (number < next[sender] || (number > next[sender] && !gapsAllowed))
      books.violation("sender " + sender + ": " + number + " came for " + next[sender]);
    next[sender] = number + 1;
  }
}
