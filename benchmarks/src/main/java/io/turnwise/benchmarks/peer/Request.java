package io.turnwise.benchmarks.peer;

/** A message that wants an answer. Each peer brings its own, with its own way back to the asker. */
public interface Request {
  /** What was asked. */
  Object payload();
}
