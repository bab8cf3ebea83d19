package io.turnwise.agent.weaver;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * Finds loops that need no poll because they are short for certain: {@code for (int i = 0; i < 8;
 * i++)}, and nests of such. The loop around them polls, and pays for all their rounds.
 */
final class BoundedLoops {
  private final FlowGraph graph;
  private final String owner;
  private final Set<CountedLoopPattern.FieldKey> ordinaryFields;
  private final WorkLimits limits;
  private BackEdge[] others;
  private final List<BackEdge> shortOnes = new ArrayList<>();

  /** How often a block is run for each time that the innermost other loop comes round. */
  private final long[] times;

  BoundedLoops(
      FlowGraph graph,
      BackEdge[] edges,
      String owner,
      Set<CountedLoopPattern.FieldKey> ordinaryFields,
      WorkLimits limits) {
    this.graph = graph;
    this.owner = owner;
    this.ordinaryFields = ordinaryFields;
    this.limits = limits;
    others = edges;
    times = new long[graph.blocks()];
    Arrays.fill(times, 1);
    // From the inside out: a loop is looked at when all that are in it were found short.
    int before;
    do {
      before = others.length;
      List<BackEdge> longOnes = new ArrayList<>();
      for (BackEdge edge : others) (isShort(edge) ? shortOnes : longOnes).add(edge);
      others = longOnes.toArray(BackEdge[]::new);
    } while (others.length < before);
  }

  /** The short loops that a loop has in it. */
  BackEdge[] within(BackEdge loop) {
    var found = new ArrayList<BackEdge>();
    for (int i = 0; i < shortOnes.size(); i++)
      if (loop.body().get(shortOnes.get(i).to())) found.add(shortOnes.get(i));
    return found.toArray(BackEdge[]::new);
  }

  /** The loops that need a poll. */
  BackEdge[] others() {
    return others;
  }

  /**
   * The instructions that are run for each time that the block's innermost other loop comes round.
   */
  int work(int block) {
    return (int) Math.min(Integer.MAX_VALUE, times[block] * graph.instructions(block).length);
  }

  private boolean isShort(BackEdge edge) {
    for (BackEdge other : others) if (other != edge && edge.body().get(other.to())) return false;
    CountedLoop loop = new CountedLoopPattern(graph, edge, owner, ordinaryFields).match();
    Integer begin = loop == null ? null : beginning(edge, loop);
    if (loop == null || begin == null || loop.constantLimit() == null) return false;
    if (loop.mayWrap()) return false; // then it begins anew at the other end of all ints
    long rounds = 1 + ((long) loop.constantLimit() - begin) / loop.step();
    // How long a call takes is not known, and polls before calls end nothing.
    if (!limits.countsCalls() && hasHeavyCall(edge)) return false;
    long round = 0;
    for (int block : FlowGraph.toArray(edge.body())) round += work(block);
    if (rounds > limits.rounds((int) Math.min(Integer.MAX_VALUE, round))) return false;
    for (int block : FlowGraph.toArray(edge.body())) times[block] *= Math.max(1, rounds);
    return true;
  }

  private boolean hasHeavyCall(BackEdge edge) {
    for (AbstractInsnNode instruction : graph.instructions(edge.body()))
      if (instruction.getOpcode() == Opcodes.INVOKEDYNAMIC
          || instruction instanceof MethodInsnNode call && !LoopForms.isLight(call)) return true;
    return false;
  }

  /** The number that the variable is set to right before the only way into the loop. */
  private @Nullable Integer beginning(BackEdge edge, CountedLoop loop) {
    if (loop.counted().size() != 1) return null;
    int[] before = graph.predecessors(edge.to());
    if (before.length != 2) return null;
    int entry = before[0] == edge.from() ? before[1] : before[0];
    List<AbstractInsnNode> code = new ArrayList<>(Arrays.asList(graph.instructions(entry)));
    if (!code.isEmpty() && code.getLast().getOpcode() == Opcodes.GOTO) code.removeLast();
    if (code.size() < 2
        || !(code.getLast() instanceof VarInsnNode store)
        || store.getOpcode() != Opcodes.ISTORE
        || store.var != ((VarInsnNode) loop.counted().getFirst()).var) return null;
    return Instructions.pushed(code.get(code.size() - 2));
  }
}
