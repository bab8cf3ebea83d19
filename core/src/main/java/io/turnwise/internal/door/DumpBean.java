package io.turnwise.internal.door;

import java.lang.management.ManagementFactory;
import java.util.function.Supplier;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.JMException;
import javax.management.MBeanInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.ObjectName;
import javax.management.ReflectionException;
import org.jspecify.annotations.Nullable;

/** Answers who asks a running process for a dump: {@code io.turnwise:type=ActorSystem,name=…}. */
public final class DumpBean implements DynamicMBean {
  private static final System.Logger LOG = System.getLogger("io.turnwise");
  private static final String DUMP = "dump";

  private final String system;
  private final Supplier<String> dump;
  private @Nullable ObjectName registered;

  public DumpBean(String system, Supplier<String> dump) {
    this.system = system;
    this.dump = dump;
  }

  public void register() {
    try {
      var bean =
          new ObjectName(
              "io.turnwise:type=ActorSystem,name="
                  + ObjectName.quote(system)
                  + ",id="
                  + Integer.toHexString(System.identityHashCode(this)));
      ManagementFactory.getPlatformMBeanServer().registerMBean(this, bean);
      registered = bean;
    } catch (JMException e) {
      LOG.log(System.Logger.Level.INFO, "System " + system + " cannot be dumped from outside", e);
    }
  }

  public void unregister() {
    ObjectName bean = registered;
    if (bean == null) return;
    registered = null;
    try {
      ManagementFactory.getPlatformMBeanServer().unregisterMBean(bean);
    } catch (JMException e) {
      LOG.log(System.Logger.Level.DEBUG, "The bean of " + system + " was gone already", e);
    }
  }

  @Override
  public Object invoke(String operation, Object[] arguments, String[] signature)
      throws ReflectionException {
    if (!DUMP.equals(operation))
      throw new ReflectionException(new NoSuchMethodException(operation));
    return dump.get();
  }

  @Override
  public Object getAttribute(String attribute) throws AttributeNotFoundException {
    throw new AttributeNotFoundException(attribute);
  }

  @Override
  public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
    throw new AttributeNotFoundException(attribute.getName());
  }

  @Override
  public AttributeList getAttributes(String[] attributes) {
    return new AttributeList();
  }

  @Override
  public AttributeList setAttributes(AttributeList attributes) {
    return new AttributeList();
  }

  @Override
  public MBeanInfo getMBeanInfo() {
    var dump =
        new MBeanOperationInfo(
            DUMP,
            "The whole system as text",
            new MBeanParameterInfo[0],
            String.class.getName(),
            MBeanOperationInfo.INFO);
    return new MBeanInfo(
        getClass().getName(),
        "A Turnwise actor system",
        null,
        null,
        new MBeanOperationInfo[] {dump},
        null);
  }
}
