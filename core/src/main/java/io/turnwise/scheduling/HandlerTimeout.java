package io.turnwise.scheduling;

import java.time.Duration;
import java.util.Objects;

/**
 * How long a handler may take, waiting included, and what happens then.
 *
 * @param limit from its beginning
 * @param action what happens then
 */
public record HandlerTimeout(Duration limit, TimeoutAction action) {
  public HandlerTimeout {
    if (limit == null || limit.isZero() || limit.isNegative())
      throw new IllegalArgumentException(
          "HandlerTimeout.limit is " + limit + "; use a positive duration");
    Objects.requireNonNull(
        action, "HandlerTimeout.action is null; use WARN, CANCEL or STOP of TimeoutAction");
  }
}
