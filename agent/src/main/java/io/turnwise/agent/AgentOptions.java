package io.turnwise.agent;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What may follow {@code -javaagent:turnwise-agent.jar=}, separated by commas: {@code
 * include=PATTERN} and {@code exclude=PATTERN}, as often as needed, the last that matches decides;
 * {@code report=FILE}, written when the JVM ends; {@code weave=off} to only open the JDK's door;
 * {@code jdk=off} to leave the JDK's own classes alone; {@code jmx=on} to show the report as a
 * management bean.
 */
record AgentOptions(
    WeavingFilter filter, @Nullable Path report, boolean weave, boolean jdk, boolean jmx) {
  static final AgentOptions DEFAULT =
      new AgentOptions(WeavingFilter.usual(), null, true, true, false);

  static AgentOptions parse(@Nullable String text) {
    AgentOptions options = DEFAULT;
    if (text == null || text.isBlank()) return options;
    for (String option : text.split(",")) options = options.with(option.strip());
    return options;
  }

  private AgentOptions with(String option) {
    int equals = option.indexOf('=');
    String name = equals < 0 ? option : option.substring(0, equals);
    String value = equals < 0 ? "" : option.substring(equals + 1);
    return switch (name) {
      case "include" -> new AgentOptions(filter.including(value), report, weave, jdk, jmx);
      case "exclude" -> new AgentOptions(filter.excluding(value), report, weave, jdk, jmx);
      case "report" -> new AgentOptions(filter, Path.of(value), weave, jdk, jmx);
      case "weave" -> new AgentOptions(filter, report, isOn(name, value), jdk, jmx);
      case "jdk" -> new AgentOptions(filter, report, weave, isOn(name, value), jmx);
      case "jmx" -> new AgentOptions(filter, report, weave, jdk, isOn(name, value));
      default ->
          throw new IllegalArgumentException(
              "turnwise-agent knows no option \""
                  + option
                  + "\"; it knows include=PATTERN, exclude=PATTERN, report=FILE, weave=on|off,"
                  + " jdk=on|off, jmx=on|off");
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
