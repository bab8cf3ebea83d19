package io.turnwise.benchmarks.peer;

/** What becomes of an actor after a message. */
public enum Next {
  /** It waits for the next message. */
  CONTINUE,
  /** It ends; messages sent to it later are lost. */
  STOP
}
