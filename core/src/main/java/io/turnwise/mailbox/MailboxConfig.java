package io.turnwise.mailbox;

import java.util.Objects;

/**
 * Bounds of a mailbox.
 *
 * @param capacity messages that may wait at once, over all lanes; {@link Integer#MAX_VALUE} means
 *     no bound
 * @param overflow what happens to one more
 */
public record MailboxConfig(int capacity, OverflowPolicy overflow) {
  /** No bound: the default. Cheapest, and only as safe as its senders are slow. */
  public static final MailboxConfig UNBOUNDED =
      new MailboxConfig(Integer.MAX_VALUE, OverflowPolicy.FAIL);

  public MailboxConfig {
    if (capacity < 1)
      throw new IllegalArgumentException(
          "MailboxConfig.capacity is " + capacity + "; use 1 or more, or MailboxConfig.UNBOUNDED");
    Objects.requireNonNull(overflow, "MailboxConfig.overflow is null; name an OverflowPolicy");
  }

  public static MailboxConfig bounded(int capacity, OverflowPolicy overflow) {
    return new MailboxConfig(capacity, overflow);
  }

  public boolean isBounded() {
    return capacity != Integer.MAX_VALUE;
  }
}
