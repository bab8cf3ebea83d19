package io.turnwise;

/** Why an actor ended. */
public sealed interface StopReason {
  /** It stopped itself. */
  record Finished() implements StopReason {}

  /** Somebody asked it to stop: another actor, a plain thread, its parent or the system. */
  record ShutDown(String askedBy) implements StopReason {}

  /** One of its handlers threw. */
  record Crashed(Throwable cause) implements StopReason {}

  /** Somebody killed it. */
  record Killed(String askedBy) implements StopReason {}

  /** Whether the end was wanted. No default: a new reason must be judged here. */
  default boolean orderly() {
    return switch (this) {
      case Finished _, ShutDown _ -> true;
      case Crashed _, Killed _ -> false;
    };
  }
}
