package io.turnwise.agent.weaver;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LocalVariableAnnotationNode;
import org.objectweb.asm.tree.LocalVariableNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * Writes a loop whose test stands at its end, as Eclipse's compiler does, with the test at its
 * beginning, as javac does:
 *
 * <pre>
 *         goto test                          test: TEST; if not, goto out
 *   body: BODY                               body: BODY
 *   test: TEST; if so, goto body                   goto test
 *   out:                                     out:
 * </pre>
 *
 * <p>Then one kind of loop is left to be known by its pattern. Nothing is computed otherwise: the
 * test is moved in one piece, each piece is followed by the same pieces as before, and a loop is
 * left as it was unless every range of a handler still covers the same instructions. Variables'
 * ranges, too: debuggers see what they saw.
 *
 * <p>The stack maps stay true where they are, as what leads to each is what led there before. Only
 * {@code out} may need one that was not there: what holds at the test, if that changes no variable.
 */
final class LoopTurner {
  /** So many nodes are looked at in one method; no compiler needs as many. */
  private static final long MOST_STEPS = 20_000_000;

  private final MethodNode method;
  private final Places places;
  private final JumpInsnNode entry;
  private final JumpInsnNode back;
  private final int enterAt;
  private final int bodyAt;
  private final int testAt;
  private final int backAt;
  private final int outAt;

  /** What ended where the body begins ends here: before the test that comes between. */
  private final LabelNode beforeTest = new LabelNode();

  private final LabelNode bodyEnd = new LabelNode();

  private LoopTurner(MethodNode method, Places places, JumpInsnNode entry, JumpInsnNode back) {
    this.method = method;
    this.places = places;
    this.entry = entry;
    this.back = back;
    enterAt = places.of(entry);
    bodyAt = places.of(back.label);
    testAt = places.of(entry.label);
    backAt = places.of(back);
    outAt = places.after(back);
  }

  /** All that can be, those inside of others first. */
  static void turnAll(MethodNode method) {
    AbstractInsnNode[] code = method.instructions.toArray();
    var places = new Places(method);
    long steps = 0;
    for (AbstractInsnNode node : code) {
      if (!(node instanceof JumpInsnNode back)
          || back.getOpcode() == Opcodes.GOTO
          || back.getOpcode() == Opcodes.JSR
          || !(places.before(back.label) instanceof JumpInsnNode entry)
          || entry.getOpcode() != Opcodes.GOTO) continue;
      steps += code.length + method.tryCatchBlocks.size();
      if (steps > MOST_STEPS) return;
      var loop = new LoopTurner(method, places, entry, back);
      if (!loop.mayBeTurned()) continue;
      loop.turn();
      places = new Places(method);
    }
  }

  /**
   * Where nodes stand: labels and the like are at the place of the instruction that follows them.
   * As arrays, because thousands of them may stand at one place.
   */
  private static final class Places {
    private final AbstractInsnNode[] code;
    private final InsnList list;
    private final int[] next; // instruction from here on
    private final int[] last; // instruction before; -1 for none

    Places(MethodNode method) {
      list = method.instructions;
      code = list.toArray();
      next = new int[code.length];
      last = new int[code.length];
      int found = code.length;
      for (int i = code.length - 1; i >= 0; i--)
        next[i] = found = code[i].getOpcode() >= 0 ? i : found;
      found = -1;
      for (int i = 0; i < code.length; i++) {
        last[i] = found;
        if (code[i].getOpcode() >= 0) found = i;
      }
    }

    int of(AbstractInsnNode node) {
      return next[list.indexOf(node)];
    }

    /** The place of the instruction that follows; behind all others if there is none. */
    int after(AbstractInsnNode instruction) {
      int following = list.indexOf(instruction) + 1;
      return following == code.length ? code.length : next[following];
    }

    @Nullable AbstractInsnNode before(AbstractInsnNode node) {
      int found = last[list.indexOf(node)];
      return found < 0 ? null : code[found];
    }

    boolean isBehindAll(int place) {
      return place == code.length;
    }

    AbstractInsnNode at(int place) {
      return code[place];
    }
  }

  private boolean mayBeTurned() {
    return enterAt < bodyAt
        && bodyAt < testAt
        && testAt <= backAt
        && !places.isBehindAll(outAt)
        && nothingElseLeadsToTheBody()
        && mayBeJumpedTo()
        && rangesStayTheSame();
  }

  private boolean nothingElseLeadsToTheBody() {
    for (AbstractInsnNode node : method.instructions) {
      if (node == back) continue;
      for (LabelNode label : LoopEntry.targets(node)) if (places.of(label) == bodyAt) return false;
    }
    for (TryCatchBlockNode range : method.tryCatchBlocks)
      if (places.of(range.handler) == bodyAt) return false;
    return true;
  }

  /** Whether a stack map for what comes after the loop is there, or known, or not needed. */
  private boolean mayBeJumpedTo() {
    FrameNode atTest = Instructions.frameAt(entry.label);
    FrameNode atBody = Instructions.frameAt(back.label);
    if (atTest == null || atBody == null) return !hasFrames();
    return frameBefore(places.at(outAt)) != null
        || atTest.stack.isEmpty() && atBody.stack.isEmpty() && testChangesNoVariable();
  }

  private boolean hasFrames() {
    for (AbstractInsnNode node : method.instructions) if (node instanceof FrameNode) return true;
    return false;
  }

  /** Between this instruction and the one before. */
  private static @Nullable FrameNode frameBefore(AbstractInsnNode real) {
    for (AbstractInsnNode node = real.getPrevious();
        node != null && node.getOpcode() < 0;
        node = node.getPrevious()) if (node instanceof FrameNode frame) return frame;
    return null;
  }

  /**
   * Then what holds behind the test is what held before it: it is in one piece, without a stack map
   * of its own, writes no variable but by adding to it, and makes no object known as initialised.
   */
  private boolean testChangesNoVariable() {
    for (int i = testAt; i < backAt; i++) {
      AbstractInsnNode node = places.at(i);
      if (node instanceof FrameNode) return false;
      if (node instanceof VarInsnNode access && access.getOpcode() >= Opcodes.ISTORE) return false;
      if (node instanceof MethodInsnNode call && call.name.equals("<init>")) return false;
    }
    return true;
  }

  private boolean rangesStayTheSame() {
    for (TryCatchBlockNode range : method.tryCatchBlocks)
      if (!staysTheSame(range.start, range.end) || coversTheEntryAlone(range)) return false;
    if (method.localVariables != null)
      for (LocalVariableNode variable : method.localVariables)
        if (!staysTheSame(variable.start, variable.end)) return false;
    for (LocalVariableAnnotationNode annotation : Instructions.variableAnnotations(method))
      for (int i = 0; i < annotation.start.size(); i++)
        if (!staysTheSame(annotation.start.get(i), annotation.end.get(i))) return false;
    return true;
  }

  /** Around the loop, in its body, before it or behind it. */
  private boolean staysTheSame(LabelNode start, LabelNode end) {
    int first = places.of(start);
    int last = places.of(end);
    return first <= enterAt && last >= outAt
        || bodyAt <= first && last <= testAt
        || first <= enterAt && last <= bodyAt
        || outAt <= first;
  }

  /** A handler for nothing is not allowed, and the jump may go. */
  private boolean coversTheEntryAlone(TryCatchBlockNode range) {
    return places.of(range.start) == enterAt && places.of(range.end) == bodyAt;
  }

  private void turn() {
    FrameNode atTest = Instructions.frameAt(entry.label);
    FrameNode atOut = frameBefore(places.at(outAt));
    moveEnds();
    AbstractInsnNode afterwards = places.at(outAt);
    AbstractInsnNode last = Objects.requireNonNull(places.before(places.at(testAt)));
    var out = new LabelNode();
    var test = new InsnList();
    test.add(beforeTest);
    for (AbstractInsnNode node : after(last)) {
      method.instructions.remove(node);
      test.add(node);
    }
    back.setOpcode(opposite(back.getOpcode()));
    back.label = out;
    var close = new InsnList();
    close.add(bodyEnd);
    if (!FlowGraph.endsFlow(last.getOpcode()))
      close.add(new JumpInsnNode(Opcodes.GOTO, entry.label));
    close.add(out);
    method.instructions.insert(last, close);
    if (atTest != null && atOut == null)
      method.instructions.insertBefore(afterwards, Instructions.copy(atTest));
    method.instructions.insert(entry, test);
    // Else two stack maps would be for one place: where it is jumped to, and at the test.
    if (frameBefore(entry) == null) method.instructions.remove(entry);
  }

  /** The test: all nodes behind this one, to the jump back. */
  private List<AbstractInsnNode> after(AbstractInsnNode last) {
    List<AbstractInsnNode> found = new ArrayList<>();
    for (AbstractInsnNode node = last; node != back; ) {
      node = node.getNext();
      found.add(node);
    }
    return found;
  }

  private void moveEnds() {
    for (TryCatchBlockNode range : method.tryCatchBlocks) {
      boolean inside = isInside(range.start, range.end);
      range.end = moved(range.end, inside);
    }
    if (method.localVariables != null)
      for (LocalVariableNode variable : method.localVariables) {
        boolean inside = isInside(variable.start, variable.end);
        variable.start = inside ? moved(variable.start, true) : variable.start;
        variable.end = moved(variable.end, inside);
      }
    for (LocalVariableAnnotationNode annotation : Instructions.variableAnnotations(method))
      for (int i = 0; i < annotation.start.size(); i++) {
        boolean inside = isInside(annotation.start.get(i), annotation.end.get(i));
        if (inside) annotation.start.set(i, moved(annotation.start.get(i), true));
        annotation.end.set(i, moved(annotation.end.get(i), inside));
      }
  }

  private boolean isInside(LabelNode start, LabelNode end) {
    return bodyAt <= places.of(start) && places.of(end) <= testAt;
  }

  private LabelNode moved(LabelNode label, boolean inside) {
    int at = places.of(label);
    if (inside) return at == testAt ? bodyEnd : label;
    return at == bodyAt ? beforeTest : label;
  }

  /** The jump that is taken when this one is not. */
  static int opposite(int opcode) {
    return opcode == Opcodes.IFNULL || opcode == Opcodes.IFNONNULL
        ? opcode ^ 1
        : (opcode + 1 ^ 1) - 1;
  }
}
