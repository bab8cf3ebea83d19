package io.turnwise.agent;

import java.util.Map;

/** The weaving report as a management bean, {@code io.turnwise:type=Weaving}. */
public interface WeavingMXBean {
  long getClasses();

  long getWovenClasses();

  long getLateClasses();

  long getMethods();

  long getWovenMethods();

  /** By the name of the form. */
  Map<String, Long> getPolls();

  /** Calls that a simulation can answer, by the name of the kind. */
  Map<String, Long> getRedirected();

  /** By the name of the reason. */
  Map<String, Long> getSkipped();

  /** All of it, with what was skipped by name. */
  String report();
}
