package io.turnwise.agent.weaver;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * A loop as compilers write {@code do … while (i < limit)}, and Kotlin's {@code for (i in first..
 * last)}: like a {@link CountedLoop}, but its test stands at its end, and the first round is run
 * whatever the test says. Kotlin's compiler has two forms of it:
 *
 * <pre>
 *   do { v = i; i += 1; BODY } while (i &lt;= last)
 *   do { v = i; i += 1; BODY } while (v != last)     // if last may be the largest int
 * </pre>
 *
 * @param counted what pushes what is compared, at the end: the variable, or the variable and a
 *     constant added; in the second form the variable's copy
 * @param copied in the second form, the variable that the copy is of; -1 in the first
 * @param limit what pushes the limit
 * @param constantLimit the limit, where it is known
 * @param staysWhen the jump that goes back where first {@code counted} and then {@code limit} were
 *     pushed
 * @param test the first instruction of the test
 * @param back the jump that ends the test, back to the top
 */
record DoLoop(
    List<AbstractInsnNode> counted,
    int copied,
    int step,
    List<AbstractInsnNode> limit,
    @Nullable Integer constantLimit,
    int staysWhen,
    AbstractInsnNode test,
    JumpInsnNode back) {

  boolean isUntilEqual() {
    return copied >= 0;
  }

  /** What pushes what the next round will compare; without the copy, which is not made yet. */
  List<AbstractInsnNode> next() {
    return isUntilEqual() ? List.of(new VarInsnNode(Opcodes.ILOAD, copied)) : counted;
  }

  /** The same as a loop with its test at the top: what a strip of it is reckoned by. */
  CountedLoop counting() {
    return new CountedLoop(
        next(), step, limit, constantLimit, back, LoopTurner.opposite(staysWhen), back);
  }

  /** Whether the limit can be asked for before the first round, as nothing is thrown by that. */
  boolean mayAskAtOnce() {
    for (AbstractInsnNode part : limit)
      switch (part.getOpcode()) {
        case Opcodes.ARRAYLENGTH, Opcodes.GETFIELD, Opcodes.GETSTATIC, Opcodes.INVOKEVIRTUAL -> {
          return false;
        }
        default -> {} // pushes or reckons with a number
      }
    return true;
  }
}
