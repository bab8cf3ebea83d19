package io.turnwise.agent.weaver;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.MethodInsnNode;

/**
 * The static methods without arguments that polls call.
 *
 * @param owner the class's name as bytecode writes it, with slashes
 * @param method in loops
 * @param atCalls before calls that recursion may pass
 * @param atCleanUp before calls that are made on the way out, too
 */
public record PollTarget(String owner, String method, String atCalls, String atCleanUp) {
  /** Where user code polls; core has it. */
  public static final PollTarget SAFEPOINT =
      new PollTarget("io/turnwise/weaving/Safepoint", "poll", "pollCall", "pollPause");

  /** The same everywhere. */
  public PollTarget(String owner, String method) {
    this(owner, method, method, method);
  }

  /** Neither takes nor leaves anything on the stack, so every stack map around it stays true. */
  MethodInsnNode poll() {
    return callOf(method);
  }

  /** The same before a call. */
  MethodInsnNode pollAtCall(boolean cleansUp) {
    return callOf(cleansUp ? atCleanUp : atCalls);
  }

  private MethodInsnNode callOf(String name) {
    return new MethodInsnNode(Opcodes.INVOKESTATIC, owner, name, "()V", false);
  }

  /** Whether a loop that passes a poll before a call needs no other. */
  boolean callsServeLoops() {
    return atCalls.equals(method);
  }
}
