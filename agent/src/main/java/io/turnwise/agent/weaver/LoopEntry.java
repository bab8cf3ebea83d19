package io.turnwise.agent.weaver;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LineNumberNode;
import org.objectweb.asm.tree.LocalVariableAnnotationNode;
import org.objectweb.asm.tree.LocalVariableNode;
import org.objectweb.asm.tree.LookupSwitchInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TableSwitchInsnNode;
import org.objectweb.asm.tree.TryCatchBlockNode;

/** Puts code before a loop, passed by whoever comes to its top from outside. */
final class LoopEntry {
  private final MethodNode method;
  private final LabelNode top;
  private final Predicate<AbstractInsnNode> isInside;

  /**
   * @param isInside of the nodes of the loop: jumps from there go to the top as before
   */
  LoopEntry(MethodNode method, LabelNode top, Predicate<AbstractInsnNode> isInside) {
    this.method = method;
    this.top = top;
    this.isInside = isInside;
  }

  /** Returns the frame that this needed, if any. */
  @Nullable FrameNode insert(InsnList code) {
    var enter = new LabelNode();
    FrameNode frame = redirectTo(enter) ? Instructions.frameAt(top) : null;
    FrameNode copy = frame == null ? null : Instructions.copy(frame);
    if (copy != null) code.insert(copy);
    LineNumberNode line = lineOf(top);
    if (line != null) code.insert(new LineNumberNode(line.line, enter));
    code.insert(enter);
    method.instructions.insertBefore(top, code);
    if (method.localVariables != null)
      for (LocalVariableNode variable : method.localVariables)
        if (variable.start == top) variable.start = enter;
    for (LocalVariableAnnotationNode annotation : Instructions.variableAnnotations(method))
      annotation.start.replaceAll(it -> it == top ? enter : it);
    // What stands here is in the same ranges as the top.
    for (TryCatchBlockNode range : method.tryCatchBlocks) {
      if (range.start == top) range.start = enter;
      if (range.end == top) range.end = enter;
    }
    return copy;
  }

  private static @Nullable LineNumberNode lineOf(LabelNode label) {
    for (AbstractInsnNode node = label; node != null && node.getOpcode() < 0; node = node.getNext())
      if (node instanceof LineNumberNode line) return line;
    return null;
  }

  /** Returns whether anything jumped. */
  private boolean redirectTo(LabelNode enter) {
    boolean any = false;
    for (AbstractInsnNode node : method.instructions) {
      if (isInside.test(node) || !targets(node).contains(top)) continue;
      any = true;
      switch (node) {
        case JumpInsnNode jump -> jump.label = enter;
        case TableSwitchInsnNode table -> {
          table.labels.replaceAll(it -> it == top ? enter : it);
          if (table.dflt == top) table.dflt = enter;
        }
        case LookupSwitchInsnNode table -> {
          table.labels.replaceAll(it -> it == top ? enter : it);
          if (table.dflt == top) table.dflt = enter;
        }
        default -> throw new IllegalStateException("opcode " + node.getOpcode() + " jumps nowhere");
      }
    }
    return any;
  }

  /** Where an instruction may jump to. */
  static List<LabelNode> targets(AbstractInsnNode node) {
    return switch (node) {
      case JumpInsnNode jump -> List.of(jump.label);
      case TableSwitchInsnNode table -> with(table.dflt, table.labels);
      case LookupSwitchInsnNode table -> with(table.dflt, table.labels);
      default -> List.of();
    };
  }

  private static List<LabelNode> with(LabelNode one, List<LabelNode> others) {
    List<LabelNode> all = new ArrayList<>(others);
    all.add(one);
    return all;
  }
}
