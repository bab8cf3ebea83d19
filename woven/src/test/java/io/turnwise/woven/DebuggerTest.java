package io.turnwise.woven;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.LocalVariable;
import com.sun.jdi.Location;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.StackFrame;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.request.BreakpointRequest;
import com.sun.jdi.request.ClassPrepareRequest;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A debugger stops a handler in the middle of a woven loop, looks, and lets it go on. */
class DebuggerTest {
  private static final int STOPS = 3;

  @TempDir Path folder;

  @Test
  void aBreakpointInAWovenLoopIsHitAndLeft() throws Exception {
    ChildJvm jvm =
        new ChildJvm(folder)
            .withWeaving()
            .with("-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:0");
    Process child = jvm.start();
    VirtualMachine machine = attach(portOf(child.inputReader()));
    ClassPrepareRequest prepared = machine.eventRequestManager().createClassPrepareRequest();
    prepared.addClassFilter(ServingProgram.class.getName());
    prepared.enable();
    int stops = 0;
    while (stops < STOPS) {
      EventSet events = machine.eventQueue().remove(20_000);
      assertThat(events).as("events within 20 s").isNotNull();
      for (Event event : events) {
        if (event instanceof ClassPrepareEvent ready) stopInLoop(machine, ready.referenceType());
        if (event instanceof BreakpointEvent stopped) {
          assertThat(namesIn(stopped)).contains("begun", "x");
          if (++stops == STOPS) stopped.request().disable();
        }
      }
      events.resume();
    }
    machine.dispose();
    jvm.check(child);
  }

  private static void stopInLoop(VirtualMachine machine, ReferenceType type) throws Exception {
    // The fifth line of the method is the second of its loop.
    var lines = type.methodsByName("spin").getFirst().allLineLocations();
    Location inLoop =
        lines.stream()
            .filter(it -> it.lineNumber() == lines.getFirst().lineNumber() + 4)
            .findFirst()
            .orElseThrow();
    BreakpointRequest stop = machine.eventRequestManager().createBreakpointRequest(inLoop);
    stop.enable();
  }

  private static List<String> namesIn(BreakpointEvent stopped) throws Exception {
    StackFrame frame = stopped.thread().frame(0);
    return frame.visibleVariables().stream().map(LocalVariable::name).toList();
  }

  private static String portOf(BufferedReader said) throws Exception {
    String line = said.readLine();
    assertThat(line).contains("Listening for transport");
    return line.substring(line.lastIndexOf(':') + 1).strip();
  }

  private static VirtualMachine attach(String port) throws Exception {
    AttachingConnector bySocket =
        Bootstrap.virtualMachineManager().attachingConnectors().stream()
            .filter(it -> it.transport().name().equals("dt_socket"))
            .findFirst()
            .orElseThrow();
    Map<String, Connector.Argument> arguments = bySocket.defaultArguments();
    arguments.get("hostname").setValue("127.0.0.1");
    arguments.get("port").setValue(port);
    return bySocket.attach(arguments);
  }
}
