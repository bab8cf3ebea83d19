package io.turnwise.agent.weaver;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.JumpInsnNode;

/**
 * A loop as compilers write {@code for (…; i < limit; i += step)}: one test at the top and nothing
 * else there, one branch back, one step of the variable in the block that ends with it, and a limit
 * that cannot change meanwhile.
 *
 * @param test the conditional jump that leaves the loop, at the top
 * @param limit what pushes the limit; empty where the test is against zero
 * @param constantLimit the limit, where it is known
 * @param back the jump back to the top
 */
record CountedLoop(
    int variable,
    int step,
    JumpInsnNode test,
    List<AbstractInsnNode> limit,
    @Nullable Integer constantLimit,
    JumpInsnNode back) {

  boolean goesUp() {
    return step > 0;
  }

  /** Whether the round in which the variable equals the limit is still run. */
  boolean isInclusive() {
    return switch (test.getOpcode()) {
      case Opcodes.IF_ICMPGT, Opcodes.IF_ICMPLT, Opcodes.IFGT, Opcodes.IFLT -> true;
      default -> false;
    };
  }

  /** Whether the variable may pass the largest or smallest int on its way beyond the limit. */
  boolean mayWrap() {
    if (constantLimit != null) {
      long beyond = (long) constantLimit + step;
      return beyond != (int) beyond;
    }
    return isInclusive() || step != 1 && step != -1;
  }
}
