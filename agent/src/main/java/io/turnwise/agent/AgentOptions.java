package io.turnwise.agent;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What may follow {@code -javaagent:turnwise-agent.jar=}, separated by commas: {@code
 * include=PATTERN} and {@code exclude=PATTERN}, as often as needed, the last that matches decides;
 * {@code report=FILE}, written when the JVM ends; {@code weave=off} to only open the JDK's door;
 * {@code jdk=off} to leave the JDK's own classes alone; {@code jmx=on} to show the report as a
 * management bean; {@code simulation=on} to redirect clock reads, sleeps and randomness, so that a
 * simulation can answer them.
 */
record AgentOptions(
    WeavingFilter filter,
    @Nullable Path report,
    boolean weave,
    boolean jdk,
    boolean jmx,
    boolean simulation) {
  static final AgentOptions DEFAULT =
      new AgentOptions(WeavingFilter.usual(), null, true, true, false, false);

  static AgentOptions parse(@Nullable String text) {
    AgentOptions options = DEFAULT;
    if (text == null || text.isBlank()) return options;
    for (String option : text.split(",")) options = options.with(option.strip());
    return options.simulation ? options.withSimulation() : options;
  }

  AgentOptions withSimulation() {
    if (!weave || !jdk)
      throw new IllegalArgumentException(
          "turnwise-agent: simulation=on changes classes of the user's and of"
              + " java.util.concurrent, which weave=off and jdk=off forbid; leave these out");
    return new AgentOptions(filter, report, weave, jdk, jmx, true);
  }

  private AgentOptions with(String option) {
    int equals = option.indexOf('=');
    String name = equals < 0 ? option : option.substring(0, equals);
    String value = equals < 0 ? "" : option.substring(equals + 1);
    return switch (name) {
      case "include" ->
          new AgentOptions(filter.including(value), report, weave, jdk, jmx, simulation);
      case "exclude" ->
          new AgentOptions(filter.excluding(value), report, weave, jdk, jmx, simulation);
      case "report" -> new AgentOptions(filter, Path.of(value), weave, jdk, jmx, simulation);
      case "weave" -> new AgentOptions(filter, report, isOn(name, value), jdk, jmx, simulation);
      case "jdk" -> new AgentOptions(filter, report, weave, isOn(name, value), jmx, simulation);
      case "jmx" -> new AgentOptions(filter, report, weave, jdk, isOn(name, value), simulation);
      case "simulation" -> new AgentOptions(filter, report, weave, jdk, jmx, isOn(name, value));
      default ->
          throw new IllegalArgumentException(
              "turnwise-agent knows no option \""
                  + option
                  + "\"; it knows include=PATTERN, exclude=PATTERN, report=FILE, weave=on|off,"
                  + " jdk=on|off, jmx=on|off, simulation=on|off");
    };
  }

  private static boolean isOn(String name, String value) {
    return switch (value) {
      case "on" -> true;
      case "off" -> false;
      default ->
          throw new IllegalArgumentException(
              "turnwise-agent: " + name + "=" + value + "; write " + name + "=on or =off");
    };
  }
}
