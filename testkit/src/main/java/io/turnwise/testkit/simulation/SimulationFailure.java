package io.turnwise.testkit.simulation;

import org.jspecify.annotations.Nullable;

/** A simulation found something. Says what, with which seed, and tells what led to it. */
public final class SimulationFailure extends AssertionError {
  private static final long serialVersionUID = 1;

  private final transient Outcome outcome;
  private final transient String story;
  private final transient String page;

  SimulationFailure(
      String text, Outcome outcome, String story, String page, @Nullable Throwable cause) {
    super(text, cause);
    this.outcome = outcome;
    this.story = story;
    this.page = page;
  }

  /** The run that fails, as short as it could be made. */
  public Outcome outcome() {
    return outcome;
  }

  /** Step by step what happened in it. */
  public String story() {
    return story;
  }

  /** The same as a page of HTML with a sequence diagram. */
  public String page() {
    return page;
  }
}
