package io.turnwise.internal.timer;

/**
 * A time, in the inbox of those that are far ahead: whatever lies below it was scheduled before
 * then. Its time is written under the wheel's lock after it was pushed, and read under the lock.
 */
final class Stamp extends TimerEntry {
  Stamp() {
    super(0);
  }

  @Override
  protected void fire() {
    throw new AssertionError("a stamp is in no bucket");
  }
}
