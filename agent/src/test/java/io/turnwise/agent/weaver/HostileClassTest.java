package io.turnwise.agent.weaver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.objectweb.asm.Attribute;
import org.objectweb.asm.ByteVector;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Class files that were written to keep the weaver busy, and such that no compiler has written:
 * nothing is thrown, everything ends, and what the JVM took before it takes afterwards. The limits
 * of time are there for what hangs; these shapes used to take minutes, or all memory.
 */
@Timeout(60)
class HostileClassTest {
  private static final String NAME = "generated/Hostile";
  private static final int MUTANTS = Integer.getInteger("turnwise.mutants", 1_500);

  private enum Shape {
    LOOPS_IN_A_ROW {
      @Override
      void write(MethodVisitor code) {
        for (int i = 0; i < 4_000; i++) {
          var top = new Label();
          code.visitLabel(top);
          backTo(top, code);
        }
      }
    },
    LOOPS_IN_LOOPS {
      @Override
      void write(MethodVisitor code) {
        Label[] tops = labels(4_000);
        for (Label top : tops) {
          code.visitLabel(top);
          code.visitInsn(Opcodes.NOP);
        }
        for (Label top : tops) backTo(top, code);
      }
    },
    MANY_WAYS_BACK {
      @Override
      void write(MethodVisitor code) {
        var top = new Label();
        code.visitLabel(top);
        for (int i = 0; i < 4_500; i++) backTo(top, code);
      }
    },
    JUMPS_TO_ANYWHERE {
      @Override
      void write(MethodVisitor code) {
        var random = new SplittableRandom(7);
        Label[] tops = labels(4_000);
        for (Label top : tops) {
          code.visitLabel(top);
          backTo(tops[random.nextInt(tops.length)], code);
        }
      }
    },
    SWITCHES_TO_EVERYWHERE {
      @Override
      void write(MethodVisitor code) {
        Label[] tops = labels(100);
        for (Label top : tops) {
          code.visitLabel(top);
          code.visitIincInsn(0, -1);
          code.visitVarInsn(Opcodes.ILOAD, 0);
          code.visitTableSwitchInsn(0, tops.length - 1, tops[0], tops);
        }
      }
    },
    HANDLERS_OVER_HANDLERS {
      @Override
      void write(MethodVisitor code) {
        Label[] places = labels(4_000);
        var end = new Label();
        for (Label place : places) code.visitTryCatchBlock(places[0], end, place, null);
        code.visitInsn(Opcodes.ACONST_NULL);
        for (Label place : places) {
          code.visitLabel(place);
          code.visitVarInsn(Opcodes.ASTORE, 1);
          code.visitIincInsn(0, -1);
          code.visitInsn(Opcodes.ACONST_NULL);
        }
        code.visitLabel(end);
        code.visitInsn(Opcodes.POP);
      }
    };

    abstract void write(MethodVisitor code);

    private static Label[] labels(int count) {
      return Stream.generate(Label::new).limit(count).toArray(Label[]::new);
    }

    private static void backTo(Label top, MethodVisitor code) {
      code.visitIincInsn(0, -1);
      code.visitVarInsn(Opcodes.ILOAD, 0);
      code.visitJumpInsn(Opcodes.IFGT, top);
    }

    /** Without frames: a version for which the JVM finds them itself. */
    byte[] classFile() {
      var writer = new ClassWriter(0);
      writer.visit(Opcodes.V1_5, Opcodes.ACC_PUBLIC, NAME, null, "java/lang/Object", null);
      method(writer, 0, this::write);
      writer.visitEnd();
      return writer.toByteArray();
    }
  }

  private interface Body {
    void write(MethodVisitor code);
  }

  private static void method(ClassWriter writer, int number, Body body) {
    MethodVisitor code =
        writer.visitMethod(
            Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, "run" + number, "(I)I", null, null);
    code.visitCode();
    body.write(code);
    code.visitVarInsn(Opcodes.ILOAD, 0);
    code.visitInsn(Opcodes.IRETURN);
    code.visitMaxs(2, 4);
    code.visitEnd();
  }

  private static WovenClass weave(byte[] bytes) {
    return LoopWeaver.atRunTime(PollCounter.TARGET).weave(NAME, bytes);
  }

  private static String link(String name, byte[] bytes) {
    String binary = name.replace('/', '.');
    return JarCheck.link(new WovenLoader().with(binary, bytes), binary);
  }

  @ParameterizedTest
  @EnumSource(Shape.class)
  void whatIsTooMuchToLookThroughIsPolledPlainlyOrLeft(Shape shape) {
    byte[] original = shape.classFile();
    WovenClass result = weave(original);
    if (result.bytes() == null)
      assertThat(result.skipped())
          .isNotEmpty()
          .extracting(Skipped::reason)
          .isSubsetOf(SkipReason.TOO_COMPLEX, SkipReason.METHOD_TOO_LARGE);
    else assertThat(link(NAME, result.bytes())).isEqualTo(link(NAME, original)).isNull();
  }

  /** One poll where they all lead to: one at each would not fit into the method. */
  @Test
  void manyWaysBackToOnePlaceHaveAPollThere() {
    assertThat(weave(Shape.MANY_WAYS_BACK.classFile()).polls()).containsEntry(PollForm.PLAIN, 1);
  }

  /** Variables of ours would have numbers that do not exist. */
  @Test
  void aMethodThatHasAllVariablesThereAreIsPolledPlainly() {
    var writer = new ClassWriter(0);
    writer.visit(Opcodes.V1_5, Opcodes.ACC_PUBLIC, NAME, null, "java/lang/Object", null);
    MethodVisitor code =
        writer.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, "run", "(I)I", null, null);
    code.visitCode();
    var top = new Label();
    code.visitLabel(top);
    Shape.backTo(top, code);
    code.visitVarInsn(Opcodes.ILOAD, 0);
    code.visitInsn(Opcodes.IRETURN);
    code.visitMaxs(65_535, 65_535);
    code.visitEnd();
    writer.visitEnd();
    WovenClass result = weave(writer.toByteArray());
    assertThat(result.polls()).containsOnlyKeys(PollForm.PLAIN);
    assertThat(link(NAME, result.bytes())).isNull();
  }

  /** In a method's code the name says nothing; among the attributes of the method it does. */
  @Test
  void anAttributeOfTheCodeDoesNotBecomeTheMethods() {
    var named =
        new Attribute("Code") {
          @Override
          public boolean isCodeAttribute() {
            return true;
          }

          @Override
          protected ByteVector write(ClassWriter to, byte[] of, int length, int stack, int locals) {
            return new ByteVector().putLong(0).putLong(0);
          }
        };
    var writer = new ClassWriter(0);
    writer.visit(Opcodes.V1_5, Opcodes.ACC_PUBLIC, NAME, null, "java/lang/Object", null);
    method(
        writer,
        0,
        code -> {
          var top = new Label();
          code.visitLabel(top);
          Shape.backTo(top, code);
          code.visitAttribute(named);
        });
    writer.visitEnd();
    byte[] original = writer.toByteArray();
    assertThat(link(NAME, original)).isNull();
    WovenClass result = weave(original);
    assertThat(result.polls()).isNotEmpty();
    assertThat(link(NAME, result.bytes())).isNull();
  }

  /** Each used to cost a writing or three of the whole class. */
  @ParameterizedTest
  @MethodSource("lengths")
  void manyMethodsThatDoNotFitAreLeft(int length, SkipReason reason) {
    var writer = new ClassWriter(0);
    writer.visit(Opcodes.V1_5, Opcodes.ACC_PUBLIC, NAME, null, "java/lang/Object", null);
    for (int i = 0; i < 40; i++)
      method(
          writer,
          i,
          code -> {
            var top = new Label();
            code.visitLabel(top);
            for (int nop = 0; nop < length; nop++) code.visitInsn(Opcodes.NOP);
            Shape.backTo(top, code);
          });
    WovenClass result = weave(writer.toByteArray());
    assertThat(result.skipped()).extracting(Skipped::reason).contains(reason);
  }

  static List<Object[]> lengths() {
    return List.of(
        new Object[] {7_990, SkipReason.NOT_COMPILED},
        new Object[] {65_515, SkipReason.TOO_COMPLEX});
  }

  @Test
  @Timeout(3_600)
  void whateverTheBytesAreNothingIsThrownAndNothingGetsWorse() {
    Class<?>[] victims = {
      LoopShapes.class, ClassReader.class, FlowGraph.class, LoopBuilder.class, MethodVisitor.class
    };
    CallRedirector redirector = CallRedirector.ofUserClasses();
    var random = new SplittableRandom(20_251_116);
    int changed = 0;
    for (int i = 0; i < MUTANTS; i++) {
      Class<?> victim = victims[i % victims.length];
      byte[] mutant = mutate(WovenLoader.bytesOf(victim), random);
      byte[] woven = weave(mutant).bytes();
      redirector.redirect(victim.getName(), mutant);
      if (woven == null || link(victim.getName(), mutant) != null) continue;
      changed++;
      assertThat(link(victim.getName(), woven)).as("mutant " + i + " of " + victim).isNull();
    }
    assertThat(changed).as("mutants that the JVM takes").isPositive();
  }

  private static byte[] mutate(byte[] original, SplittableRandom random) {
    byte[] bytes = original.clone();
    int at = random.nextInt(10, bytes.length);
    switch (random.nextInt(5)) {
      case 0 -> bytes[at] = (byte) random.nextInt();
      case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
      case 2 -> Arrays.fill(bytes, at, Math.min(bytes.length, at + 4), (byte) 0xFF);
      case 3 -> {
        int from = random.nextInt(10, bytes.length);
        int length = Math.min(random.nextInt(64), bytes.length - Math.max(at, from));
        System.arraycopy(original, from, bytes, at, length);
      }
      default -> bytes = Arrays.copyOf(bytes, at);
    }
    return bytes;
  }
}
