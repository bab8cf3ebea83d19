package io.turnwise.agent.weaver;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.IincInsnNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import org.objectweb.asm.tree.VarInsnNode;

/*
 * Rebuilds loops of one method so that most rounds pass no poll.
 *
 * A strip: `top: if (i >= limit) goto out; BODY; i++; goto top` becomes
 *
 *     top:  if (i >= limit) goto out
 *           end = i + min(limit - i, ROUNDS)
 *     hot:  BODY; i++
 *           if (i < end) goto hot
 *           if (i >= limit) goto out
 *           poll; goto top
 *
 * The compiler sees an ordinary counted loop at hot. limit - i may overflow; its lower 31 bits are never more than the
 * true distance, so the strip only gets shorter, and one round is always run.
 *
 * A loop that can also be left from its middle keeps its test at the top, where it was:
 *
 *     top:  if (i >= limit) goto out
 *           end = i + min(limit - i, ROUNDS)
 *     hot:  if (i >= end) goto turn
 *           BODY; i++; goto hot
 *     turn: if (i >= limit) goto out
 *           poll; goto top
 *
 * The compiler turns loops round by itself, and where there are several ways out it does so better. Here no round would be
 * run if the lower 31 bits were zero, and so never another one: the end is one ahead then.
 *
 * A variable that is a long is not compared with an end; the rounds of a strip are counted down by an int:
 *
 *     top:  if (i >= limit) goto out
 *           left = min(limit - i, ROUNDS)
 *     hot:  BODY; i++
 *           if (--left > 0) goto hot
 *           if (i >= limit) goto out
 *           poll; goto top
 *
 * The compiler cuts loops that count by a long into strips by itself; one that counts by an int it leaves in one piece.
 *
 * A loop that has its test at its end, and runs its first round whatever that says, keeps it there:
 *
 *           end = i < limit ? i + min(limit - i, ROUNDS) : MIN
 *     top:  BODY; i++
 *           if (i < end) goto top
 *           if (i < limit) goto turn
 *           ...
 *     turn: poll; end = i + min(limit - i, ROUNDS); goto top
 *
 * No i is below MIN, so that a first round which should be the only one is followed by the old test. Where to ask for the
 * limit could throw, it is not asked for before the first round: end is MIN then, too. Up to an end that must be met
 * exactly, `do { v = i; i++; BODY } while (v != last)`, there are always (last - i) mod 2^32 rounds before the last one; the
 * lower 31 bits of that are never more, so the end of a strip never lies beyond:
 *
 *           end = i + min(last - i, ROUNDS - 1)
 *     top:  v = i; i++; BODY
 *           if (v != end) goto top
 *           if (v != last) goto turn
 *
 * A budget: `goto top` becomes
 *
 *           left--
 *           if (left > 0) goto top
 *           poll; left = ROUNDS; goto top
 *
 * With its two ways back the compiler makes two loops of it, of which the inner one does not poll. One counter serves all
 * loops of a method that have a budget. It counts down by one, because that is what the compiler knows best; how heavy
 * the rounds are decides where it begins. Where the loop itself counts something by one, that is used instead, whatever
 * the loop is left by: one variable less, and the compiler sees a counted loop.
 *
 *           end = i + ROUNDS
 *     top:  ... i++
 *           if (i < end) goto top
 *           poll; end = i + ROUNDS; goto top
 *
 * A counted loop that may be short gets a twin first, and the strip is built there; see LoopTwin.
 *
 * Neither is for a loop around another: a third loop in the nest, and the innermost would not be vectorised.
 *
 * Both need local variables that the old stack maps do not know. They lie behind all others, and every frame is filled
 * up to them: `left` is set at the method's beginning and lives everywhere, `end` lives in the bodies of strips.
 */
final class LoopBuilder {
  private static final int LOCALS = 2;
  private static final int STACK = 4;
  private static final int MOST_SLOTS = 65_535;

  private final MethodNode method;
  private final PollTarget target;
  private final int rounds;
  private final boolean mayCopy;

  /** Frames as they were, before any of ours. */
  private final List<FrameNode> oldFrames = new ArrayList<>();

  private final Set<FrameNode> insideStrips = new HashSet<>();
  private final int left;
  private final int end;
  private boolean usesLeft;
  private boolean usesEnd;

  /** Whether the method has room for what rebuilt loops keep; plain polls need none. */
  static boolean fitsInto(MethodNode method) {
    return method.maxLocals <= MOST_SLOTS - LOCALS && method.maxStack <= MOST_SLOTS - STACK;
  }

  /**
   * @param rounds that may pass without a poll
   * @param mayCopy whether loops may have a twin
   */
  LoopBuilder(MethodNode method, PollTarget target, int rounds, boolean mayCopy) {
    this.method = method;
    this.target = target;
    this.rounds = rounds;
    this.mayCopy = mayCopy;
    left = method.maxLocals;
    end = method.maxLocals + 1;
    for (AbstractInsnNode node = method.instructions.getFirst();
        node != null;
        node = node.getNext()) if (node instanceof FrameNode frame) oldFrames.add(frame);
  }

  /**
   * @param body all nodes of the loop but those of its top
   * @param hasOtherExits whether it can be left from its middle
   */
  boolean buildStrip(CountedLoop loop, AbstractInsnNode[] body, boolean hasOtherExits) {
    if (!mayBeStrip(Instructions.frameAt(loop.back().label))) return false;
    LoopTwin twin = mayCopy ? LoopTwin.of(method, loop, rounds) : null;
    if (twin == null) {
      buildStripOf(loop, body, hasOtherExits);
    } else {
      oldFrames.addAll(twin.frames());
      buildStripOf(twin.loop(), twin.copiesOf(body), hasOtherExits);
    }
    return true;
  }

  private void buildStripOf(CountedLoop loop, AbstractInsnNode[] body, boolean hasOtherExits) {
    noteStrip(body);
    FrameNode frame = Instructions.frameAt(loop.back().label);
    var hot = new LabelNode();
    var before = new InsnList();
    InsnList after;
    // Where every round goes the long way, it must be run before the end is looked at.
    if (hasOtherExits && !loop.mayWrap()) {
      var turn = new LabelNode();
      setEnd(before, loop, rounds * Math.abs(loop.step()), !loop.isInclusive());
      before.add(hot);
      addFrameOfStrip(before, frame);
      add(before, loop.counted());
      load(before, end);
      before.add(new JumpInsnNode(loop.leavesWhen(), turn));
      after = afterStrip(loop, hot, turn, frame);
    } else {
      setEnd(before, loop, hot);
      before.add(hot);
      if (!startsWithFrame(loop.test().getNext())) addFrameOfStrip(before, frame);
      after = afterRound(loop, hot);
    }
    method.instructions.insert(loop.test(), before);
    method.instructions.insertBefore(loop.back(), after);
  }

  /** Whether it is known what a label of ours behind the test would have to say. */
  private boolean mayBeStrip(@Nullable FrameNode frame) {
    return frame != null || oldFrames.isEmpty();
  }

  private void noteStrip(AbstractInsnNode[] body) {
    usesEnd = true;
    for (AbstractInsnNode node : body) if (node instanceof FrameNode inner) insideStrips.add(inner);
  }

  /**
   * @param body all nodes of the loop but those of its top
   */
  boolean buildLongStrip(LongLoop loop, AbstractInsnNode[] body) {
    FrameNode frame = Instructions.frameAt(loop.back().label);
    if (!mayBeStrip(frame)) return false;
    noteStrip(body);
    var hot = new LabelNode();
    var before = new InsnList();
    if (loop.goesUp()) add(before, loop.limit());
    before.add(new VarInsnNode(Opcodes.LLOAD, loop.variable()));
    if (!loop.goesUp()) add(before, loop.limit());
    before.add(new InsnNode(Opcodes.LSUB));
    before.add(new LdcInsnNode(Long.MAX_VALUE));
    before.add(new InsnNode(Opcodes.LAND));
    before.add(new LdcInsnNode((long) rounds));
    before.add(new MethodInsnNode(Opcodes.INVOKESTATIC, "java/lang/Math", "min", "(JJ)J", false));
    before.add(new InsnNode(Opcodes.L2I));
    before.add(new VarInsnNode(Opcodes.ISTORE, end));
    before.add(hot);
    if (!startsWithFrame(loop.test().getNext())) addFrameOfStrip(before, frame);
    var after = new InsnList();
    after.add(new IincInsnNode(end, -1));
    load(after, end);
    after.add(new JumpInsnNode(Opcodes.IFGT, hot));
    after.add(new VarInsnNode(Opcodes.LLOAD, loop.variable()));
    add(after, loop.limit());
    after.add(new InsnNode(Opcodes.LCMP));
    after.add(new JumpInsnNode(loop.test().getOpcode(), loop.test().label));
    after.add(target.poll());
    method.instructions.insert(loop.test(), before);
    method.instructions.insertBefore(loop.back(), after);
    return true;
  }

  /**
   * @param body all nodes of the loop
   */
  boolean buildDoStrip(DoLoop loop, AbstractInsnNode[] body) {
    LabelNode top = loop.back().label;
    FrameNode frame = Instructions.frameAt(top);
    if (!mayBeStrip(frame) || rangesOver(loop.back()) == null) return false;
    Set<AbstractInsnNode> inside = Collections.newSetFromMap(new IdentityHashMap<>());
    Collections.addAll(inside, body);
    FrameNode entered = new LoopEntry(method, top, inside::contains).insert(beforeDo(loop, top));
    if (entered != null) oldFrames.add(entered);
    noteStrip(body);
    var stay = new InsnList();
    add(stay, loop.counted());
    load(stay, end);
    stay.add(new JumpInsnNode(loop.staysWhen(), top));
    method.instructions.insertBefore(loop.test(), stay);
    var turn = new InsnList();
    turn.add(target.poll());
    setEnd(turn, loop, top);
    return detour(loop.back(), turn, true);
  }

  private InsnList beforeDo(DoLoop loop, LabelNode top) {
    var code = new InsnList();
    if (loop.isUntilEqual()) {
      if (loop.mayAskAtOnce()) {
        setEnd(code, loop, top);
      } else {
        add(code, loop.next());
        code.add(new VarInsnNode(Opcodes.ISTORE, end));
      }
      return code;
    }
    code.add(Instructions.push(loop.step() > 0 ? Integer.MIN_VALUE : Integer.MAX_VALUE));
    code.add(new VarInsnNode(Opcodes.ISTORE, end));
    if (!loop.mayAskAtOnce()) return code;
    add(code, loop.counted());
    add(code, loop.limit());
    code.add(new JumpInsnNode(LoopTurner.opposite(loop.staysWhen()), top));
    setEnd(code, loop, top);
    return code;
  }

  private void setEnd(InsnList code, DoLoop loop, LabelNode top) {
    CountedLoop counting = loop.counting();
    if (loop.isUntilEqual()) setEnd(code, counting, rounds - 1, false);
    else setEnd(code, counting, top);
  }

  private InsnList afterStrip(
      CountedLoop loop, LabelNode hot, LabelNode turn, @Nullable FrameNode frame) {
    var code = new InsnList();
    code.add(new JumpInsnNode(Opcodes.GOTO, hot));
    code.add(turn);
    if (frame != null) {
      FrameNode copy = Instructions.copy(frame);
      code.add(copy);
      oldFrames.add(copy);
    }
    leaveOrPoll(code, loop);
    return code;
  }

  /**
   * What holds where a strip begins: what held at the top, and the end. Not where a frame is there
   * already, which then is the body's own: whatever came to the top came to it by the test, so that
   * what it says holds as well.
   */
  private void addFrameOfStrip(InsnList code, @Nullable FrameNode frame) {
    if (frame == null) return;
    FrameNode copy = Instructions.copy(frame);
    code.add(copy);
    insideStrips.add(copy);
    oldFrames.add(copy);
  }

  /**
   * Sets the end of the next strip.
   *
   * @param hot where the strip begins
   */
  private void setEnd(InsnList code, CountedLoop loop, LabelNode hot) {
    setEnd(code, loop, rounds * Math.abs(loop.step()), false);
    if (loop.mayWrap()) avoidWrap(code, loop, hot);
  }

  /**
   * @param atLeastOne whether it must not be where the variable is
   */
  private void setEnd(InsnList code, CountedLoop loop, int most, boolean atLeastOne) {
    add(code, loop.counted());
    add(code, loop.goesUp() ? loop.limit() : loop.counted());
    add(code, loop.goesUp() ? loop.counted() : loop.limit());
    code.add(new InsnNode(Opcodes.ISUB));
    code.add(Instructions.push(Integer.MAX_VALUE));
    code.add(new InsnNode(Opcodes.IAND));
    code.add(Instructions.push(most));
    code.add(new MethodInsnNode(Opcodes.INVOKESTATIC, "java/lang/Math", "min", "(II)I", false));
    if (atLeastOne) {
      code.add(Instructions.push(1));
      code.add(new MethodInsnNode(Opcodes.INVOKESTATIC, "java/lang/Math", "max", "(II)I", false));
    }
    code.add(new InsnNode(loop.goesUp() ? Opcodes.IADD : Opcodes.ISUB));
    code.add(new VarInsnNode(Opcodes.ISTORE, end));
  }

  /** Where the variable might jump over the end of all ints, every round goes the long way. */
  private void avoidWrap(InsnList code, CountedLoop loop, LabelNode hot) {
    load(code, end);
    int last = loop.goesUp() ? Integer.MAX_VALUE : Integer.MIN_VALUE;
    code.add(Instructions.push(last - loop.step()));
    code.add(new JumpInsnNode(loop.goesUp() ? Opcodes.IF_ICMPLE : Opcodes.IF_ICMPGE, hot));
    code.add(Instructions.push(loop.goesUp() ? Integer.MIN_VALUE : Integer.MAX_VALUE));
    code.add(new VarInsnNode(Opcodes.ISTORE, end));
  }

  private InsnList afterRound(CountedLoop loop, LabelNode hot) {
    var code = new InsnList();
    add(code, loop.counted());
    load(code, end);
    code.add(new JumpInsnNode(stays(loop), hot));
    leaveOrPoll(code, loop);
    return code;
  }

  private void leaveOrPoll(InsnList code, CountedLoop loop) {
    add(code, loop.counted());
    add(code, loop.limit());
    code.add(new JumpInsnNode(loop.leavesWhen(), loop.test().label));
    code.add(target.poll());
  }

  private static int stays(CountedLoop loop) {
    if (loop.goesUp()) return loop.isInclusive() ? Opcodes.IF_ICMPLE : Opcodes.IF_ICMPLT;
    return loop.isInclusive() ? Opcodes.IF_ICMPGE : Opcodes.IF_ICMPGT;
  }

  private static void load(InsnList code, int variable) {
    code.add(new VarInsnNode(Opcodes.ILOAD, variable));
  }

  private static void add(InsnList code, List<AbstractInsnNode> parts) {
    for (int i = 0; i < parts.size(); i++) code.add(parts.get(i).clone(null));
  }

  /**
   * A poll where a conditional jump goes back, and only there. Before the jump it would also be
   * passed on leaving: what the last round took would not be in the hands of a {@code finally} yet.
   *
   * @return false where the poll must stand before the jump
   */
  boolean buildPlain(AbstractInsnNode last, boolean byException) {
    if (byException || !(last instanceof JumpInsnNode back) || back.getOpcode() == Opcodes.GOTO)
      return false;
    var code = new InsnList();
    code.add(target.poll());
    return detour(back, code, false);
  }

  /** Returns false when the jump cannot be doubled where it stands. */
  boolean buildBudget(JumpInsnNode back) {
    if (back.getOpcode() == Opcodes.GOTO) method.instructions.insertBefore(back, spend(back.label));
    else if (!detour(back, spend(back.label), false)) return false;
    usesLeft = true;
    return true;
  }

  /**
   * Lets a conditional jump back go by way of this code, at the end of the method.
   *
   * @param ofStrip whether the end of a strip is known there, as it is to handlers in the loop
   */
  private boolean detour(JumpInsnNode back, InsnList by, boolean ofStrip) {
    FrameNode frame = Instructions.frameAt(back.label);
    if (frame == null && !oldFrames.isEmpty()) return false;
    TryCatchBlockNode[] ranges = rangesOver(back);
    if (ranges == null) return false;
    var start = new LabelNode();
    var end = new LabelNode();
    var code = new InsnList();
    code.add(start);
    if (frame != null) {
      FrameNode copy = Instructions.copy(frame);
      code.add(copy);
      oldFrames.add(copy);
      if (ofStrip) insideStrips.add(copy);
    }
    code.add(by);
    code.add(new JumpInsnNode(Opcodes.GOTO, back.label));
    code.add(end);
    method.instructions.add(code);
    back.label = start;
    for (TryCatchBlockNode range : ranges)
      method.tryCatchBlocks.add(new TryCatchBlockNode(start, end, range.handler, range.type));
    return true;
  }

  /**
   * The ranges that a jump back stands in, in order: what polls in its place needs them, too. Null
   * if one does not cover the place that is jumped to: its handler may know more than that does.
   */
  private TryCatchBlockNode @Nullable [] rangesOver(JumpInsnNode back) {
    int at = method.instructions.indexOf(back);
    int top = method.instructions.indexOf(back.label);
    List<TryCatchBlockNode> found = new ArrayList<>();
    for (int i = 0; i < method.tryCatchBlocks.size(); i++) {
      TryCatchBlockNode range = method.tryCatchBlocks.get(i);
      int start = method.instructions.indexOf(range.start);
      int end = method.instructions.indexOf(range.end);
      if (at < start || end <= at) continue;
      if (top < start || end <= top) return null;
      found.add(range);
    }
    return found.toArray(TryCatchBlockNode[]::new);
  }

  /**
   * The same by a variable of the loop's own.
   *
   * @param body all nodes of the loop
   */
  boolean buildBudgetBy(IincInsnNode step, JumpInsnNode back, AbstractInsnNode[] body) {
    LabelNode top = back.label;
    if (Instructions.frameAt(top) == null && !oldFrames.isEmpty()) return false;
    Set<AbstractInsnNode> inside = Collections.newSetFromMap(new IdentityHashMap<>());
    Collections.addAll(inside, body);
    var before = new InsnList();
    setEnd(before, step);
    FrameNode entered = new LoopEntry(method, top, inside::contains).insert(before);
    if (entered != null) oldFrames.add(entered);
    noteStrip(body);
    var code = new InsnList();
    load(code, step.var);
    load(code, end);
    code.add(new JumpInsnNode(step.incr > 0 ? Opcodes.IF_ICMPLT : Opcodes.IF_ICMPGT, top));
    code.add(target.poll());
    setEnd(code, step);
    method.instructions.insertBefore(back, code);
    return true;
  }

  /** Beyond the largest int, every round polls until the variable is there, too. */
  private void setEnd(InsnList code, IincInsnNode step) {
    load(code, step.var);
    code.add(Instructions.push(rounds));
    code.add(new InsnNode(step.incr > 0 ? Opcodes.IADD : Opcodes.ISUB));
    code.add(new VarInsnNode(Opcodes.ISTORE, end));
  }

  private InsnList spend(LabelNode top) {
    var code = new InsnList();
    code.add(new IincInsnNode(left, -1));
    load(code, left);
    code.add(new JumpInsnNode(Opcodes.IFGT, top));
    code.add(target.poll());
    code.add(Instructions.push(rounds));
    code.add(new VarInsnNode(Opcodes.ISTORE, left));
    return code;
  }

  private static boolean startsWithFrame(@Nullable AbstractInsnNode node) {
    while (node != null && node.getOpcode() < 0) {
      if (node instanceof FrameNode) return true;
      node = node.getNext();
    }
    return false;
  }

  /** Makes room for the new variables, in the method and in its frames. */
  void finish() {
    if (!usesLeft && !usesEnd) return;
    for (int i = 0; i < oldFrames.size(); i++) {
      FrameNode frame = oldFrames.get(i);
      fill(frame.local, left);
      frame.local.add(usesLeft ? Opcodes.INTEGER : Opcodes.TOP);
      if (insideStrips.contains(frame)) frame.local.add(Opcodes.INTEGER);
    }
    if (usesLeft) {
      var code = new InsnList();
      code.add(Instructions.push(rounds));
      code.add(new VarInsnNode(Opcodes.ISTORE, left));
      method.instructions.insert(code);
    }
    method.maxLocals += LOCALS;
    method.maxStack += STACK;
  }

  private static void fill(List<Object> locals, int slots) {
    int used = 0;
    for (int i = 0; i < locals.size(); i++)
      used += locals.get(i).equals(Opcodes.LONG) || locals.get(i).equals(Opcodes.DOUBLE) ? 2 : 1;
    for (; used < slots; used++) locals.add(Opcodes.TOP);
  }
}
