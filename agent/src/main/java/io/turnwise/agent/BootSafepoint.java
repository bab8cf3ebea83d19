package io.turnwise.agent;

import io.turnwise.agent.weaver.PollTarget;
import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * The class that polls in the JDK's own code call: it must be visible from {@code java.base}, where
 * ours are not. It is written here and defined in {@code java.lang}; appending a jar to the boot
 * path would do too, but makes the JVM give up sharing of class data, with a warning.
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
    instrumentation.redefineModule(
        Object.class.getModule(),
        Set.of(),
        Map.of(),
        Map.of("java.lang", Set.of(BootSafepoint.class.getModule())),
        Set.of(),
        Map.of());
    Class<?> defined =
        MethodHandles.privateLookupIn(Object.class, MethodHandles.lookup()).defineClass(bytes());
    Field filter = defined.getField("woven");
    filter.set(null, woven);
  }

  private static byte[] bytes() {
    var writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    // Version 49 has no stack maps, and none are needed.
    writer.visit(
        Opcodes.V1_5,
        Opcodes.ACC_PUBLIC | Opcodes.ACC_FINAL | Opcodes.ACC_SUPER,
        NAME,
        null,
        "java/lang/Object",
        null);
    field(writer, "raised", "Z");
    field(writer, "stop", "Ljava/lang/Runnable;");
    field(writer, "pause", "Ljava/lang/Runnable;");
    field(writer, "woven", "Ljava/util/function/Predicate;");
    poll(writer, STOP.method(), "stop");
    poll(writer, PAUSE.method(), "pause");
    writer.visitEnd();
    return writer.toByteArray();
  }

  private static void field(ClassWriter writer, String name, String type) {
    writer
        .visitField(
            Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC | Opcodes.ACC_VOLATILE, name, type, null, null)
        .visitEnd();
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

  /** Tells the runtimes that were there before the agent. */
  static void linkRuntimes(Instrumentation instrumentation) {
    for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
      if (!loaded.getName().equals("io.turnwise.internal.door.BootFlag")) continue;
      try {
        Module core = loaded.getModule();
        if (core.isNamed())
          instrumentation.redefineModule(
              core,
              Set.of(),
              Map.of(loaded.getPackageName(), Set.of(BootSafepoint.class.getModule())),
              Map.of(),
              Set.of(),
              Map.of());
        loaded.getMethod("link").invoke(null);
      } catch (ReflectiveOperationException e) {
        System.err.println("turnwise-agent: the JDK is not preempted in " + loaded + ": " + e);
      }
    }
  }
}
