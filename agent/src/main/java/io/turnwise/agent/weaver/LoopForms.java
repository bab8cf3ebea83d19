package io.turnwise.agent.weaver;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.IincInsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;

/**
 * Chooses the form of the poll for each loop of a method. A poll every round costs nothing beside a
 * heavy call, and much in a loop that the compiler could otherwise unroll and vectorise; the other
 * forms cost a little on entry and nothing inside.
 */
final class LoopForms {
  /** Calls that the JIT replaces by a few instructions. Any other makes a loop heavy. */
  private static final Set<String> LIGHT_OWNERS =
      Set.of(
          "java/lang/Math",
          "java/lang/Integer",
          "java/lang/Long",
          "java/lang/Double",
          "java/lang/Float",
          "java/lang/Short",
          "java/lang/Byte",
          "java/lang/Boolean",
          "java/lang/Character");

  private static final Set<String> HEAVY_NAMES = Set.of("toString", "getChars");

  private static final Map<String, Set<String>> LIGHT_METHODS =
      Map.of(
          "java/lang/String", Set.of("charAt", "length", "isEmpty"),
          "java/lang/CharSequence", Set.of("charAt", "length", "isEmpty"),
          "java/util/List", Set.of("get", "size", "isEmpty"),
          "java/util/ArrayList", Set.of("get", "size", "isEmpty"),
          "java/util/Iterator", Set.of("next", "hasNext"),
          "java/util/BitSet", Set.of("get", "set", "clear"),
          "java/lang/Thread", Set.of("onSpinWait"));

  private final FlowGraph graph;
  private final BackEdge[] edges;
  private final BoundedLoops bounded;
  private final BitSet withCalls;
  private final WorkLimits limits;
  private final Map<BackEdge, @Nullable CountedLoop> counted = new HashMap<>();
  private final Map<BackEdge, @Nullable LongLoop> countedByLong = new HashMap<>();
  private final Map<BackEdge, @Nullable DoLoop> countedAtEnd = new HashMap<>();
  private final Map<BackEdge, @Nullable IincInsnNode> steps = new HashMap<>();

  /**
   * @param withCalls the blocks that poll before a call
   */
  LoopForms(
      FlowGraph graph,
      BoundedLoops bounded,
      BitSet withCalls,
      String owner,
      Set<CountedLoopPattern.FieldKey> ordinaryFields,
      WorkLimits limits) {
    this.graph = graph;
    this.bounded = bounded;
    this.withCalls = withCalls;
    this.limits = limits;
    edges = bounded.others();
    for (BackEdge edge : edges) {
      if (!isInnermost(edge)) continue;
      var pattern = new CountedLoopPattern(graph, edge, owner, ordinaryFields);
      counted.put(edge, pattern.match());
      countedByLong.put(edge, pattern.matchLong());
      countedAtEnd.put(edge, pattern.matchDo());
      steps.put(edge, pattern.matchStep());
    }
  }

  PollForm formOf(BackEdge edge) {
    if (edge.byException() || isHeavy(edge)) return PollForm.PLAIN;
    if (isAroundAnother(edge) && !limits.countsNests()) return PollForm.PLAIN;
    if (countedAt(edge) != null || countedByLongAt(edge) != null || countedAtEndOf(edge) != null)
      return PollForm.STRIP;
    return graph.last(edge.from()) instanceof JumpInsnNode ? PollForm.BUDGET : PollForm.PLAIN;
  }

  @Nullable CountedLoop countedAt(BackEdge edge) {
    return counted.get(edge);
  }

  @Nullable LongLoop countedByLongAt(BackEdge edge) {
    return countedByLong.get(edge);
  }

  @Nullable DoLoop countedAtEndOf(BackEdge edge) {
    return countedAtEnd.get(edge);
  }

  /** What a budget may be counted by. */
  @Nullable IincInsnNode stepAt(BackEdge edge) {
    return steps.get(edge);
  }

  /** The heaviest round of all loops that do not poll in each. */
  int heaviest() {
    int most = 1;
    for (BackEdge edge : edges)
      if (formOf(edge) != PollForm.PLAIN) most = Math.max(most, weight(edge));
    return most;
  }

  /** How much work a round is, in instructions; those of loops inside count there. */
  int weight(BackEdge edge) {
    long own = 0;
    for (int block = edge.body().nextSetBit(0);
        block >= 0;
        block = edge.body().nextSetBit(block + 1))
      if (isOwn(edge, block)) own += bounded.work(block);
    return (int) Math.min(Integer.MAX_VALUE, own);
  }

  private boolean isOwn(BackEdge edge, int block) {
    for (BackEdge other : edges)
      if (other.to() != edge.to() && other.body().get(block) && edge.body().get(other.to()))
        return false;
    return true;
  }

  /** No other loop begins in it, and nothing else leads back to its beginning. */
  private boolean isInnermost(BackEdge edge) {
    for (BackEdge other : edges) if (other != edge && edge.body().get(other.to())) return false;
    return !hasVectorWithin(edge);
  }

  /**
   * Then a poll is little beside a round, and any other form would keep the compiler from doing its
   * best with the inner loop. A short loop that needs no poll is a loop, too.
   */
  private boolean isAroundAnother(BackEdge edge) {
    for (BackEdge other : edges)
      if (other.to() != edge.to() && edge.body().get(other.to())) return true;
    return hasVectorWithin(edge);
  }

  /** A short loop of which the compiler may make vectors: not if it can be left from its middle. */
  private boolean hasVectorWithin(BackEdge edge) {
    for (BackEdge inner : bounded.within(edge)) if (!hasOtherExits(inner)) return true;
    return false;
  }

  /** Whether the loop can be left from its middle. */
  boolean hasOtherExits(BackEdge edge) {
    for (int block : FlowGraph.toArray(edge.body())) {
      if (block == edge.to()) continue;
      for (int next : graph.successors(block)) if (!edge.body().get(next)) return true;
    }
    return false;
  }

  private boolean isHeavy(BackEdge edge) {
    if (edge.body().intersects(withCalls) && !limits.countsCalls()) return true;
    for (AbstractInsnNode instruction : graph.instructions(edge.body())) {
      switch (instruction.getOpcode()) {
        case Opcodes.INVOKEDYNAMIC, Opcodes.MONITORENTER, Opcodes.MULTIANEWARRAY -> {
          return true;
        }
        case Opcodes.IDIV, Opcodes.IREM, Opcodes.LDIV, Opcodes.LREM -> {
          if (!isConstant(instruction.getPrevious())) return true;
        }
        default -> {
          if (instruction instanceof MethodInsnNode call && !limits.countsCalls() && !isLight(call))
            return true;
        }
      }
    }
    return false;
  }

  /** Dividing by a constant is done without the slow instruction. */
  private static boolean isConstant(@Nullable AbstractInsnNode divisor) {
    return divisor != null
        && (Instructions.pushed(divisor) != null
            || divisor.getOpcode() == Opcodes.LDC
            || divisor.getOpcode() == Opcodes.I2L && isConstant(divisor.getPrevious()));
  }

  /** Whether the call takes next to no time, as far as can be known. */
  static boolean isLight(MethodInsnNode call) {
    if (LIGHT_OWNERS.contains(call.owner))
      return !HEAVY_NAMES.contains(call.name) && !call.desc.contains("Ljava/lang/String;");
    if (call.owner.equals("java/util/BitSet")
        && (call.desc.startsWith("(II") || call.desc.startsWith("()")))
      return false; // from one bit to another, or all
    Set<String> methods = LIGHT_METHODS.get(call.owner);
    return methods != null && methods.contains(call.name);
  }
}
