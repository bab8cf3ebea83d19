package io.turnwise.agent.weaver;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Class files at the edges of what the format allows. What cannot be woven stays as it was. */
class ClassFileTest {
  private static final String NAME = "generated/Edge";

  private static WovenClass weave(byte[] bytes) {
    return LoopWeaver.atRunTime(PollCounter.TARGET).within(WovenLoader.SMALL).weave(NAME, bytes);
  }

  /** A class with one method {@code static int run(int)} that is made of the code given. */
  private static byte[] method(int version, Consumer<MethodVisitor> body) {
    // Old versions have no frames, and may have what no frame can describe.
    var writer =
        new ClassWriter(
            version < Opcodes.V1_6 ? ClassWriter.COMPUTE_MAXS : ClassWriter.COMPUTE_FRAMES);
    writer.visit(version, Opcodes.ACC_PUBLIC, NAME, null, "java/lang/Object", null);
    MethodVisitor code =
        writer.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, "run", "(I)I", null, null);
    code.visitCode();
    body.accept(code);
    code.visitMaxs(2, 4);
    code.visitEnd();
    writer.visitEnd();
    return writer.toByteArray();
  }

  /** Counts the argument down to zero, with that many instructions that do nothing in between. */
  private static byte[] loopOfLength(int nops) {
    return method(
        Opcodes.V25,
        code -> {
          var top = new Label();
          code.visitLabel(top);
          code.visitIincInsn(0, -1);
          for (int i = 0; i < nops; i++) code.visitInsn(Opcodes.NOP);
          code.visitVarInsn(Opcodes.ILOAD, 0);
          code.visitJumpInsn(Opcodes.IFGT, top);
          code.visitVarInsn(Opcodes.ILOAD, 0);
          code.visitInsn(Opcodes.IRETURN);
        });
  }

  private static int run(byte[] bytes, int argument) throws Exception {
    String name = NAME.replace('/', '.');
    Method run = new WovenLoader().with(name, bytes).loadClass(name).getMethod("run", int.class);
    return (int) run.invoke(null, argument);
  }

  @Test
  void subroutinesOfOldCompilersAreLeftAlone() {
    byte[] bytes =
        method(
            Opcodes.V1_4,
            code -> {
              var top = new Label();
              var subroutine = new Label();
              code.visitLabel(top);
              code.visitJumpInsn(Opcodes.JSR, subroutine);
              code.visitVarInsn(Opcodes.ILOAD, 0);
              code.visitJumpInsn(Opcodes.IFGT, top);
              code.visitVarInsn(Opcodes.ILOAD, 0);
              code.visitInsn(Opcodes.IRETURN);
              code.visitLabel(subroutine);
              code.visitVarInsn(Opcodes.ASTORE, 1);
              code.visitIincInsn(0, -1);
              code.visitVarInsn(Opcodes.RET, 1);
            });
    assertLeft(weave(bytes), SkipReason.SUBROUTINES);
  }

  @Test
  void aMethodThatWouldNotFitIsLeftAlone() {
    assertLeft(weave(loopOfLength(65_520)), SkipReason.METHOD_TOO_LARGE);
  }

  @Test
  void aMethodThatWouldNoLongerBeCompiledIsLeftAlone() {
    assertLeft(weave(loopOfLength(7_990)), SkipReason.NOT_COMPILED);
  }

  @Test
  void nearTheLimitOfTheCompilerThereIsRoomForAPlainPoll() throws Exception {
    WovenClass result = weave(loopOfLength(7_980));
    assertThat(result.polls()).containsOnlyKeys(PollForm.PLAIN);
    assertThat(run(result.bytes(), 5)).isZero();
  }

  /** Its jumps no longer reach as far as two bytes can say. */
  @Test
  void aLongMethodGetsLongJumps() throws Exception {
    WovenClass result = weave(loopOfLength(32_755));
    assertThat(result.skipped()).isEmpty();
    assertThat(PollCounter.during(() -> runQuietly(result.bytes()))).isPositive();
  }

  private static void runQuietly(byte[] bytes) {
    try {
      assertThat(run(bytes, 100)).isZero();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void whatTheBuildWoveIsNotWovenAgain() {
    byte[] once = LoopWeaver.atBuildTime(PollCounter.TARGET).weave(NAME, loopOfLength(1)).bytes();
    assertThat(once).isNotNull();
    assertLeft(weave(once), SkipReason.ALREADY_WOVEN);
  }

  @Test
  void aFullConstantPoolLeavesNoRoomForThePoll() {
    byte[] bytes =
        method(
            Opcodes.V25,
            code -> {
              var top = new Label();
              code.visitLabel(top);
              code.visitIincInsn(0, -1);
              code.visitVarInsn(Opcodes.ILOAD, 0);
              code.visitJumpInsn(Opcodes.IFGT, top);
              code.visitVarInsn(Opcodes.ILOAD, 0);
              code.visitInsn(Opcodes.IRETURN);
            });
    var writer = new ClassWriter(new ClassReader(bytes), 0);
    new ClassReader(bytes).accept(writer, 0);
    int next = 0;
    while (writer.newConst(next++) < 65_530) {}
    assertLeft(weave(writer.toByteArray()), SkipReason.CONSTANTS_FULL);
  }

  @Test
  void aVersionOfTheFutureIsLeftAlone() {
    byte[] bytes = loopOfLength(1);
    bytes[7] = (byte) 200;
    assertLeft(weave(bytes), SkipReason.UNKNOWN_VERSION);
  }

  @Test
  void bytesThatAreNoClassAreLeftAlone() {
    byte[] bytes = loopOfLength(1);
    for (int length = 0; length < bytes.length; length += 3)
      assertThat(weave(Arrays.copyOf(bytes, length)).bytes()).isNull();
    for (int i = 8; i < bytes.length; i++) {
      byte[] damaged = bytes.clone();
      damaged[i] ^= 0x55;
      weave(damaged); // any result, no exception
    }
  }

  @Test
  void aClassWithNothingToPollIsNotRewritten() {
    assertThat(weave(WovenLoader.bytesOf(SkipReason.class)).bytes()).isNull();
  }

  private static void assertLeft(WovenClass result, SkipReason reason) {
    assertThat(result.bytes() == null).isTrue(); // not to see 64 KB when it fails
    assertThat(result.skipped()).extracting(Skipped::reason).containsExactly(reason);
  }

  /** Then an exception leads past whatever stands before the loop. */
  @Test
  void theTopOfALoopMayBeAHandler() throws Exception {
    byte[] bytes =
        method(
            Opcodes.V25,
            code -> {
              var start = new Label();
              var end = new Label();
              var top = new Label();
              var out = new Label();
              code.visitTryCatchBlock(start, end, top, "java/lang/RuntimeException");
              code.visitInsn(Opcodes.ICONST_0);
              code.visitVarInsn(Opcodes.ISTORE, 1);
              code.visitLabel(start);
              code.visitInsn(Opcodes.ICONST_1);
              code.visitVarInsn(Opcodes.ILOAD, 0);
              code.visitInsn(Opcodes.IDIV);
              code.visitInsn(Opcodes.POP);
              code.visitLabel(end);
              noException(code);
              code.visitLabel(top);
              code.visitInsn(Opcodes.POP);
              code.visitVarInsn(Opcodes.ILOAD, 1);
              code.visitVarInsn(Opcodes.ILOAD, 0);
              code.visitJumpInsn(Opcodes.IF_ICMPGE, out);
              code.visitIincInsn(1, 1);
              noException(code);
              code.visitJumpInsn(Opcodes.GOTO, top);
              code.visitLabel(out);
              code.visitVarInsn(Opcodes.ILOAD, 1);
              code.visitInsn(Opcodes.IRETURN);
            });
    byte[] woven = weave(bytes).bytes();
    for (int n : new int[] {0, 1, 50}) assertThat(run(woven, n)).isEqualTo(n);
    assertThat(PollCounter.during(() -> runSafely(woven, 50))).isPositive();
  }

  private static void noException(MethodVisitor code) {
    code.visitInsn(Opcodes.ACONST_NULL);
    code.visitTypeInsn(Opcodes.CHECKCAST, "java/lang/RuntimeException");
  }

  private static void runSafely(byte[] bytes, int argument) {
    try {
      run(bytes, argument);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** No compiler writes this; programs that shuffle code may. */
  @Test
  void aBlockOfOneLoopMayStandInTheMiddleOfAnother() throws Exception {
    byte[] bytes =
        method(
            Opcodes.V25,
            code -> {
              var outer = new Label();
              var step = new Label();
              var next = new Label();
              var top = new Label();
              var body = new Label();
              var out = new Label();
              for (int variable = 1; variable <= 3; variable++) {
                code.visitInsn(Opcodes.ICONST_0);
                code.visitVarInsn(Opcodes.ISTORE, variable);
              }
              code.visitLabel(outer);
              code.visitVarInsn(Opcodes.ILOAD, 1);
              code.visitVarInsn(Opcodes.ILOAD, 0);
              code.visitJumpInsn(Opcodes.IF_ICMPLT, step);
              code.visitLabel(top);
              code.visitVarInsn(Opcodes.ILOAD, 2);
              code.visitVarInsn(Opcodes.ILOAD, 0);
              code.visitJumpInsn(Opcodes.IF_ICMPGE, out);
              code.visitJumpInsn(Opcodes.GOTO, body);
              code.visitLabel(step);
              code.visitIincInsn(3, 5);
              code.visitJumpInsn(Opcodes.GOTO, next);
              code.visitLabel(body);
              code.visitIincInsn(3, 3);
              code.visitIincInsn(2, 1);
              code.visitJumpInsn(Opcodes.GOTO, top);
              code.visitLabel(next);
              code.visitIincInsn(1, 1);
              code.visitJumpInsn(Opcodes.GOTO, outer);
              code.visitLabel(out);
              code.visitVarInsn(Opcodes.ILOAD, 3);
              code.visitInsn(Opcodes.IRETURN);
            });
    byte[] woven = weave(bytes).bytes();
    for (int n : new int[] {0, 1, 50}) assertThat(run(woven, n)).isEqualTo(8 * n);
  }
}
