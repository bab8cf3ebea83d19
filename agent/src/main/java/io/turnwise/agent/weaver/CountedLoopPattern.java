package io.turnwise.agent.weaver;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.IincInsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.VarInsnNode;

/** Recognises a {@link CountedLoop}. */
final class CountedLoopPattern {
  /** Beyond this, a strip would be short of rounds. */
  private static final int LARGEST_STEP = 1024;

  private final FlowGraph graph;
  private final BackEdge edge;
  private final String owner;
  private final Set<FieldKey> ordinaryFields;

  /**
   * @param owner the class that the loop is in
   * @param ordinaryFields those of its fields that are not volatile
   */
  CountedLoopPattern(FlowGraph graph, BackEdge edge, String owner, Set<FieldKey> ordinaryFields) {
    this.graph = graph;
    this.edge = edge;
    this.owner = owner;
    this.ordinaryFields = ordinaryFields;
  }

  @Nullable CountedLoop match() {
    if (!edge.isEnteredAtTarget() || edge.from() == edge.to() || edge.byException()) return null;
    if (!(graph.last(edge.from()) instanceof JumpInsnNode back) || back.getOpcode() != Opcodes.GOTO)
      return null;
    List<AbstractInsnNode> top = graph.instructions(edge.to());
    if (!(top.getFirst() instanceof VarInsnNode load)
        || load.getOpcode() != Opcodes.ILOAD
        || !(top.getLast() instanceof JumpInsnNode test)
        || edge.body().get(graph.blockOf(test.label))
        || !isEnclosed()) return null;
    IincInsnNode step = onlyStep(load.var);
    if (step == null || !leaves(test, step.incr)) return null;
    List<AbstractInsnNode> limit = List.copyOf(top.subList(1, top.size() - 1));
    boolean againstZero = Opcodes.IFEQ <= test.getOpcode() && test.getOpcode() <= Opcodes.IFLE;
    if (againstZero ? !limit.isEmpty() : !isSteady(limit)) return null;
    Integer constant = againstZero ? Integer.valueOf(0) : Instructions.pushed(limit.getFirst());
    return new CountedLoop(load.var, step.incr, test, limit, constant, back);
  }

  /** Whether nothing leads into the body but its top, not even code that never runs. */
  private boolean isEnclosed() {
    for (int block = 0; block < graph.blocks(); block++) {
      boolean top = block == edge.to();
      if (edge.body().get(block) && !top) continue;
      for (int handler : graph.covers(block)) if (isBelowTop(handler)) return false;
      for (int next : graph.successors(block)) if (!top && isBelowTop(next)) return false;
    }
    return true;
  }

  private boolean isBelowTop(int block) {
    return block != edge.to() && edge.body().get(block);
  }

  /** The one step of the variable, if it is taken once in every round and nothing else writes. */
  private @Nullable IincInsnNode onlyStep(int variable) {
    IincInsnNode found = null;
    for (AbstractInsnNode instruction : graph.instructions(edge.body())) {
      if (!Instructions.writes(instruction, variable)) continue;
      if (found != null || !(instruction instanceof IincInsnNode step)) return null;
      found = step;
    }
    if (found == null || !graph.instructions(edge.from()).contains(found)) return null;
    return found.incr != 0 && Math.abs(found.incr) <= LARGEST_STEP ? found : null;
  }

  /** Whether the test ends the loop when the variable has passed the limit. */
  private static boolean leaves(JumpInsnNode test, int step) {
    return switch (test.getOpcode()) {
      case Opcodes.IF_ICMPGE, Opcodes.IF_ICMPGT, Opcodes.IFGE, Opcodes.IFGT -> step > 0;
      case Opcodes.IF_ICMPLE, Opcodes.IF_ICMPLT, Opcodes.IFLE, Opcodes.IFLT -> step < 0;
      default -> false;
    };
  }

  private boolean isSteady(List<AbstractInsnNode> limit) {
    if (limit.isEmpty() || limit.size() > 2) return false;
    AbstractInsnNode first = limit.getFirst();
    if (limit.size() == 1) {
      if (first instanceof FieldInsnNode field)
        return first.getOpcode() == Opcodes.GETSTATIC && isQuiet(field);
      return Instructions.pushed(first) != null
          || first.getOpcode() == Opcodes.ILOAD && isUnchanged(first);
    }
    if (first.getOpcode() != Opcodes.ALOAD || !isUnchanged(first)) return false;
    return switch (limit.getLast()) {
      case MethodInsnNode call ->
          call.owner.equals("java/lang/String") && call.name.equals("length");
      case FieldInsnNode field -> field.getOpcode() == Opcodes.GETFIELD && isQuiet(field);
      case AbstractInsnNode other -> other.getOpcode() == Opcodes.ARRAYLENGTH;
    };
  }

  private boolean isUnchanged(AbstractInsnNode load) {
    int variable = ((VarInsnNode) load).var;
    return graph.instructions(edge.body()).stream()
        .noneMatch(it -> Instructions.writes(it, variable));
  }

  /**
   * Whether the loop may read the field once for many rounds: nothing in it writes a field, or
   * makes another thread's writes be seen.
   */
  private boolean isQuiet(FieldInsnNode limit) {
    return isOrdinary(limit)
        && graph.instructions(edge.body()).stream().allMatch(this::keepsFieldsAsTheyAre);
  }

  private boolean keepsFieldsAsTheyAre(AbstractInsnNode instruction) {
    int opcode = instruction.getOpcode();
    return switch (opcode) {
      case Opcodes.GETFIELD, Opcodes.GETSTATIC -> isOrdinary((FieldInsnNode) instruction);
      case Opcodes.MONITORENTER, Opcodes.MONITOREXIT -> false;
      default -> opcode < Opcodes.PUTSTATIC || opcode > Opcodes.INVOKEDYNAMIC;
    };
  }

  /** Not volatile, as far as this class alone can tell. */
  private boolean isOrdinary(FieldInsnNode field) {
    return field.owner.equals(owner)
        && ordinaryFields.contains(new FieldKey(field.name, field.desc));
  }

  /** A field within its class. */
  record FieldKey(String name, String descriptor) {}
}
