package io.turnwise.internal.door;

import com.sun.tools.attach.VirtualMachine;

/**
 * Runs in a short-lived child JVM: loads the agent into the process that started it. What goes
 * wrong is said in one line on the output, for the error that the parent will throw.
 */
final class SelfAttach {
  private SelfAttach() {}

  public static void main(String[] arguments) {
    try {
      VirtualMachine machine = VirtualMachine.attach(arguments[0]);
      try {
        machine.loadAgent(arguments[1]);
      } finally {
        machine.detach();
      }
    } catch (Exception | LinkageError e) { // linkage: a Java image without the module jdk.attach
      String message = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      System.out.println(e.getClass().getSimpleName() + ": " + message);
      System.exit(1);
    }
  }
}
