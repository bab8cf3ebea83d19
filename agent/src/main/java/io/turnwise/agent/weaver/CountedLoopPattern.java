package io.turnwise.agent.weaver;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.IincInsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.VarInsnNode;

/** Recognises a {@link CountedLoop}, a {@link LongLoop} and a {@link DoLoop}. */
final class CountedLoopPattern {
  /** Beyond this, a strip would be short of rounds. */
  private static final int LARGEST_STEP = 1024;

  /** The comparisons with zero stand in the same order as those of two numbers. */
  private static final int FROM_ZERO_TO_TWO = Opcodes.IF_ICMPEQ - Opcodes.IFEQ;

  private static final List<AbstractInsnNode> ZERO = List.of(Instructions.push(0));

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
    JumpInsnNode back = back();
    JumpInsnNode test = test();
    if (back == null || test == null) return null;
    List<AbstractInsnNode> top = List.of(graph.instructions(edge.to()));
    List<AbstractInsnNode> operands = top.subList(0, top.size() - 1);
    if (isAgainstZero(test.getOpcode()))
      return match(operands, ZERO, test, test.getOpcode() + FROM_ZERO_TO_TWO, back);
    int split = secondOperand(operands);
    if (split < 0) return null;
    List<AbstractInsnNode> first = operands.subList(0, split);
    List<AbstractInsnNode> second = operands.subList(split, operands.size());
    CountedLoop found = match(first, second, test, test.getOpcode(), back);
    return found != null ? found : match(second, first, test, mirrored(test.getOpcode()), back);
  }

  /** The one jump back to the top; null where the loop has another shape. */
  private @Nullable JumpInsnNode back() {
    if (!edge.isEnteredAtTarget() || edge.from() == edge.to() || edge.byException()) return null;
    return graph.last(edge.from()) instanceof JumpInsnNode back && back.getOpcode() == Opcodes.GOTO
        ? back
        : null;
  }

  /** The jump out of the loop that ends its top; null where the loop has another shape. */
  private @Nullable JumpInsnNode test() {
    AbstractInsnNode[] top = graph.instructions(edge.to());
    return top.length > 0
            && top[top.length - 1] instanceof JumpInsnNode test
            && !edge.body().get(graph.blockOf(test.label))
            && isEnclosed()
        ? test
        : null;
  }

  /**
   * A variable that goes up or down by one in every round, whatever the loop is left by; null where
   * there is none, or the loop has another shape.
   */
  @Nullable IincInsnNode matchStep() {
    if (back() == null || !isEnclosed() || isTopHandler()) return null;
    for (AbstractInsnNode instruction : graph.instructions(edge.from()))
      if (instruction instanceof IincInsnNode step
          && (step.incr == 1 || step.incr == -1)
          && onlyStep(step.var) == step) return step;
    return null;
  }

  @Nullable LongLoop matchLong() {
    JumpInsnNode back = back();
    JumpInsnNode test = test();
    if (back == null || test == null) return null;
    List<AbstractInsnNode> top = List.of(graph.instructions(edge.to()));
    if (top.size() < 4
        || top.get(top.size() - 2).getOpcode() != Opcodes.LCMP
        || !(top.getFirst() instanceof VarInsnNode counted)
        || counted.getOpcode() != Opcodes.LLOAD) return null;
    List<AbstractInsnNode> limit = top.subList(1, top.size() - 2);
    int step = onlyLongStep(counted.var);
    boolean leaves =
        switch (test.getOpcode()) {
          case Opcodes.IFGE, Opcodes.IFGT -> step > 0;
          case Opcodes.IFLE, Opcodes.IFLT -> step < 0;
          default -> false;
        };
    return leaves && isSteadyLong(limit)
        ? new LongLoop(counted.var, step > 0, List.copyOf(limit), test, back)
        : null;
  }

  /** Null where the loop has another shape. */
  @Nullable DoLoop matchDo() {
    if (!edge.isEnteredAtTarget() || edge.byException() || !isEnclosed() || isTopHandler())
      return null;
    List<AbstractInsnNode> last = List.of(graph.instructions(edge.from()));
    if (!(last.getLast() instanceof JumpInsnNode back) || !comparesInts(back.getOpcode()))
      return null;
    if (graph.blockOf(back.label) != edge.to()) return null;
    boolean againstZero = isAgainstZero(back.getOpcode());
    int begin = beginOfOperands(last, againstZero ? 1 : 2);
    if (begin < 0) return null;
    List<AbstractInsnNode> operands = last.subList(begin, last.size() - 1);
    AbstractInsnNode test = operands.getFirst();
    if (againstZero)
      return matchDo(operands, ZERO, back.getOpcode() + FROM_ZERO_TO_TWO, back, test);
    int split = secondOperand(operands);
    if (split < 0) return null;
    List<AbstractInsnNode> first = operands.subList(0, split);
    List<AbstractInsnNode> second = operands.subList(split, operands.size());
    DoLoop found = matchDo(first, second, back.getOpcode(), back, test);
    return found != null ? found : matchDo(second, first, mirrored(back.getOpcode()), back, test);
  }

  private static boolean comparesInts(int opcode) {
    return Opcodes.IFEQ <= opcode && opcode <= Opcodes.IF_ICMPLE;
  }

  /**
   * Where the code that pushes the last values begins; -1 when there is something unknown in it.
   */
  private static int beginOfOperands(List<AbstractInsnNode> block, int values) {
    int missing = values;
    for (int i = block.size() - 2; i >= 0; i--) {
      Integer change = growth(block.get(i));
      if (change == null) return -1;
      missing -= change;
      if (missing == 0) return i;
    }
    return -1;
  }

  private @Nullable DoLoop matchDo(
      List<AbstractInsnNode> counted,
      List<AbstractInsnNode> limit,
      int staysWhen,
      JumpInsnNode back,
      AbstractInsnNode test) {
    if (!isVariableAndConstant(counted) || !isSteady(limit)) return null;
    int variable = ((VarInsnNode) counted.getFirst()).var;
    int copied = -1;
    if (staysWhen == Opcodes.IF_ICMPNE) {
      copied = counted.size() == 1 ? copiedInto(variable) : -1;
      if (copied < 0) return null;
    }
    IincInsnNode step = onlyStepAnywhere(copied < 0 ? variable : copied);
    if (step == null) return null;
    boolean atTop = isIn(edge.to(), step);
    boolean ends =
        copied < 0
            ? (atTop || isIn(edge.from(), step))
                && leaves(LoopTurner.opposite(staysWhen), step.incr)
            : atTop && (step.incr == 1 || step.incr == -1);
    Integer constant = limit.size() == 1 ? Instructions.pushed(limit.getFirst()) : null;
    return ends
        ? new DoLoop(
            List.copyOf(counted),
            copied,
            step.incr,
            List.copyOf(limit),
            constant,
            staysWhen,
            test,
            back)
        : null;
  }

  /**
   * The variable that this one is a copy of: made once, at the top, before any step there. -1 if it
   * is none.
   */
  private int copiedInto(int copy) {
    int writes = 0;
    for (AbstractInsnNode instruction : graph.instructions(edge.body()))
      if (Instructions.writes(instruction, copy)) writes++;
    AbstractInsnNode[] top = graph.instructions(edge.to());
    for (int i = 1; i < top.length && writes == 1; i++) {
      if (!(top[i] instanceof VarInsnNode store)
          || store.getOpcode() != Opcodes.ISTORE
          || store.var != copy) continue;
      if (!(top[i - 1] instanceof VarInsnNode load)
          || load.getOpcode() != Opcodes.ILOAD
          || load.var == copy) return -1;
      for (int before = 0; before < i; before++)
        if (Instructions.writes(top[before], load.var)) return -1;
      return load.var;
    }
    return -1;
  }

  /** 1 or -1, if that is all that is done to the variable, once in every round; otherwise 0. */
  private int onlyLongStep(int variable) {
    int writes = 0;
    for (AbstractInsnNode instruction : graph.instructions(edge.body()))
      if (Instructions.writes(instruction, variable)
          || Instructions.writes(instruction, variable + 1)) writes++;
    AbstractInsnNode[] last = graph.instructions(edge.from());
    for (int i = 3; i < last.length && writes == 1; i++) {
      if (!(last[i] instanceof VarInsnNode store)
          || store.getOpcode() != Opcodes.LSTORE
          || store.var != variable) continue;
      if (!(last[i - 3] instanceof VarInsnNode load)
          || load.getOpcode() != Opcodes.LLOAD
          || load.var != variable
          || last[i - 2].getOpcode() != Opcodes.LCONST_1) return 0;
      int operation = last[i - 1].getOpcode();
      return operation == Opcodes.LADD ? 1 : operation == Opcodes.LSUB ? -1 : 0;
    }
    return 0;
  }

  private boolean isSteadyLong(List<AbstractInsnNode> limit) {
    AbstractInsnNode last = limit.getLast();
    if (last.getOpcode() == Opcodes.I2L) return isSteadyValue(limit.subList(0, limit.size() - 1));
    return switch (last) {
      case VarInsnNode load -> limit.size() == 1 && isUnchanged(load.var);
      case FieldInsnNode _ -> isSteadyValue(limit);
      case LdcInsnNode constant -> limit.size() == 1 && constant.cst instanceof Long;
      default ->
          limit.size() == 1
              && (last.getOpcode() == Opcodes.LCONST_0 || last.getOpcode() == Opcodes.LCONST_1);
    };
  }

  /** Whether the code pushes one value, and the same in every round. */
  private boolean isSteadyValue(List<AbstractInsnNode> code) {
    int depth = 0;
    for (int i = 0; i < code.size(); i++) {
      Integer change = growth(code.get(i));
      if (change == null) return false;
      depth += change;
    }
    return depth == 1 && isSteady(code);
  }

  private static boolean isAgainstZero(int opcode) {
    return Opcodes.IFEQ <= opcode && opcode <= Opcodes.IFLE;
  }

  /** The same comparison with its operands in the other order. */
  private static int mirrored(int opcode) {
    return switch (opcode) {
      case Opcodes.IF_ICMPGE -> Opcodes.IF_ICMPLE;
      case Opcodes.IF_ICMPLE -> Opcodes.IF_ICMPGE;
      case Opcodes.IF_ICMPGT -> Opcodes.IF_ICMPLT;
      case Opcodes.IF_ICMPLT -> Opcodes.IF_ICMPGT;
      default -> opcode;
    };
  }

  private @Nullable CountedLoop match(
      List<AbstractInsnNode> counted,
      List<AbstractInsnNode> limit,
      JumpInsnNode test,
      int leavesWhen,
      JumpInsnNode back) {
    if (!isVariableAndConstant(counted) || !isSteady(limit)) return null;
    IincInsnNode step = onlyStep(((VarInsnNode) counted.getFirst()).var);
    if (step == null || !leaves(leavesWhen, step.incr)) return null;
    Integer constant = limit.size() == 1 ? Instructions.pushed(limit.getFirst()) : null;
    return new CountedLoop(
        List.copyOf(counted), step.incr, List.copyOf(limit), constant, test, leavesWhen, back);
  }

  /** {@code i}, {@code i + 1}, {@code i - 2}. */
  private static boolean isVariableAndConstant(List<AbstractInsnNode> code) {
    if (code.isEmpty() || code.getFirst().getOpcode() != Opcodes.ILOAD) return false;
    if (code.size() == 1) return true;
    int last = code.getLast().getOpcode();
    return code.size() == 3
        && Instructions.pushed(code.get(1)) != null
        && (last == Opcodes.IADD || last == Opcodes.ISUB);
  }

  /** Where the code of the second operand begins; -1 when there is something unknown in it. */
  private static int secondOperand(List<AbstractInsnNode> code) {
    int depth = 0;
    int split = -1;
    for (int i = 0; i < code.size(); i++) {
      Integer change = growth(code.get(i));
      if (change == null) return -1;
      depth += change;
      if (depth == 1 && i + 1 < code.size()) split = i + 1;
    }
    return depth == 2 ? split : -1;
  }

  /** How much higher the stack is after it; null for what no steady limit is made of. */
  private static @Nullable Integer growth(AbstractInsnNode instruction) {
    if (Instructions.pushed(instruction) != null) return 1;
    return switch (instruction.getOpcode()) {
      case Opcodes.ILOAD, Opcodes.ALOAD, Opcodes.GETSTATIC -> 1;
      case Opcodes.ARRAYLENGTH, Opcodes.GETFIELD, Opcodes.INEG -> 0;
      case Opcodes.IADD,
          Opcodes.ISUB,
          Opcodes.IMUL,
          Opcodes.ISHL,
          Opcodes.ISHR,
          Opcodes.IUSHR,
          Opcodes.IAND,
          Opcodes.IOR,
          Opcodes.IXOR ->
          -1;
      default ->
          !(instruction instanceof MethodInsnNode call)
              ? null
              : isStringLength(call) ? Integer.valueOf(0) : isMinOrMax(call) ? -1 : null;
    };
  }

  private static boolean isStringLength(MethodInsnNode call) {
    return call.owner.equals("java/lang/String") && call.name.equals("length");
  }

  private static boolean isMinOrMax(MethodInsnNode call) {
    return call.owner.equals("java/lang/Math")
        && (call.name.equals("min") || call.name.equals("max"))
        && call.desc.equals("(II)I");
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

  /** Whether an exception may lead to the top: past whatever is put before the loop. */
  private boolean isTopHandler() {
    for (int block = 0; block < graph.blocks(); block++)
      for (int handler : graph.covers(block)) if (handler == edge.to()) return true;
    return false;
  }

  private boolean isBelowTop(int block) {
    return block != edge.to() && edge.body().get(block);
  }

  /** The one step of the variable, if it is taken once in every round and nothing else writes. */
  private @Nullable IincInsnNode onlyStep(int variable) {
    IincInsnNode found = onlyStepAnywhere(variable);
    return found != null && isIn(edge.from(), found) ? found : null;
  }

  /** The same, though it need not be taken in every round. */
  private @Nullable IincInsnNode onlyStepAnywhere(int variable) {
    IincInsnNode found = null;
    for (AbstractInsnNode instruction : graph.instructions(edge.body())) {
      if (!Instructions.writes(instruction, variable)) continue;
      if (found != null || !(instruction instanceof IincInsnNode step)) return null;
      found = step;
    }
    return found != null && found.incr != 0 && Math.abs(found.incr) <= LARGEST_STEP ? found : null;
  }

  private boolean isIn(int block, AbstractInsnNode wanted) {
    for (AbstractInsnNode instruction : graph.instructions(block))
      if (instruction == wanted) return true;
    return false;
  }

  /** Whether the test ends the loop when the variable has passed the limit. */
  private static boolean leaves(int when, int step) {
    return switch (when) {
      case Opcodes.IF_ICMPGE, Opcodes.IF_ICMPGT -> step > 0;
      case Opcodes.IF_ICMPLE, Opcodes.IF_ICMPLT -> step < 0;
      default -> false;
    };
  }

  /** Whether the code pushes the same number in every round. */
  private boolean isSteady(List<AbstractInsnNode> limit) {
    for (int i = 0; i < limit.size(); i++) {
      AbstractInsnNode part = limit.get(i);
      boolean steady =
          switch (part) {
            case VarInsnNode load -> isUnchanged(load.var);
            case FieldInsnNode field -> isQuiet(field);
            default -> growth(part) != null;
          };
      if (!steady) return false;
    }
    return true;
  }

  private boolean isUnchanged(int variable) {
    for (AbstractInsnNode instruction : graph.instructions(edge.body()))
      if (Instructions.writes(instruction, variable)) return false;
    return true;
  }

  /**
   * Whether the loop may read the field once for many rounds: nothing in it writes a field, or
   * makes another thread's writes be seen.
   */
  private boolean isQuiet(FieldInsnNode limit) {
    if (!isOrdinary(limit)) return false;
    for (AbstractInsnNode instruction : graph.instructions(edge.body()))
      if (!keepsFieldsAsTheyAre(instruction)) return false;
    return true;
  }

  private boolean keepsFieldsAsTheyAre(AbstractInsnNode instruction) {
    int opcode = instruction.getOpcode();
    return switch (opcode) {
      case Opcodes.GETFIELD, Opcodes.GETSTATIC -> isOrdinary((FieldInsnNode) instruction);
      case Opcodes.MONITORENTER, Opcodes.MONITOREXIT -> false;
      case Opcodes.INVOKEVIRTUAL, Opcodes.INVOKESTATIC ->
          touchesNoField((MethodInsnNode) instruction);
      default -> opcode < Opcodes.PUTSTATIC || opcode > Opcodes.INVOKEDYNAMIC;
    };
  }

  private static boolean touchesNoField(MethodInsnNode call) {
    return call.owner.equals("java/lang/Math")
        || call.owner.equals("java/lang/String")
            && (call.name.equals("charAt") || call.name.equals("length"));
  }

  /** Not volatile, as far as this class alone can tell. */
  private boolean isOrdinary(FieldInsnNode field) {
    return field.owner.equals(owner)
        && ordinaryFields.contains(new FieldKey(field.name, field.desc));
  }

  /** A field within its class. */
  record FieldKey(String name, String descriptor) {}
}
