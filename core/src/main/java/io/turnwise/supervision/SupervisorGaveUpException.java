package io.turnwise.supervision;

/**
 * Why a supervisor failed: a child failed too often, or in a way that is its supervisor's to
 * answer. The child's own failure is the cause, unless it was killed.
 */
public final class SupervisorGaveUpException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public SupervisorGaveUpException(
      String message, @org.jspecify.annotations.Nullable Throwable cause) {
    super(message, cause);
  }
}
