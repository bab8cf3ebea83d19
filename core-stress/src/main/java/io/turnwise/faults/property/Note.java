package io.turnwise.faults.property;

import io.turnwise.Call;
import io.turnwise.mailbox.Priority;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A message that carries its own line of the ledger: who sent it, and what became of it. */
class Note {
  /** What became of a message. Moves by compare-and-set, so that a second fate is found out. */
  enum Fate {
    /** Handed to the runtime. */
    SENT,
    /** Its call timed out on the way: it was withdrawn, or may still be handled. */
    UNSURE,
    /** A handler has it. */
    IN_HAND,
    /** A handler put it aside. */
    STASHED,
    /** Its handler returned. */
    HANDLED,
    /** Its handler threw. */
    FAILED,
    /** Shown to the listener of dead letters. */
    DEAD,
    /** The send threw: nobody may ever see it. */
    REFUSED
  }

  private static final VarHandle FATE;

  static {
    try {
      FATE = MethodHandles.lookup().findVarHandle(Note.class, "fate", Fate.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final int sender;
  final long number;
  final Priority lane;
  final int hops;

  /** Decides what its handler does. */
  final long dice;

  private volatile Fate fate = Fate.SENT;

  Note(int sender, long number, Priority lane, int hops, long dice) {
    this.sender = sender;
    this.number = number;
    this.lane = lane;
    this.hops = hops;
    this.dice = dice;
  }

  Fate fate() {
    return fate;
  }

  boolean move(Fate from, Fate to) {
    return FATE.compareAndSet(this, from, to);
  }

  @Override
  public String toString() {
    return getClass().getSimpleName() + " " + number + " of " + sender + " (" + fate + ")";
  }

  /** Travels in the high lane of actors that look at types. */
  static final class Urgent extends Note {
    Urgent(int sender, long number, Priority lane, int hops, long dice) {
      super(sender, number, lane, hops, dice);
    }
  }

  /** Travels in the low lane of actors that look at types. */
  static final class Lazy extends Note {
    Lazy(int sender, long number, Priority lane, int hops, long dice) {
      super(sender, number, lane, hops, dice);
    }
  }

  /** Wants its own number back. */
  static final class Ask extends Note implements Call<Note, Long> {
    Ask(int sender, long number, Priority lane, int hops, long dice) {
      super(sender, number, lane, hops, dice);
    }
  }

  /** The outcome of a callToSelf. */
  static final class Answer extends Note {
    Answer(int sender, long number, int hops, long dice) {
      super(sender, number, Priority.NORMAL, hops, dice);
    }
  }
}
