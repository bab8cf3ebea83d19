package io.turnwise.agent.weaver;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * Puts polls into one method. First before the calls that need one; then, where a cycle is left
 * that passes none of these, before each branch back that closes it.
 */
final class MethodWeaver {
  private final MethodNode method;
  private final String owner;
  private final Predicate<CallSite> needsPoll;
  private final PollTarget target;
  private final FlowGraph graph;

  /**
   * @param owner the class that the method is in
   */
  MethodWeaver(MethodNode method, String owner, Predicate<CallSite> needsPoll, PollTarget target) {
    this.method = method;
    this.owner = owner;
    this.needsPoll = needsPoll;
    this.target = target;
    graph = new FlowGraph(method);
  }

  /** Returns the form of each poll that was put in. */
  List<PollForm> weave() {
    List<PollForm> polls = new ArrayList<>();
    // The graph holds the code as it was; polls go into the method's list only.
    BitSet polled = pollCalls(polls);
    pollCycles(new Cycles(graph, polled), polls);
    return polls;
  }

  /** One poll in a block serves all the calls that follow it there. */
  private BitSet pollCalls(List<PollForm> polls) {
    var polled = new BitSet();
    AbstractInsnNode[] code = graph.code();
    for (int i = 0; i < code.length; i++) {
      int block = graph.blockOf(i);
      if (polled.get(block) || !graph.isReachable(block)) continue;
      CallSite call = callAt(code[i]);
      if (call == null || !needsPoll.test(call)) continue;
      method.instructions.insertBefore(code[i], target.poll());
      polls.add(PollForm.CALL);
      polled.set(block);
    }
    return polled;
  }

  private @Nullable CallSite callAt(AbstractInsnNode instruction) {
    return switch (instruction) {
      case MethodInsnNode call ->
          CallSite.named(call.getOpcode(), owner, call.owner, call.name, call.desc);
      case InvokeDynamicInsnNode call -> CallSite.dynamic(call.name, call.desc, call.bsm);
      default -> null;
    };
  }

  /**
   * Every cycle goes back in the code somewhere, by a jump or by an exception. A poll before a
   * conditional jump is also passed when the jump is not taken: once, on leaving the loop.
   */
  private void pollCycles(Cycles cycles, List<PollForm> polls) {
    Set<AbstractInsnNode> places = new LinkedHashSet<>();
    for (int block = 0; block < graph.blocks(); block++) {
      for (int next : graph.successors(block))
        if (next <= block && cycles.closes(block, next)) places.add(graph.last(block));
      for (int handler : graph.handlers(block))
        if (handler <= block && cycles.closes(block, handler)) places.add(graph.first(handler));
    }
    for (AbstractInsnNode place : places) {
      method.instructions.insertBefore(place, target.poll());
      polls.add(PollForm.PLAIN);
    }
  }
}
