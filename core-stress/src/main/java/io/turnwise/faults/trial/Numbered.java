package io.turnwise.faults.trial;

/** A message of a row: who sent it, and the how manieth of that sender it is. */
public record Numbered(int sender, long number) {}
