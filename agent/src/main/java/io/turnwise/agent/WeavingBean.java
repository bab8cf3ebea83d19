package io.turnwise.agent;

import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import javax.management.JMException;
import javax.management.ObjectName;

/** Answers from the report as it is when asked. */
final class WeavingBean implements WeavingMXBean {
  private final Supplier<WeavingReport> report;

  private WeavingBean(Supplier<WeavingReport> report) {
    this.report = report;
  }

  /** On demand only: touching management before main decides which log manager a server gets. */
  static void register(Supplier<WeavingReport> report) {
    try {
      ManagementFactory.getPlatformMBeanServer()
          .registerMBean(new WeavingBean(report), new ObjectName("io.turnwise:type=Weaving"));
    } catch (JMException e) {
      System.err.println("turnwise-agent has no management bean: " + e);
    }
  }

  @Override
  public long getClasses() {
    return report.get().classes();
  }

  @Override
  public long getWovenClasses() {
    return report.get().wovenClasses();
  }

  @Override
  public long getLateClasses() {
    return report.get().lateClasses();
  }

  @Override
  public long getMethods() {
    return report.get().methods();
  }

  @Override
  public long getWovenMethods() {
    return report.get().wovenMethods();
  }

  @Override
  public Map<String, Long> getPolls() {
    return byName(report.get().polls());
  }

  @Override
  public Map<String, Long> getRedirected() {
    return byName(report.get().redirected());
  }

  @Override
  public Map<String, Long> getSkipped() {
    return byName(report.get().skipped());
  }

  @Override
  public String report() {
    return report.get().text();
  }

  private static <E extends Enum<E>> Map<String, Long> byName(Map<E, Long> counts) {
    Map<String, Long> named = new TreeMap<>();
    counts.forEach((one, count) -> named.put(one.name(), count));
    return named;
  }
}
