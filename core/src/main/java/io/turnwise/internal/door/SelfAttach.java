package io.turnwise.internal.door;

import com.sun.tools.attach.VirtualMachine;

/** Runs in a short-lived child JVM: loads the agent into the process that started it. */
final class SelfAttach {
  private SelfAttach() {}

  public static void main(String[] arguments) throws Exception {
    VirtualMachine machine = VirtualMachine.attach(arguments[0]);
    try {
      machine.loadAgent(arguments[1]);
    } finally {
      machine.detach();
    }
  }
}
