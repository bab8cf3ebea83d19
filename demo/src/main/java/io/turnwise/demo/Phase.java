package io.turnwise.demo;

/** What the shop is going through. */
enum Phase {
  /** No endless loop has started. */
  BEFORE("before the loops"),
  /** Endless loops run. */
  LOOPS("beside them"),
  /** They have been killed. */
  AFTER("after the kill");

  final String words;

  Phase(String words) {
    this.words = words;
  }
}
