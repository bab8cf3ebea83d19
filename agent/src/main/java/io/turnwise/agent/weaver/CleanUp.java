package io.turnwise.agent.weaver;

import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * The calls that a method makes when an error passes through it: what {@code finally} and the end
 * of a try-with-resources became. Compilers copy such code, once for the error's way and once for
 * each other way out, where no handler covers it any more: an error thrown right before the call
 * there would keep it from being made. So the names of the calls on the ways from a handler to
 * where it throws again what it caught are taken, and hold for the whole method.
 */
final class CleanUp {
  private final FlowGraph graph;
  private final Set<MethodKey> calls = new HashSet<>();

  CleanUp(FlowGraph graph, MethodNode method) {
    this.graph = graph;
    for (TryCatchBlockNode range : method.tryCatchBlocks.toArray(TryCatchBlockNode[]::new))
      collect(graph.blockOf(range.handler));
    calls.remove(new MethodKey(method.name, method.desc)); // a recursion must have an end
  }

  private void collect(int handler) {
    AbstractInsnNode[] first = graph.instructions(handler);
    if (first.length == 0
        || !(first[0] instanceof VarInsnNode caught)
        || caught.getOpcode() != Opcodes.ASTORE) return;
    BitSet ahead = reach(handler, true, null);
    var back = new BitSet();
    for (int block : FlowGraph.toArray(ahead))
      if (throwsAgain(block, caught.var)) back.or(reach(block, false, ahead));
    for (AbstractInsnNode instruction : graph.instructions(back)) {
      MethodKey call = keyOf(instruction);
      if (call != null) calls.add(call);
    }
  }

  /** By jumps and falling through, not by exceptions. */
  private BitSet reach(int from, boolean forward, @Nullable BitSet within) {
    var found = new BitSet();
    var waiting = new BitSet();
    waiting.set(from);
    for (int block = from; block >= 0; block = waiting.nextSetBit(0)) {
      waiting.clear(block);
      found.set(block);
      for (int next : forward ? graph.successors(block) : graph.predecessors(block))
        if (!found.get(next) && (within == null || within.get(next))) waiting.set(next);
    }
    return found;
  }

  private boolean throwsAgain(int block, int caught) {
    AbstractInsnNode[] code = graph.instructions(block);
    return code.length >= 2
        && code[code.length - 1].getOpcode() == Opcodes.ATHROW
        && code[code.length - 2] instanceof VarInsnNode load
        && load.getOpcode() == Opcodes.ALOAD
        && load.var == caught;
  }

  private static @Nullable MethodKey keyOf(AbstractInsnNode instruction) {
    return switch (instruction) {
      case MethodInsnNode call -> new MethodKey(call.name, call.desc);
      case InvokeDynamicInsnNode call -> new MethodKey(call.name, call.desc);
      default -> null;
    };
  }

  boolean contains(AbstractInsnNode instruction) {
    MethodKey call = keyOf(instruction);
    return call != null && calls.contains(call);
  }
}
