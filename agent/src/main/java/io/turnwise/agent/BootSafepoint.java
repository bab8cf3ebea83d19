package io.turnwise.agent;

import io.turnwise.agent.weaver.PollTarget;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Field;
import java.util.function.Predicate;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * The class that polls in the JDK's own code call.
 *
 * <p>Its contract with the runtime, which finds it by name: {@code raised} is written by whoever
 * raises the runtime's own flag; {@code stop} is run by polls that may end a turn, {@code pause} by
 * polls that may only let others run; {@code woven} tells which classes the agent weaves.
 */
final class BootSafepoint {
  static final String NAME = "java/lang/TurnwiseSafepoint";

  /** In code of no shared state: an error thrown out of it harms nobody else. */
  static final PollTarget STOP = new PollTarget(NAME, "poll");

  /** In structures that several may use: they must be left whole. */
  static final PollTarget PAUSE = new PollTarget(NAME, "pollPause");

  private BootSafepoint() {}

  static void define(Instrumentation instrumentation, Predicate<String> woven)
      throws ReflectiveOperationException {
    Class<?> defined = BootClasses.define(instrumentation, bytes());
    Field filter = defined.getField("woven");
    filter.set(null, woven);
  }

  private static byte[] bytes() {
    ClassWriter writer = BootClasses.begin(NAME);
    BootClasses.field(writer, "raised", "Z");
    BootClasses.field(writer, "stop", "Ljava/lang/Runnable;");
    BootClasses.field(writer, "pause", "Ljava/lang/Runnable;");
    BootClasses.field(writer, "woven", "Ljava/util/function/Predicate;");
    poll(writer, STOP.method(), "stop");
    poll(writer, PAUSE.method(), "pause");
    writer.visitEnd();
    return writer.toByteArray();
  }

  /** {@code if (raised && answer != null) answer.run();} */
  private static void poll(ClassWriter writer, String name, String answer) {
    MethodVisitor code =
        writer.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, name, "()V", null, null);
    var out = new Label();
    code.visitCode();
    code.visitFieldInsn(Opcodes.GETSTATIC, NAME, "raised", "Z");
    code.visitJumpInsn(Opcodes.IFEQ, out);
    code.visitFieldInsn(Opcodes.GETSTATIC, NAME, answer, "Ljava/lang/Runnable;");
    code.visitJumpInsn(Opcodes.IFNULL, out);
    code.visitFieldInsn(Opcodes.GETSTATIC, NAME, answer, "Ljava/lang/Runnable;");
    code.visitMethodInsn(Opcodes.INVOKEINTERFACE, "java/lang/Runnable", "run", "()V", true);
    code.visitLabel(out);
    code.visitInsn(Opcodes.RETURN);
    code.visitMaxs(0, 0);
    code.visitEnd();
  }
}
