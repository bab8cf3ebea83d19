package io.turnwise.agent.weaver;

/**
 * Something that stayed as it was.
 *
 * @param what a class, or a method with its class and descriptor
 * @param detail the failure's own words, or nothing
 */
public record Skipped(String what, SkipReason reason, String detail) {
  Skipped(String what, SkipReason reason) {
    this(what, reason, "");
  }
}
