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
 * @param counted what pushes the variable, or the variable and a constant added
 * @param limit what pushes the limit
 * @param constantLimit the limit, where it is known
 * @param test the conditional jump that leaves the loop, at the top
 * @param leavesWhen the jump that leaves the loop where first {@code counted} and then {@code
 *     limit} were pushed
 * @param back the jump back to the top
 */
record CountedLoop(
    List<AbstractInsnNode> counted,
    int step,
    List<AbstractInsnNode> limit,
    @Nullable Integer constantLimit,
    JumpInsnNode test,
    int leavesWhen,
    JumpInsnNode back) {

  boolean goesUp() {
    return step > 0;
  }

  /** Whether the round in which both are equal is still run. */
  boolean isInclusive() {
    return leavesWhen == Opcodes.IF_ICMPGT || leavesWhen == Opcodes.IF_ICMPLT;
  }

  /** Whether what is counted may pass the largest or smallest int on its way beyond the limit. */
  boolean mayWrap() {
    if (constantLimit != null) {
      long beyond = (long) constantLimit + step;
      return beyond != (int) beyond;
    }
    return isInclusive() || step != 1 && step != -1;
  }
}
