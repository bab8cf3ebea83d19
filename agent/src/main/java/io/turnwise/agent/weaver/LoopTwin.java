package io.turnwise.agent.weaver;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LocalVariableAnnotationNode;
import org.objectweb.asm.tree.LocalVariableNode;
import org.objectweb.asm.tree.LookupSwitchInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TableSwitchInsnNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * A second copy of a counted loop, behind it, and a test before both which of them is to be run:
 *
 * <pre>
 *   enter: if (i &lt; limit - ROUNDS) goto twin
 *   top:   if (i &gt;= limit) goto out; BODY; i++; goto top
 *   twin:  if (i &gt;= limit) goto out; BODY; i++; goto twin
 * </pre>
 *
 * <p>The first runs no more than ROUNDS rounds and stays as it was; polls are for the second. If
 * {@code limit - ROUNDS} passes the end of all ints, the twin is run, which is always right. Most
 * loops are short: then the twin has never run, the compiler leaves it out, and what remains is the
 * old loop and one comparison.
 */
final class LoopTwin {
  private static final int MOST_INSTRUCTIONS = 80;

  /** HotSpot's FreqInlineSize: a hot method that is longer is not inlined any more. */
  private static final int INLINED = 325;

  /** What the guard and a strip take, about. */
  private static final int OVERHEAD = 60;

  private final MethodNode method;
  private final CountedLoop loop;
  private AbstractInsnNode[] interval = {};
  private final Map<LabelNode, LabelNode> labels = new HashMap<>();
  private final Map<AbstractInsnNode, AbstractInsnNode> copies = new IdentityHashMap<>();

  private LoopTwin(MethodNode method, CountedLoop loop) {
    this.method = method;
    this.loop = loop;
  }

  /**
   * @param rounds that the first copy may run
   * @return null where the loop should stay alone
   */
  static @Nullable LoopTwin of(MethodNode method, CountedLoop loop, int rounds) {
    if (loop.mayWrap() || loop.counted().size() != 1) return null;
    var twin = new LoopTwin(method, loop);
    if (!twin.isInOnePiece() || !twin.isSmall() || !twin.hasNoOtherLoop() || !twin.rangesAllowIt())
      return null;
    twin.copy();
    twin.guard(rounds);
    return twin;
  }

  /** The copy, with jumps of its own. */
  CountedLoop loop() {
    return new CountedLoop(
        loop.counted(),
        loop.step(),
        loop.limit(),
        loop.constantLimit(),
        (JumpInsnNode) copyOf(loop.test()),
        loop.leavesWhen(),
        (JumpInsnNode) copyOf(loop.back()));
  }

  AbstractInsnNode[] copiesOf(AbstractInsnNode[] nodes) {
    List<AbstractInsnNode> found = new ArrayList<>();
    for (AbstractInsnNode node : nodes) {
      AbstractInsnNode copy = copies.get(node);
      if (copy != null) found.add(copy);
    }
    return found.toArray(AbstractInsnNode[]::new);
  }

  /** All frames that were not there before. */
  List<FrameNode> frames() {
    List<FrameNode> found = new ArrayList<>();
    for (AbstractInsnNode node : interval)
      if (copies.get(node) instanceof FrameNode frame) found.add(frame);
    if (enterFrame != null) found.add(enterFrame);
    return found;
  }

  private @Nullable FrameNode enterFrame;

  private AbstractInsnNode copyOf(AbstractInsnNode node) {
    AbstractInsnNode copy = copies.get(node);
    if (copy == null) throw new IllegalStateException("a loop without its own jump");
    return copy;
  }

  private boolean isInOnePiece() {
    int first = method.instructions.indexOf(loop.back().label);
    int test = method.instructions.indexOf(loop.test());
    int last = method.instructions.indexOf(loop.back());
    if (test < first || last < test) return false;
    interval = Arrays.copyOfRange(method.instructions.toArray(), first, last + 1);
    return true;
  }

  private boolean isSmall() {
    int count = 0;
    for (AbstractInsnNode node : interval) if (node.getOpcode() >= 0) count++;
    if (count > MOST_INSTRUCTIONS) return false;
    int before = 0;
    for (AbstractInsnNode node : method.instructions) before += bytes(node);
    int more = OVERHEAD;
    for (AbstractInsnNode node : interval) more += bytes(node);
    return before > INLINED || before + more <= INLINED;
  }

  /** About. */
  private static int bytes(AbstractInsnNode node) {
    return switch (node.getType()) {
      case AbstractInsnNode.LABEL, AbstractInsnNode.LINE, AbstractInsnNode.FRAME -> 0;
      case AbstractInsnNode.INSN -> 1;
      case AbstractInsnNode.VAR_INSN -> ((VarInsnNode) node).var < 4 ? 1 : 2;
      case AbstractInsnNode.INT_INSN, AbstractInsnNode.LDC_INSN -> 2;
      case AbstractInsnNode.INVOKE_DYNAMIC_INSN -> 5;
      case AbstractInsnNode.TABLESWITCH_INSN -> 16 + 4 * ((TableSwitchInsnNode) node).labels.size();
      case AbstractInsnNode.LOOKUPSWITCH_INSN ->
          12 + 8 * ((LookupSwitchInsnNode) node).labels.size();
      default -> 3;
    };
  }

  /** A copy would need polls of its own in code that also leads back, though not to the top. */
  private boolean hasNoOtherLoop() {
    for (AbstractInsnNode node : interval) {
      if (node == loop.back()) continue;
      int at = method.instructions.indexOf(node);
      for (LabelNode label : LoopEntry.targets(node))
        if (method.instructions.indexOf(label) <= at) return false;
    }
    return !isEnteredElsewhere();
  }

  /** What jumps into the middle belongs to something else, which a copy would not be part of. */
  private boolean isEnteredElsewhere() {
    int first = method.instructions.indexOf(loop.back().label);
    int last = method.instructions.indexOf(loop.back());
    int at = 0;
    for (AbstractInsnNode node : method.instructions) {
      boolean inside = first <= at && at <= last;
      at++;
      if (inside) continue;
      for (LabelNode label : LoopEntry.targets(node)) {
        int to = method.instructions.indexOf(label);
        if (first < to && to <= last) return true;
      }
    }
    return false;
  }

  /** Each handler's range is around the loop, in it behind the test, or elsewhere. */
  private boolean rangesAllowIt() {
    int first = method.instructions.indexOf(loop.back().label);
    int test = method.instructions.indexOf(loop.test());
    int last = method.instructions.indexOf(loop.back());
    for (TryCatchBlockNode range : method.tryCatchBlocks) {
      int start = method.instructions.indexOf(range.start);
      int end = method.instructions.indexOf(range.end);
      int handler = method.instructions.indexOf(range.handler);
      boolean around = start <= first && last < end;
      boolean elsewhere = end <= first || last < start;
      boolean inside = test < start && end <= last;
      if (!around && !elsewhere && !inside) return false;
      boolean handledHere = first <= handler && handler <= last;
      if (handledHere && (!inside || handler < end)) return false;
    }
    return true;
  }

  private void copy() {
    for (AbstractInsnNode node : method.instructions)
      if (node instanceof LabelNode label) labels.put(label, label);
    for (AbstractInsnNode node : interval)
      if (node instanceof LabelNode label) labels.put(label, new LabelNode());
    var code = new InsnList();
    for (AbstractInsnNode node : interval) {
      AbstractInsnNode copy = node.clone(labels);
      copies.put(node, copy);
      code.add(copy);
    }
    method.instructions.insert(loop.back(), code);
    copyRanges();
    copyVariables();
  }

  private void copyRanges() {
    List<TryCatchBlockNode> all = new ArrayList<>();
    for (TryCatchBlockNode range : method.tryCatchBlocks) {
      all.add(range);
      if (copies.containsKey(range.start) && copies.containsKey(range.end))
        all.add(
            new TryCatchBlockNode(
                labels.get(range.start),
                labels.get(range.end),
                labels.get(range.handler),
                range.type));
    }
    method.tryCatchBlocks = all;
  }

  /** Debuggers know what is declared in the loop in its copy, too. */
  private void copyVariables() {
    for (LocalVariableAnnotationNode annotation : Instructions.variableAnnotations(method))
      for (int i = annotation.start.size() - 1; i >= 0; i--) {
        if (!copies.containsKey(annotation.start.get(i))
            || !copies.containsKey(annotation.end.get(i))) continue;
        annotation.start.add(labels.get(annotation.start.get(i)));
        annotation.end.add(labels.get(annotation.end.get(i)));
        annotation.index.add(annotation.index.get(i));
      }
    if (method.localVariables == null) return;
    List<LocalVariableNode> all = new ArrayList<>(method.localVariables);
    for (LocalVariableNode variable : method.localVariables)
      if (copies.containsKey(variable.start) && copies.containsKey(variable.end))
        all.add(
            new LocalVariableNode(
                variable.name,
                variable.desc,
                variable.signature,
                labels.get(variable.start),
                labels.get(variable.end),
                variable.index));
    method.localVariables = all;
  }

  private void guard(int rounds) {
    var code = new InsnList();
    code.add(loop.counted().getFirst().clone(labels));
    for (int i = 0; i < loop.limit().size(); i++) code.add(loop.limit().get(i).clone(labels));
    code.add(Instructions.push(rounds));
    code.add(new InsnNode(loop.goesUp() ? Opcodes.ISUB : Opcodes.IADD));
    LabelNode top = loop.back().label;
    code.add(
        new JumpInsnNode(loop.goesUp() ? Opcodes.IF_ICMPLT : Opcodes.IF_ICMPGT, labels.get(top)));
    enterFrame = new LoopEntry(method, top, copies::containsKey).insert(code);
  }
}
