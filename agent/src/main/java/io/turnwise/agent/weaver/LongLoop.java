package io.turnwise.agent.weaver;

import java.util.List;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.JumpInsnNode;

/**
 * A loop as compilers write {@code for (…; i < limit; i++)} where the variable is a long: otherwise
 * like a {@link CountedLoop} whose step is one, up or down.
 *
 * @param variable the local variable that is counted
 * @param limit what pushes the limit
 * @param test the conditional jump that leaves the loop, behind the comparison of both
 * @param back the jump back to the top
 */
record LongLoop(
    int variable,
    boolean goesUp,
    List<AbstractInsnNode> limit,
    JumpInsnNode test,
    JumpInsnNode back) {}
