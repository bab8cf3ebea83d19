package io.turnwise.agent.weaver;

import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LookupSwitchInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TableSwitchInsnNode;
import org.objectweb.asm.tree.TryCatchBlockNode;

/**
 * The blocks of a method, numbered as they stand in the code, and which may follow which. A block
 * lies wholly inside or outside each range that a handler covers.
 *
 * <p>Arrays, here and in what works on it: the JDK's iterators have one profile for all who use
 * them, and a weaver that iterated over many short lists would spoil it for the user's long ones.
 */
final class FlowGraph {
  private final AbstractInsnNode[] code;
  private final TryCatchBlockNode[] ranges;
  private final int[] starts; // of each block, and one past the end
  private final int[] blockOf; // by instruction
  private final AbstractInsnNode[][] real;
  private final int[][] successors;
  private final int[][] handlers;
  private final int[][] covers;
  private final int[][] predecessors;
  private final Map<LabelNode, Integer> labelled = new IdentityHashMap<>();
  private final BitSet reachable = new BitSet();

  FlowGraph(MethodNode method) {
    code = method.instructions.toArray();
    ranges = method.tryCatchBlocks.toArray(TryCatchBlockNode[]::new);
    blockOf = new int[code.length];
    starts = findBlocks(method);
    int blocks = starts.length - 1;
    Effort.checkHandlers(ranges.length, blocks);
    real = new AbstractInsnNode[blocks][];
    for (int block = 0; block < blocks; block++) real[block] = findInstructions(block);
    successors = new int[blocks][];
    handlers = new int[blocks][];
    covers = new int[blocks][];
    for (int block = 0; block < blocks; block++) {
      successors[block] = findSuccessors(method, block);
      covers[block] = findCovers(method, block);
      handlers[block] = anyMayThrow(block) ? covers[block] : new int[0];
    }
    findReachable();
    predecessors = findPredecessors();
  }

  int blocks() {
    return successors.length;
  }

  AbstractInsnNode[] code() {
    return code;
  }

  int start(int block) {
    return starts[block];
  }

  /** One past the block's last instruction. */
  int end(int block) {
    return starts[block + 1];
  }

  int blockOf(int instruction) {
    return blockOf[instruction];
  }

  int blockOf(LabelNode label) {
    Integer block = labelled.get(label);
    if (block == null) throw new IllegalArgumentException("a label of no block");
    return block;
  }

  /** The block's real instructions. */
  AbstractInsnNode[] instructions(int block) {
    return real[block];
  }

  /** The real instructions of all these blocks. */
  AbstractInsnNode[] instructions(BitSet blocks) {
    int count = 0;
    for (int block : toArray(blocks)) count += real[block].length;
    var all = new AbstractInsnNode[count];
    int next = 0;
    for (int block : toArray(blocks)) {
      System.arraycopy(real[block], 0, all, next, real[block].length);
      next += real[block].length;
    }
    return all;
  }

  private AbstractInsnNode[] findInstructions(int block) {
    int count = 0;
    for (int i = start(block); i < end(block); i++) if (code[i].getOpcode() >= 0) count++;
    var found = new AbstractInsnNode[count];
    int next = 0;
    for (int i = start(block); i < end(block); i++)
      if (code[i].getOpcode() >= 0) found[next++] = code[i];
    return found;
  }

  /** By jump or by falling through. */
  int[] successors(int block) {
    return successors[block];
  }

  /** By an exception that an instruction of the block may throw. */
  int[] handlers(int block) {
    return handlers[block];
  }

  /** Handlers that the verifier reckons with, even where nothing is thrown. */
  int[] covers(int block) {
    return covers[block];
  }

  boolean isReachable(int block) {
    return reachable.get(block);
  }

  /** Reachable blocks that this one may follow, by either way. */
  int[] predecessors(int block) {
    return predecessors[block];
  }

  /** The last real instruction of a block that jumps. */
  AbstractInsnNode last(int block) {
    for (int i = end(block) - 1; i >= start(block); i--)
      if (code[i].getOpcode() >= 0) return code[i];
    throw new IllegalArgumentException("block " + block + " has no instruction");
  }

  /** The first real instruction of the block or, where it has none, of what it falls into. */
  AbstractInsnNode first(int block) {
    for (int i = start(block); i < code.length; i++) if (code[i].getOpcode() >= 0) return code[i];
    throw new IllegalArgumentException("block " + block + " falls off the end of the code");
  }

  private int[] findBlocks(MethodNode method) {
    var leaders = new BitSet();
    leaders.set(0);
    for (TryCatchBlockNode range : ranges) {
      leaders.set(method.instructions.indexOf(range.start));
      leaders.set(method.instructions.indexOf(range.end));
      leaders.set(method.instructions.indexOf(range.handler));
    }
    for (int i = 0; i < code.length; i++) {
      LabelNode[] targets = targets(code[i]);
      for (LabelNode target : targets) leaders.set(method.instructions.indexOf(target));
      if (targets.length > 0 || endsFlow(code[i].getOpcode())) leaders.set(i + 1);
    }
    leaders.clear(code.length, leaders.length() + 1);
    int[] found = new int[leaders.cardinality() + 1];
    int block = -1;
    for (int i = 0; i < code.length; i++) {
      if (leaders.get(i)) found[++block] = i;
      blockOf[i] = block;
      if (code[i] instanceof LabelNode label) labelled.put(label, block);
    }
    found[block + 1] = code.length;
    return found;
  }

  private int[] findSuccessors(MethodNode method, int block) {
    var found = new BitSet();
    boolean fallsThrough = true;
    for (int i = start(block); i < end(block); i++) {
      for (LabelNode target : targets(code[i]))
        found.set(blockOf[method.instructions.indexOf(target)]);
      fallsThrough = !endsFlow(code[i].getOpcode());
    }
    if (fallsThrough && block + 1 < starts.length - 1) found.set(block + 1);
    return toArray(found);
  }

  private int[] findCovers(MethodNode method, int block) {
    if (ranges.length == 0) return new int[0];
    var found = new BitSet();
    for (TryCatchBlockNode range : ranges) {
      boolean covered =
          method.instructions.indexOf(range.start) <= start(block)
              && end(block) <= method.instructions.indexOf(range.end);
      if (covered) found.set(blockOf[method.instructions.indexOf(range.handler)]);
    }
    return toArray(found);
  }

  private boolean anyMayThrow(int block) {
    for (int i = start(block); i < end(block); i++) if (mayThrow(code[i].getOpcode())) return true;
    return false;
  }

  /**
   * Leaving a monitor is not counted: compilers cover the handler that does it by itself, and that
   * is no loop. Only code that did not hold the lock could throw there.
   */
  private static boolean mayThrow(int opcode) {
    return switch (opcode) {
      case Opcodes.IDIV, Opcodes.LDIV, Opcodes.IREM, Opcodes.LREM, Opcodes.LDC -> true;
      case Opcodes.MONITOREXIT, Opcodes.IFNULL, Opcodes.IFNONNULL -> false;
      default ->
          opcode >= Opcodes.GETSTATIC
              || Opcodes.IALOAD <= opcode && opcode <= Opcodes.SALOAD
              || Opcodes.IASTORE <= opcode && opcode <= Opcodes.SASTORE;
    };
  }

  private static boolean isReturn(int opcode) {
    return Opcodes.IRETURN <= opcode && opcode <= Opcodes.RETURN;
  }

  /** Whether what follows it in the code does not follow it in the flow. */
  static boolean endsFlow(int opcode) {
    return switch (opcode) {
      case Opcodes.GOTO, Opcodes.TABLESWITCH, Opcodes.LOOKUPSWITCH, Opcodes.ATHROW -> true;
      default -> isReturn(opcode);
    };
  }

  private static final LabelNode[] NOWHERE = {};

  private static LabelNode[] targets(AbstractInsnNode instruction) {
    return switch (instruction) {
      case JumpInsnNode jump -> new LabelNode[] {jump.label};
      case TableSwitchInsnNode table -> with(table.labels, table.dflt);
      case LookupSwitchInsnNode lookup -> with(lookup.labels, lookup.dflt);
      default -> NOWHERE;
    };
  }

  private static LabelNode[] with(List<LabelNode> labels, LabelNode otherwise) {
    var all = labels.toArray(new LabelNode[labels.size() + 1]);
    all[labels.size()] = otherwise;
    return all;
  }

  /** In rising order. */
  static int[] toArray(BitSet set) {
    int[] members = new int[set.cardinality()];
    int next = 0;
    for (int member = set.nextSetBit(0); member >= 0; member = set.nextSetBit(member + 1))
      members[next++] = member;
    return members;
  }

  private void findReachable() {
    int[] waiting = new int[blocks()];
    int count = 0;
    reachable.set(0);
    waiting[count++] = 0;
    while (count > 0) {
      int block = waiting[--count];
      for (int[] next : new int[][] {successors[block], handlers[block]}) {
        for (int follower : next) {
          if (reachable.get(follower)) continue;
          reachable.set(follower);
          waiting[count++] = follower;
        }
      }
    }
  }

  private int[][] findPredecessors() {
    var found = new BitSet[blocks()];
    for (int block = 0; block < blocks(); block++) found[block] = new BitSet();
    for (int block = 0; block < blocks(); block++) {
      if (!reachable.get(block)) continue;
      for (int next : successors[block]) found[next].set(block);
      for (int handler : handlers[block]) found[handler].set(block);
    }
    int[][] all = new int[blocks()][];
    for (int block = 0; block < blocks(); block++) all[block] = toArray(found[block]);
    return all;
  }
}
