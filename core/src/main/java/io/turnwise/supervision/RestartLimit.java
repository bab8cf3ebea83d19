package io.turnwise.supervision;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How many restarts a supervisor grants all its children together. One more means that the fault is
 * not passing: the supervisor stops its children and fails itself.
 *
 * <p>More restarts ride out longer disturbances, and hide a lasting one for longer. The default is
 * a guess.
 *
 * @param window only restarts within this time of each other count together; null means for ever
 */
public record RestartLimit(int restarts, @Nullable Duration window) {
  private static final Duration LONGEST = Duration.ofDays(365);

  public static final RestartLimit DEFAULT = new RestartLimit(3, Duration.ofSeconds(5));

  /** It never gives up. For children whose backoff has a ceiling to wait at. */
  public static final RestartLimit NONE = new RestartLimit(Integer.MAX_VALUE, null);

  public RestartLimit {
    if (restarts < 0)
      throw new IllegalArgumentException(
          "RestartLimit.restarts is "
              + restarts
              + "; use 0 for \"never restart\", or a positive count");
    if (window != null && window.compareTo(LONGEST) > 0)
      throw new IllegalArgumentException(
          "RestartLimit.window is " + window + "; use a year at most, or null for ever");
    if (window != null && (window.isZero() || window.isNegative()))
      throw new IllegalArgumentException(
          "RestartLimit.window is " + window + "; use a positive duration, or null for ever");
  }

  /** So many in a supervisor's whole life. */
  public static RestartLimit of(int restarts) {
    return new RestartLimit(restarts, null);
  }

  /** The same count, of restarts within this time. */
  public RestartLimit within(Duration window) {
    return new RestartLimit(restarts, window);
  }
}
