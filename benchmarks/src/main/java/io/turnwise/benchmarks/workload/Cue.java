package io.turnwise.benchmarks.workload;

/** Messages that carry nothing but their meaning. */
enum Cue {
  /** Begin, or go on. */
  GO,
  /** One unit of work. */
  WORK
}
