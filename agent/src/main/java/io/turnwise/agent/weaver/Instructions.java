package io.turnwise.agent.weaver;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.IincInsnNode;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.LocalVariableAnnotationNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.VarInsnNode;

/** Reading and writing single instructions. */
final class Instructions {
  private Instructions() {}

  /** The shortest that pushes the number. */
  static AbstractInsnNode push(int number) {
    if (-1 <= number && number <= 5) return new InsnNode(Opcodes.ICONST_0 + number);
    if (number == (byte) number) return new IntInsnNode(Opcodes.BIPUSH, number);
    if (number == (short) number) return new IntInsnNode(Opcodes.SIPUSH, number);
    return new LdcInsnNode(number);
  }

  /** The number that the instruction pushes; null when it pushes something else. */
  static @Nullable Integer pushed(AbstractInsnNode instruction) {
    int opcode = instruction.getOpcode();
    if (Opcodes.ICONST_M1 <= opcode && opcode <= Opcodes.ICONST_5) return opcode - Opcodes.ICONST_0;
    if (instruction instanceof IntInsnNode number && opcode != Opcodes.NEWARRAY)
      return number.operand;
    return instruction instanceof LdcInsnNode constant && constant.cst instanceof Integer number
        ? number
        : null;
  }

  /** Whether the instruction changes the local variable. */
  static boolean writes(AbstractInsnNode instruction, int variable) {
    if (instruction instanceof IincInsnNode step) return step.var == variable;
    if (!(instruction instanceof VarInsnNode access)) return false;
    return switch (access.getOpcode()) {
      case Opcodes.ISTORE, Opcodes.FSTORE, Opcodes.ASTORE -> access.var == variable;
      case Opcodes.LSTORE, Opcodes.DSTORE -> access.var == variable || access.var + 1 == variable;
      default -> false;
    };
  }

  static FrameNode copy(FrameNode frame) {
    return new FrameNode(
        Opcodes.F_NEW,
        frame.local.size(),
        frame.local.toArray(),
        frame.stack.size(),
        frame.stack.toArray());
  }

  /** The frame that holds at the label; null when none is written there. */
  static @Nullable FrameNode frameAt(LabelNode label) {
    for (AbstractInsnNode node = label; node != null; node = node.getNext()) {
      if (node instanceof FrameNode frame) return frame;
      if (node.getOpcode() >= 0) return null;
    }
    return null;
  }

  /** Those of the types of local variables, which have ranges like the variables. */
  static List<LocalVariableAnnotationNode> variableAnnotations(MethodNode method) {
    List<LocalVariableAnnotationNode> all = new ArrayList<>();
    if (method.visibleLocalVariableAnnotations != null)
      all.addAll(method.visibleLocalVariableAnnotations);
    if (method.invisibleLocalVariableAnnotations != null)
      all.addAll(method.invisibleLocalVariableAnnotations);
    return all;
  }
}
