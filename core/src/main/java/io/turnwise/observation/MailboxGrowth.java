package io.turnwise.observation;

/**
 * An unbounded mailbox in which messages gather while the heap fills.
 *
 * @param path whose it is
 * @param queued how many wait there; counted up to a million
 * @param heapUsed the part of the heap that was in use, from 0 to 1
 */
public record MailboxGrowth(String path, long queued, double heapUsed) {}
