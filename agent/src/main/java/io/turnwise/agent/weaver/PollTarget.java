package io.turnwise.agent.weaver;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.MethodInsnNode;

/**
 * The static methods without arguments that polls call.
 *
 * @param owner the class's name as bytecode writes it, with slashes
 * @param method in loops
 * @param atCalls before calls that recursion may pass
 */
public record PollTarget(String owner, String method, String atCalls) {
  /** Where user code polls; core has it. */
  public static final PollTarget SAFEPOINT =
      new PollTarget("io/turnwise/weaving/Safepoint", "poll", "pollCall");

  /** The same everywhere. */
  public PollTarget(String owner, String method) {
    this(owner, method, method);
  }

  /** Neither takes nor leaves anything on the stack, so every stack map around it stays true. */
  MethodInsnNode poll() {
    return new MethodInsnNode(Opcodes.INVOKESTATIC, owner, method, "()V", false);
  }

  /** The same before a call. */
  MethodInsnNode pollAtCall() {
    return new MethodInsnNode(Opcodes.INVOKESTATIC, owner, atCalls, "()V", false);
  }

  /** Whether a loop that passes a poll before a call needs no other. */
  boolean callsServeLoops() {
    return atCalls.equals(method);
  }
}
