package io.turnwise.agent.weaver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.TypeReference;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LocalVariableAnnotationNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * Annotations of local variables' types have ranges of their own, which no verifier looks at: they
 * must lie in the woven code all the same, and cover where the variable is.
 */
class VariableAnnotationTest {
  @TempDir private Path folder;

  @Target(ElementType.TYPE_USE)
  @Retention(RetentionPolicy.RUNTIME)
  @interface Marked {}

  /** Annotated: outside of loops, in bodies of every form, in a handler, a resource, a cast. */
  static final class Annotated {
    private Annotated() {}

    /** So short a method that its loop has a copy. */
    private static long copied(String text, int n) {
      long sum = 0;
      for (int i = 0; i < n; i++) {
        @Marked String inner = text;
        sum += inner.length() + i;
      }
      return sum;
    }

    static long loops(int n) throws Exception {
      @Marked String text = "text";
      long sum = copied(text, n);
      for (@Marked Integer i = 0; i < n; i++) sum += i;
      for (int i = 0; i < n; i++) {
        @Marked String inner = text;
        sum += inner.length() + i;
      }
      for (int i = 0; i < n; i++) {
        @Marked String inner = text;
        if (sum > 1L << 40) break;
        sum += inner.charAt(i & 3);
      }
      int i = 0;
      do {
        @Marked String inner = text;
        sum += inner.charAt(i & 3);
        i++;
      } while (i < n);
      while (sum % 7 != 3) {
        @Marked Object inner = text;
        sum += ((@Marked String) inner).length();
      }
      for (int round = 0; round < n; round++) {
        try (@Marked AutoCloseable resource = () -> {}) {
          sum += 100 / (round & 3) + (resource == null ? 1 : 0);
        } catch (@Marked ArithmeticException e) {
          sum ^= round;
        }
      }
      return sum;
    }
  }

  /** Start and end of every annotated range, by instruction; and what they are of. */
  private static List<int[]> ranges(byte[] bytes) {
    var type = new ClassNode();
    new ClassReader(bytes).accept(type, 0);
    List<int[]> found = new ArrayList<>();
    for (MethodNode method : type.methods)
      for (LocalVariableAnnotationNode annotation : Instructions.variableAnnotations(method))
        for (int i = 0; i < annotation.start.size(); i++) {
          assertThat(method.instructions.contains(annotation.start.get(i))).isTrue();
          assertThat(method.instructions.contains(annotation.end.get(i))).isTrue();
          found.add(
              new int[] {
                place(method, annotation.start.get(i)),
                place(method, annotation.end.get(i)),
                annotation.index.get(i)
              });
        }
    return found;
  }

  private static int place(MethodNode method, LabelNode label) {
    int place = 0;
    for (AbstractInsnNode node = label; node != null; node = node.getPrevious())
      if (node.getOpcode() >= 0) place++;
    return place;
  }

  private static byte[] woven(String name, byte[] bytes) {
    WovenClass result =
        LoopWeaver.atRunTime(PollCounter.TARGET).within(WovenLoader.SMALL).weave(name, bytes);
    assertThat(result.skipped()).isEmpty();
    assertThat(result.polls()).isNotEmpty();
    return result.bytes();
  }

  private void assertJavapReads(byte[] bytes) throws Exception {
    Path file = Files.write(folder.resolve("Woven.class"), bytes);
    var said = new StringWriter();
    var out = new PrintWriter(said);
    ToolProvider javap = ToolProvider.findFirst("javap").orElseThrow();
    assertThat(javap.run(out, out, "-v", "-p", file.toString())).as(said.toString()).isZero();
    assertThat(said.toString())
        .contains("RuntimeVisibleTypeAnnotations", "LOCAL_VARIABLE")
        .doesNotContain("Error:", "error:", "<invalid");
  }

  @Test
  void rangesLieInTheWovenCode() throws Exception {
    byte[] before = WovenLoader.bytesOf(Annotated.class);
    byte[] after = woven(Annotated.class.getName(), before);
    List<int[]> ranges = ranges(after);
    assertThat(ranges.size()).isGreaterThan(ranges(before).size()); // loops were copied
    for (int[] range : ranges) assertThat(range[0]).isLessThan(range[1]);
    assertJavapReads(after);
    Method method =
        new WovenLoader()
            .with(Annotated.class.getName(), after)
            .loadClass(Annotated.class.getName())
            .getDeclaredMethod("loops", int.class);
    method.setAccessible(true);
    for (int n : new int[] {0, 1, 50})
      assertThat(method.invoke(null, n)).isEqualTo(Annotated.loops(n));
  }

  /**
   * {@code int run(int)} with a loop that has its test at the end, and an annotated variable in it.
   *
   * @param fromBody whether the range begins with the body, or in the middle of it
   * @param toTest whether the range ends where the test begins, or in the middle of the body
   */
  private static byte[] loop(boolean fromBody, boolean toTest) {
    var writer = new ClassWriter(ClassWriter.COMPUTE_FRAMES);
    writer.visit(Opcodes.V25, Opcodes.ACC_PUBLIC, NAME, null, "java/lang/Object", null);
    MethodVisitor code =
        writer.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, "run", "(I)I", null, null);
    var body = new Label();
    var middle = new Label();
    var late = new Label();
    var test = new Label();
    code.visitCode();
    code.visitInsn(Opcodes.ICONST_0);
    code.visitVarInsn(Opcodes.ISTORE, 1);
    code.visitInsn(Opcodes.ICONST_0);
    code.visitVarInsn(Opcodes.ISTORE, 2);
    code.visitJumpInsn(Opcodes.GOTO, test);
    code.visitLabel(body);
    code.visitIincInsn(1, 3);
    code.visitLabel(middle);
    code.visitIincInsn(1, 4);
    code.visitLabel(late);
    code.visitIincInsn(2, 1);
    code.visitLabel(test);
    code.visitVarInsn(Opcodes.ILOAD, 2);
    code.visitVarInsn(Opcodes.ILOAD, 0);
    code.visitJumpInsn(Opcodes.IF_ICMPLT, body);
    code.visitVarInsn(Opcodes.ILOAD, 1);
    code.visitInsn(Opcodes.IRETURN);
    code.visitLocalVariableAnnotation(
            TypeReference.newTypeReference(TypeReference.LOCAL_VARIABLE).getValue(),
            null,
            new Label[] {fromBody ? body : middle},
            new Label[] {toTest ? test : late},
            new int[] {1},
            "LMarked;",
            true)
        .visitEnd();
    code.visitMaxs(0, 0);
    code.visitEnd();
    writer.visitEnd();
    return writer.toByteArray();
  }

  private static final String NAME = "generated/Annotated";

  private static int run(byte[] bytes, int argument) throws Exception {
    String name = NAME.replace('/', '.');
    Method run = new WovenLoader().with(name, bytes).loadClass(name).getMethod("run", int.class);
    return (int) run.invoke(null, argument);
  }

  /** The instructions from one place to another: what is covered says what it was before. */
  private static List<Integer> covered(byte[] bytes, int[] range) {
    var type = new ClassNode();
    new ClassReader(bytes).accept(type, 0);
    List<Integer> opcodes = new ArrayList<>();
    int place = 0;
    for (AbstractInsnNode node : type.methods.getFirst().instructions) {
      if (node.getOpcode() < 0) continue;
      if (range[0] <= place && place < range[1]) opcodes.add(node.getOpcode());
      place++;
    }
    return opcodes;
  }

  @Test
  void rangesInATurnedLoopCoverWhatTheyDid() throws Exception {
    for (boolean fromBody : new boolean[] {true, false})
      for (boolean toTest : new boolean[] {true, false}) {
        byte[] before = loop(fromBody, toTest);
        byte[] after = woven(NAME, before);
        List<Integer> expected = covered(before, ranges(before).getFirst());
        List<int[]> ranges = ranges(after);
        assertThat(ranges).hasSize(2); // the loop and its copy
        for (int[] range : ranges) assertThat(covered(after, range)).isEqualTo(expected);
        for (int n : new int[] {0, 1, 2, 3, 100}) assertThat(run(after, n)).isEqualTo(7 * n);
        assertJavapReads(after);
      }
  }

  /** A range that begins or ends in the middle of an instruction is nobody's. */
  @Test
  void rangesThatMakeNoSenseAreDropped() throws Exception {
    byte[] bytes = loop(true, true);
    int length = ranges(bytes).size();
    assertThat(length).isEqualTo(1);
    // table_length 1, start_pc, length, index 1: moved by one, both ends are inside of an iinc.
    byte[] stray = bytes.clone();
    int at = indexOf(stray, new byte[] {0x40, 0, 1});
    stray[at + 4]++;
    byte[] after = woven(NAME, stray);
    assertThat(ranges(after)).isEmpty();
    for (int n : new int[] {0, 1, 100}) assertThat(run(after, n)).isEqualTo(7 * n);
    assertThat(new ClassReader(after).getClassName()).isEqualTo(NAME);
  }

  private static int indexOf(byte[] bytes, byte[] wanted) {
    for (int i = 0; i + wanted.length <= bytes.length; i++) {
      boolean same = true;
      for (int j = 0; j < wanted.length; j++) same &= bytes[i + j] == wanted[j];
      if (same) return i;
    }
    throw new AssertionError("not there");
  }
}
