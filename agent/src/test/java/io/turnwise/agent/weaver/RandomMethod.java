package io.turnwise.agent.weaver;

import java.util.Random;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * A class with one method {@code static int run(int)} whose blocks jump wherever chance sends them:
 * into the middle of loops, out of handlers, back by exceptions. Some blocks are counted loops of
 * their own. It ends when its fuel is used up; every block counts itself in {@link #steps}.
 */
public final class RandomMethod {
  static final String NAME = "generated/Random";
  private static final String STEPS_OWNER = "io/turnwise/agent/weaver/RandomMethod";

  /** Blocks run so far, counted by the generated code. */
  public static int steps;

  private static final int FUEL = 2;
  private static final int VALUES = 4;
  private static final int FIRST_VALUE = 3; // 0: argument, 1: caught or scratch, 2: fuel
  private static final int COUNTER = FIRST_VALUE + VALUES;
  private static final int LONG_COUNTER = COUNTER + 1;

  private final Random random;
  private final int version;
  private final Label[] blocks;
  private final Label out = new Label();

  RandomMethod(long seed, int version) {
    random = new Random(seed);
    this.version = version;
    blocks = new Label[3 + random.nextInt(10)];
    for (int i = 0; i < blocks.length; i++) blocks[i] = new Label();
  }

  int blocks() {
    return blocks.length;
  }

  byte[] bytes() {
    var writer = new ClassWriter(ClassWriter.COMPUTE_FRAMES | ClassWriter.COMPUTE_MAXS);
    writer.visit(version, Opcodes.ACC_PUBLIC, NAME, null, "java/lang/Object", null);
    MethodVisitor code =
        writer.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, "run", "(I)I", null, null);
    code.visitCode();
    handlers(code);
    code.visitInsn(Opcodes.ICONST_0);
    code.visitVarInsn(Opcodes.ISTORE, 1);
    code.visitIntInsn(Opcodes.SIPUSH, 200);
    code.visitVarInsn(Opcodes.ISTORE, FUEL);
    for (int i = 0; i <= VALUES; i++) {
      code.visitVarInsn(Opcodes.ILOAD, 0);
      code.visitVarInsn(Opcodes.ISTORE, FIRST_VALUE + i);
    }
    code.visitInsn(Opcodes.LCONST_0);
    code.visitVarInsn(Opcodes.LSTORE, LONG_COUNTER);
    for (int i = 0; i < blocks.length; i++) block(code, i);
    code.visitLabel(out);
    code.visitVarInsn(Opcodes.ILOAD, 1);
    for (int i = 0; i < VALUES; i++) {
      code.visitIntInsn(Opcodes.BIPUSH, 31);
      code.visitInsn(Opcodes.IMUL);
      code.visitVarInsn(Opcodes.ILOAD, FIRST_VALUE + i);
      code.visitInsn(Opcodes.IADD);
    }
    code.visitInsn(Opcodes.IRETURN);
    code.visitMaxs(0, 0);
    code.visitEnd();
    writer.visitEnd();
    return writer.toByteArray();
  }

  /** Handlers that begin anywhere: before, behind or inside of what they cover. */
  private void handlers(MethodVisitor code) {
    for (int i = random.nextInt(3); i > 0; i--) {
      int start = random.nextInt(blocks.length - 1);
      int end = start + 1 + random.nextInt(blocks.length - start - 1);
      code.visitTryCatchBlock(
          blocks[start], blocks[end], catching(), "java/lang/ArithmeticException");
    }
  }

  private final java.util.List<Label> catchers = new java.util.ArrayList<>();

  private Label catching() {
    var label = new Label();
    catchers.add(label);
    return label;
  }

  private void block(MethodVisitor code, int index) {
    if (!catchers.isEmpty() && random.nextInt(3) == 0 || index == blocks.length - 1)
      catchers.removeIf(label -> catchHere(code, label));
    code.visitLabel(blocks[index]);
    count(code);
    for (int i = random.nextInt(4); i > 0; i--) operation(code);
    if (random.nextInt(4) == 0) countedLoop(code);
    if (random.nextInt(5) == 0) loopTestedAtTheEnd(code);
    if (random.nextInt(8) == 0) loopUntilTheLast(code);
    if (random.nextInt(8) == 0) longLoop(code);
    leave(code);
  }

  private boolean catchHere(MethodVisitor code, Label label) {
    var past = new Label();
    code.visitJumpInsn(Opcodes.GOTO, past);
    code.visitLabel(label);
    code.visitInsn(Opcodes.POP);
    code.visitIincInsn(1, 5);
    if (random.nextBoolean()) code.visitJumpInsn(Opcodes.GOTO, somewhere());
    code.visitLabel(past);
    return true;
  }

  /** Counts the block, burns fuel, and leaves for good when there is none. */
  private void count(MethodVisitor code) {
    code.visitFieldInsn(Opcodes.GETSTATIC, STEPS_OWNER, "steps", "I");
    code.visitInsn(Opcodes.ICONST_1);
    code.visitInsn(Opcodes.IADD);
    code.visitFieldInsn(Opcodes.PUTSTATIC, STEPS_OWNER, "steps", "I");
    code.visitIincInsn(FUEL, -1);
    code.visitVarInsn(Opcodes.ILOAD, FUEL);
    code.visitJumpInsn(Opcodes.IFLE, out);
  }

  private void operation(MethodVisitor code) {
    int[] operations = {Opcodes.IADD, Opcodes.ISUB, Opcodes.IMUL, Opcodes.IXOR, Opcodes.IDIV};
    code.visitVarInsn(Opcodes.ILOAD, value());
    code.visitVarInsn(Opcodes.ILOAD, value());
    int operation = operations[random.nextInt(operations.length)];
    if (operation == Opcodes.IDIV) {
      // Divides by zero now and then, and only so often.
      code.visitInsn(Opcodes.ICONST_3);
      code.visitInsn(Opcodes.IAND);
      code.visitInsn(random.nextInt(3) == 0 ? Opcodes.ICONST_0 : Opcodes.ICONST_1);
      code.visitInsn(Opcodes.IOR);
    }
    code.visitInsn(operation);
    code.visitVarInsn(Opcodes.ISTORE, value());
  }

  private void countedLoop(MethodVisitor code) {
    boolean up = random.nextBoolean();
    int step = 1 + random.nextInt(3);
    boolean atTheEdge = random.nextInt(4) == 0; // of all ints: it may pass that, and begin anew
    int limit = atTheEdge ? up ? Integer.MAX_VALUE : Integer.MIN_VALUE : random.nextInt(20) - 10;
    int near = atTheEdge ? limit : 0;
    var top = new Label();
    var end = new Label();
    code.visitLdcInsn(near + (up ? -random.nextInt(20) : random.nextInt(20)));
    code.visitVarInsn(Opcodes.ISTORE, COUNTER);
    code.visitLabel(top);
    code.visitVarInsn(Opcodes.ILOAD, COUNTER);
    if (atTheEdge || random.nextBoolean()) {
      code.visitLdcInsn(limit);
      code.visitJumpInsn(
          up
              ? random.nextBoolean() ? Opcodes.IF_ICMPGE : Opcodes.IF_ICMPGT
              : random.nextBoolean() ? Opcodes.IF_ICMPLE : Opcodes.IF_ICMPLT,
          end);
    } else {
      code.visitJumpInsn(up ? Opcodes.IFGE : Opcodes.IFLT, end);
    }
    count(code);
    operation(code);
    if (random.nextInt(4) == 0) {
      code.visitVarInsn(Opcodes.ILOAD, value());
      code.visitJumpInsn(Opcodes.IFEQ, random.nextBoolean() ? end : somewhere());
    }
    code.visitIincInsn(COUNTER, up ? step : -step);
    code.visitJumpInsn(Opcodes.GOTO, top);
    code.visitLabel(end);
  }

  /** Entered at its test, as Eclipse's compiler writes it, or at its body. */
  private void loopTestedAtTheEnd(MethodVisitor code) {
    boolean up = random.nextBoolean();
    int step = 1 + random.nextInt(3);
    var body = new Label();
    var next = new Label();
    var test = new Label();
    var end = new Label();
    int near = random.nextInt(20) - 10;
    code.visitLdcInsn(
        switch (random.nextInt(4)) {
          case 0 -> Integer.MAX_VALUE - random.nextInt(4);
          case 1 -> Integer.MIN_VALUE + random.nextInt(4);
          default -> up ? near - random.nextInt(20) : near + random.nextInt(20);
        });
    code.visitVarInsn(Opcodes.ISTORE, COUNTER);
    if (random.nextBoolean()) code.visitJumpInsn(Opcodes.GOTO, test);
    code.visitLabel(body);
    if (random.nextInt(3) == 0) code.visitIincInsn(FIRST_VALUE, 1);
    count(code);
    operation(code);
    if (random.nextInt(3) == 0) {
      code.visitVarInsn(Opcodes.ILOAD, value());
      Label[] targets = {end, next, somewhere()};
      code.visitJumpInsn(Opcodes.IFEQ, targets[random.nextInt(targets.length)]);
      operation(code);
    }
    code.visitLabel(next);
    code.visitIincInsn(COUNTER, up ? step : -step);
    code.visitLabel(test);
    if (random.nextInt(4) == 0) {
      code.visitVarInsn(Opcodes.ILOAD, value());
      code.visitJumpInsn(Opcodes.IFEQ, end);
    }
    boolean mirrored = random.nextBoolean();
    if (mirrored) limit(code, near);
    code.visitVarInsn(Opcodes.ILOAD, COUNTER);
    if (!mirrored) limit(code, near);
    boolean less = up != mirrored;
    code.visitJumpInsn(
        less
            ? random.nextBoolean() ? Opcodes.IF_ICMPLT : Opcodes.IF_ICMPLE
            : random.nextBoolean() ? Opcodes.IF_ICMPGT : Opcodes.IF_ICMPGE,
        body);
    code.visitLabel(end);
  }

  private void limit(MethodVisitor code, int near) {
    switch (random.nextInt(4)) {
      case 0 -> code.visitVarInsn(Opcodes.ILOAD, 0); // the argument, which nobody writes
      case 1 -> code.visitVarInsn(Opcodes.ILOAD, value());
      default -> code.visitLdcInsn(near);
    }
  }

  /** As Kotlin's compiler writes a range whose end may be the largest int. */
  private void loopUntilTheLast(MethodVisitor code) {
    boolean up = random.nextBoolean();
    var body = new Label();
    var next = new Label();
    int last = random.nextInt(3) == 0 ? Integer.MAX_VALUE : random.nextInt(20);
    code.visitLdcInsn(last + (up ? -1 : 1) * random.nextInt(20));
    code.visitVarInsn(Opcodes.ISTORE, COUNTER);
    code.visitLabel(body);
    code.visitVarInsn(Opcodes.ILOAD, COUNTER);
    code.visitVarInsn(Opcodes.ISTORE, 1);
    code.visitIincInsn(COUNTER, up ? 1 : -1);
    count(code);
    if (random.nextInt(3) == 0) {
      code.visitVarInsn(Opcodes.ILOAD, value());
      code.visitJumpInsn(Opcodes.IFEQ, random.nextBoolean() ? next : somewhere());
    }
    operation(code);
    code.visitLabel(next);
    code.visitVarInsn(Opcodes.ILOAD, 1);
    if (random.nextInt(3) == 0) limit(code, last);
    else code.visitLdcInsn(last);
    code.visitJumpInsn(Opcodes.IF_ICMPNE, body);
  }

  private void longLoop(MethodVisitor code) {
    boolean up = random.nextBoolean();
    var top = new Label();
    var end = new Label();
    code.visitIntInsn(Opcodes.BIPUSH, up ? -random.nextInt(20) : random.nextInt(20));
    code.visitInsn(Opcodes.I2L);
    code.visitVarInsn(Opcodes.LSTORE, LONG_COUNTER);
    code.visitLabel(top);
    code.visitVarInsn(Opcodes.LLOAD, LONG_COUNTER);
    if (random.nextBoolean()) {
      code.visitVarInsn(Opcodes.ILOAD, value());
      code.visitInsn(Opcodes.I2L);
    } else {
      code.visitLdcInsn(random.nextLong(21) - 10);
    }
    code.visitInsn(Opcodes.LCMP);
    code.visitJumpInsn(
        up
            ? random.nextBoolean() ? Opcodes.IFGE : Opcodes.IFGT
            : random.nextBoolean() ? Opcodes.IFLE : Opcodes.IFLT,
        end);
    count(code);
    operation(code);
    if (random.nextInt(4) == 0) {
      code.visitVarInsn(Opcodes.ILOAD, value());
      code.visitJumpInsn(Opcodes.IFEQ, random.nextBoolean() ? end : somewhere());
    }
    code.visitVarInsn(Opcodes.LLOAD, LONG_COUNTER);
    code.visitInsn(Opcodes.LCONST_1);
    code.visitInsn(up ? Opcodes.LADD : Opcodes.LSUB);
    code.visitVarInsn(Opcodes.LSTORE, LONG_COUNTER);
    code.visitJumpInsn(Opcodes.GOTO, top);
    code.visitLabel(end);
  }

  private void leave(MethodVisitor code) {
    switch (random.nextInt(5)) {
      case 0 -> code.visitJumpInsn(Opcodes.GOTO, somewhere());
      case 1, 2 -> {
        code.visitVarInsn(Opcodes.ILOAD, value());
        code.visitJumpInsn(random.nextBoolean() ? Opcodes.IFGT : Opcodes.IFEQ, somewhere());
      }
      case 3 -> {
        code.visitVarInsn(Opcodes.ILOAD, value());
        code.visitInsn(Opcodes.ICONST_3);
        code.visitInsn(Opcodes.IAND);
        code.visitTableSwitchInsn(0, 2, somewhere(), somewhere(), somewhere(), somewhere());
      }
      default -> {} // falls into the next
    }
  }

  private int value() {
    return FIRST_VALUE + random.nextInt(VALUES);
  }

  private Label somewhere() {
    return blocks[random.nextInt(blocks.length)];
  }
}
