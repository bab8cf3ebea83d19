package io.turnwise.agent.weaver;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What became of one class file's clock reads, sleeps and randomness.
 *
 * @param bytes the new class file; null when the old one stays
 * @param calls how many were redirected, by kind
 * @param skipped those that were not, by the method that makes them
 */
public record RedirectedClass(
    byte @Nullable [] bytes, Map<RedirectKind, Integer> calls, List<Skipped> skipped) {
  static RedirectedClass unchanged(List<Skipped> skipped) {
    return new RedirectedClass(null, Map.of(), skipped);
  }
}
