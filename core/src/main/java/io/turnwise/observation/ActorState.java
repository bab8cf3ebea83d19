package io.turnwise.observation;

/** Where an actor stands. */
public enum ActorState {
  /** Created; its constructor and init have not finished. */
  STARTING,
  /** Waiting for a message. */
  RECEIVING,
  /** Has work and waits for a worker. */
  RUNNABLE,
  /** On a worker. */
  RUNNING,
  /** Stopped in the middle of a turn because others waited; goes on there with its next slice. */
  PREEMPTED,
  /**
   * On a worker that others wait for, in code that cannot be stopped: native code, a class
   * initialiser, or code that was not woven. Until somebody waits for the worker it is RUNNING.
   */
  BLOCKED,
  /** In the middle of a turn that waits: for an answer, a lock, time, or room in a mailbox. */
  SUSPENDED,
  /**
   * Its life is over, and its supervisor starts it again, when its delay has passed or others are
   * ready, or ends it. Messages are kept for it.
   */
  RESTARTING,
  /** Told to stop; its children or its teardown are not done. */
  STOPPING,
  /** Ended. */
  HALTED
}
