package io.turnwise.agent.weaver;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.IincInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.LocalVariableAnnotationNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * Puts polls into one method. First before the calls that need one; then, where a cycle is left
 * that passes none of these, at each step back that closes it, in the form that suits the loop.
 */
final class MethodWeaver {
  private final MethodNode method;
  private final String owner;
  private final ClassSurvey survey;
  private final PollTarget target;
  private final WorkLimits limits;
  private final Effort effort;

  /** The code as it was; polls go into the method's list only. */
  private final FlowGraph graph;

  private final Set<AbstractInsnNode> plainlyPolled = new HashSet<>();
  private final List<PollForm> polls = new ArrayList<>();

  /**
   * @param owner the class that the method is in
   * @param effort what is left of it for the whole class
   */
  MethodWeaver(
      MethodNode method,
      String owner,
      ClassSurvey survey,
      PollTarget target,
      WorkLimits limits,
      Effort effort) {
    this.method = method;
    this.owner = owner;
    this.survey = survey;
    this.target = target;
    this.limits = limits;
    this.effort = effort;
    foldLengths(method);
    dropStrayVariables(method);
    LoopTurner.turnAll(method);
    graph = new FlowGraph(method);
  }

  /** The length of a string that stands in the code is a number: what is counted to it is short. */
  private static void foldLengths(MethodNode method) {
    for (AbstractInsnNode node : method.instructions.toArray()) {
      if (!(node instanceof LdcInsnNode constant) || !(constant.cst instanceof String text))
        continue;
      if (!(node.getNext() instanceof MethodInsnNode call)
          || !call.owner.equals("java/lang/String")
          || !call.name.equals("length")) continue;
      method.instructions.set(call, Instructions.push(text.length()));
      method.instructions.remove(node);
    }
  }

  /**
   * What is there for debuggers need not make sense, and the JVM does not always mind: a variable
   * whose range ends in the middle of an instruction, say. Written anew it would end nowhere, and
   * the class be refused. Annotations of variables' types have such ranges, too: nobody would
   * refuse them, but they would say something else.
   */
  private static void dropStrayVariables(MethodNode method) {
    Set<LabelNode> places = new HashSet<>();
    for (AbstractInsnNode node : method.instructions.toArray())
      if (node instanceof LabelNode label) places.add(label);
    if (method.localVariables != null)
      method.localVariables.removeIf(
          variable ->
              !places.contains(variable.start)
                  || !places.contains(variable.end)
                  || variable.index + sizeOf(variable.desc) > method.maxLocals);
    for (LocalVariableAnnotationNode annotation : Instructions.variableAnnotations(method))
      for (int i = annotation.start.size() - 1; i >= 0; i--) {
        if (places.contains(annotation.start.get(i)) && places.contains(annotation.end.get(i)))
          continue;
        annotation.start.remove(i);
        annotation.end.remove(i);
        annotation.index.remove(i);
      }
  }

  private static int sizeOf(String descriptor) {
    return descriptor.equals("J") || descriptor.equals("D") ? 2 : 1;
  }

  /** How much longer the method may become. */
  enum Length {
    USUAL,
    /** No loop is copied. */
    SHORT,
    /** Plain polls alone. */
    SHORTEST
  }

  /** Returns the form of each poll that was put in. */
  List<PollForm> weave(Length length) {
    BitSet withCalls = pollCalls();
    BackEdge[] all = BackEdge.of(graph, new Cycles(graph, servedBy(withCalls)));
    if (!LoopBuilder.fitsInto(method) || !effort.allows(all.length, graph.blocks())) {
      for (BackEdge edge : all) poll(graph.first(edge.to())); // one for all that lead there
      return polls;
    }
    for (int i = 0; i < all.length; i++) all[i] = all[i].withBody(graph);
    var bounded = new BoundedLoops(graph, all, owner, survey.ordinaryFields(), limits);
    if (length == Length.SHORTEST) {
      for (BackEdge edge : bounded.others()) pollPlainly(edge);
      return polls;
    }
    var forms = new LoopForms(graph, bounded, withCalls, owner, survey.ordinaryFields(), limits);
    var builder =
        new LoopBuilder(method, target, limits.rounds(forms.heaviest()), length == Length.USUAL);
    for (BackEdge edge : bounded.others()) {
      boolean built =
          switch (forms.formOf(edge)) {
            case STRIP -> buildStrip(edge, forms, builder);
            case BUDGET -> buildBudget(edge, forms, builder);
            default -> builder.buildPlain(graph.last(edge.from()), edge.byException());
          };
      if (built) polls.add(forms.formOf(edge));
      else pollPlainly(edge);
    }
    builder.finish();
    return polls;
  }

  private boolean buildBudget(BackEdge edge, LoopForms forms, LoopBuilder builder) {
    if (!(graph.last(edge.from()) instanceof JumpInsnNode back)) return false;
    IincInsnNode step = forms.stepAt(edge);
    return step != null && builder.buildBudgetBy(step, back, nodes(edge, true))
        || builder.buildBudget(back);
  }

  private AbstractInsnNode[] nodes(BackEdge edge, boolean withTop) {
    List<AbstractInsnNode> body = new ArrayList<>();
    for (int block = 0; block < graph.blocks(); block++)
      if (edge.body().get(block) && (withTop || block != edge.to()))
        for (int i = graph.start(block); i < graph.end(block); i++) body.add(graph.code()[i]);
    return body.toArray(AbstractInsnNode[]::new);
  }

  private boolean buildStrip(BackEdge edge, LoopForms forms, LoopBuilder builder) {
    DoLoop atEnd = forms.countedAtEndOf(edge);
    if (atEnd != null) return builder.buildDoStrip(atEnd, nodes(edge, true));
    AbstractInsnNode[] nodes = nodes(edge, false);
    LongLoop byLong = forms.countedByLongAt(edge);
    if (byLong != null) return builder.buildLongStrip(byLong, nodes);
    CountedLoop loop = forms.countedAt(edge);
    return loop != null && builder.buildStrip(loop, nodes, forms.hasOtherExits(edge));
  }

  /**
   * Of the blocks that poll before a call, those by which a loop needs no poll of its own: none,
   * where such polls do not end a turn.
   */
  private BitSet servedBy(BitSet withCalls) {
    return target.callsServeLoops() ? withCalls : new BitSet();
  }

  /** One poll in a block serves all the calls that follow it there. Returns the blocks. */
  private BitSet pollCalls() {
    var key = new MethodKey(method.name, method.desc);
    var cleanUp = new CleanUp(graph, method);
    var polled = new BitSet();
    AbstractInsnNode[] code = graph.code();
    for (int i = 0; i < code.length; i++) {
      int block = graph.blockOf(i);
      if (polled.get(block) || !graph.isReachable(block)) continue;
      CallSite call = callAt(code[i]);
      if (call == null || !survey.needsPoll(key, call)) continue;
      boolean cleansUp = !target.callsServeLoops() && cleanUp.contains(code[i]);
      method.instructions.insertBefore(code[i], target.pollAtCall(cleansUp));
      polls.add(PollForm.CALL);
      if (!cleansUp) polled.set(block);
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

  /** One before a switch, or in a handler, may serve several ways back. */
  private void pollPlainly(BackEdge edge) {
    poll(edge.byException() ? graph.first(edge.to()) : graph.last(edge.from()));
  }

  private void poll(AbstractInsnNode place) {
    if (!plainlyPolled.add(place)) return;
    method.instructions.insertBefore(place, target.poll());
    polls.add(PollForm.PLAIN);
  }
}
