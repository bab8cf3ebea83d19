package io.turnwise.faults;

/** A message of a row: who sent it, and the how manieth of that sender it is. */
record Numbered(int sender, long number) {}
