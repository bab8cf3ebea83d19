package io.turnwise.internal.door;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** Asks a running process for the dumps of its actor systems: {@code ./turnwise dump PID}. */
public final class DumpClient {
  private DumpClient() {}

  @SuppressWarnings("BanJNDI") // a local process of the same user, addressed by its own agent
  public static void main(String[] arguments) throws Exception {
    if (arguments.length != 1 || !arguments[0].matches("\\d+")) {
      System.err.println("usage: dump PID   (jps lists the Java processes of this user)");
      System.exit(2);
    }
    String address;
    try {
      VirtualMachine machine = VirtualMachine.attach(arguments[0]);
      try {
        address = machine.startLocalManagementAgent();
      } finally {
        machine.detach();
      }
    } catch (AttachNotSupportedException | IOException e) {
      System.err.println("Process " + arguments[0] + " cannot be asked: " + e.getMessage());
      System.exit(1);
      return;
    }
    try (var connector = JMXConnectorFactory.connect(new JMXServiceURL(address))) {
      MBeanServerConnection server = connector.getMBeanServerConnection();
      var systems = server.queryNames(new ObjectName("io.turnwise:type=ActorSystem,*"), null);
      if (systems.isEmpty()) System.err.println("Process " + arguments[0] + " has no actor system");
      for (ObjectName system : systems)
        System.out.println(server.invoke(system, "dump", new Object[0], new String[0]));
    }
  }
}
