package io.turnwise.benchmarks.peer;

/** What some peers can do and others cannot. A workload names what it needs. */
public enum Ability {
  /** Plain threads outside the runtime can send and ask. */
  OUTSIDE_THREADS,
  /** An actor's question can come back as a message while the actor handles others. */
  ANSWERS_AS_MESSAGES,
  /** An actor may block in the middle of a message without holding a worker. */
  BLOCKING_ACTORS,
  /** Plain tasks can be submitted. */
  TASKS,
  /** Callbacks can be scheduled, and taken back. */
  TIMERS,
  /** An actor can be ended in the middle of a message, whatever it does there. */
  KILL,
  /** One can see from outside what an actor does, in the middle of a message as well. */
  INSPECTION,
  /** Of two classes of actors, one can be served less. */
  PRIORITIES,
  /** Who creates an actor can say how large its share of the processor is to be. */
  SHARES
}
