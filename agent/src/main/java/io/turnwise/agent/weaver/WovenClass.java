package io.turnwise.agent.weaver;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What became of one class file.
 *
 * @param bytes the new class file; null when the old one stays
 * @param methods how many methods have code
 * @param wovenMethods how many of them got a poll
 * @param wovenNames the names of these, without their descriptors
 * @param polls how many, by form
 * @param skipped what needed a poll, or may have, and got none
 */
public record WovenClass(
    String name,
    byte @Nullable [] bytes,
    int methods,
    int wovenMethods,
    Set<String> wovenNames,
    Map<PollForm, Integer> polls,
    List<Skipped> skipped) {
  static WovenClass unchanged(String name, int methods, List<Skipped> skipped) {
    return new WovenClass(name, null, methods, 0, Set.of(), Map.of(), skipped);
  }
}
