package io.turnwise.agent.weaver;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.MethodInsnNode;

/**
 * The static method without arguments that a poll calls.
 *
 * @param owner the class's name as bytecode writes it, with slashes
 */
public record PollTarget(String owner, String method) {
  /** Where user code polls; core has it. */
  public static final PollTarget SAFEPOINT =
      new PollTarget("io/turnwise/weaving/Safepoint", "poll");

  /** Neither takes nor leaves anything on the stack, so every stack map around it stays true. */
  MethodInsnNode poll() {
    return new MethodInsnNode(Opcodes.INVOKESTATIC, owner, method, "()V", false);
  }
}
