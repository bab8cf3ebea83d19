package io.turnwise.agent;

import java.util.ArrayList;
import java.util.List;

/**
 * Which classes are woven: all, but for those that a rule excludes. Of the rules that match a
 * class, the last decides, so that a user's rules, which come after the built-in ones, win.
 *
 * <p>A pattern is a class name in which {@code *} stands for any part of a name and {@code **} for
 * any part of a path: {@code com.shop.**} is everything below {@code com.shop}.
 */
public final class WeavingFilter {
  /** Code that runs below, beside or instead of the user's, and gains nothing by being woven. */
  private static final String[] INFRASTRUCTURE = {
    // the JDK has a list of its own: see JdkClasses
    "java.**",
    "javax.**",
    "jdk.**",
    "sun.**",
    "com.sun.**",
    // ourselves: what stops a turn must not be stopped; a test compares this with our modules
    "io.turnwise.*",
    "io.turnwise.internal.**",
    "io.turnwise.mailbox.**",
    "io.turnwise.observation.**",
    "io.turnwise.scheduling.**",
    "io.turnwise.supervision.**",
    "io.turnwise.testkit.**",
    "io.turnwise.time.**",
    "io.turnwise.weaving.**",
    "io.turnwise.agent.**",
    // other agents, profilers and debuggers
    "org.jacoco.**",
    "io.opentelemetry.javaagent.**",
    "net.bytebuddy.**",
    "org.objectweb.asm.**",
    "com.intellij.rt.**",
    "one.profiler.**",
    // what runs tests and benchmarks
    "org.junit.**",
    "org.testng.**",
    "org.opentest4j.**",
    "org.apache.maven.**",
    "org.gradle.**",
    "worker.org.gradle.**",
    "org.openjdk.jmh.**",
    "org.openjdk.jcstress.**",
    // loggers hold locks that everybody waits for
    "org.slf4j.**",
    "ch.qos.logback.**",
    "org.apache.logging.**",
    "org.apache.log4j.**",
    "org.jboss.logmanager.**",
  };

  private record Rule(String pattern, boolean includes) {}

  private final List<Rule> rules;

  private WeavingFilter(List<Rule> rules) {
    this.rules = rules;
  }

  /** User code in, infrastructure out. */
  public static WeavingFilter usual() {
    var filter = new WeavingFilter(List.of());
    for (String pattern : INFRASTRUCTURE) filter = filter.excluding(pattern);
    return filter;
  }

  public WeavingFilter including(String pattern) {
    return with(pattern, true);
  }

  public WeavingFilter excluding(String pattern) {
    return with(pattern, false);
  }

  private WeavingFilter with(String pattern, boolean includes) {
    if (pattern.isBlank() || pattern.indexOf('/') >= 0)
      throw new IllegalArgumentException(
          "the pattern \""
              + pattern
              + "\" matches no class; write a name with dots, such as com.shop.**");
    var more = new ArrayList<>(rules);
    more.add(new Rule(pattern.strip().replace('.', '/'), includes));
    return new WeavingFilter(List.copyOf(more));
  }

  /**
   * @param internalName with slashes
   */
  public boolean includes(String internalName) {
    for (int i = rules.size() - 1; i >= 0; i--) {
      Rule rule = rules.get(i);
      if (matches(rule.pattern(), 0, internalName, 0)) return rule.includes();
    }
    return true;
  }

  /** Not by java.util.regex: this runs while classes load, and regular expressions are woven. */
  private static boolean matches(String pattern, int p, String name, int n) {
    while (p < pattern.length()) {
      if (pattern.charAt(p) == '*') {
        boolean deep = pattern.startsWith("**", p);
        int rest = deep ? p + 2 : p + 1;
        for (int end = n; ; end++) {
          if (matches(pattern, rest, name, end)) return true;
          if (end == name.length() || !deep && name.charAt(end) == '/') return false;
        }
      }
      if (n == name.length() || pattern.charAt(p) != name.charAt(n)) return false;
      p++;
      n++;
    }
    return n == name.length();
  }
}
