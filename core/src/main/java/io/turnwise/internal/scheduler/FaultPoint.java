package io.turnwise.internal.scheduler;

/** Steps of a worker's loop at which a test may let its thread die. */
enum FaultPoint {
  PICK,
  DISPATCH,
  SETTLE,
  AWAIT
}
