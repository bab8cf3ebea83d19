package io.turnwise.agent;

import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandles;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;

/**
 * Defines classes that the JDK's own code can see, where ours are not. They are written by hand and
 * defined in {@code java.lang}; appending a jar to the boot path would do too, but makes the JVM
 * give up sharing of class data, with a warning.
 */
final class BootClasses {
  private BootClasses() {}

  static Class<?> define(Instrumentation instrumentation, byte[] classFile)
      throws ReflectiveOperationException {
    instrumentation.redefineModule(
        Object.class.getModule(),
        Set.of(),
        Map.of(),
        Map.of("java.lang", Set.of(BootClasses.class.getModule())),
        Set.of(),
        Map.of());
    return MethodHandles.privateLookupIn(Object.class, MethodHandles.lookup())
        .defineClass(classFile);
  }

  /**
   * @param name with slashes
   */
  static ClassWriter begin(String name) {
    var writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    // Version 49 has no stack maps, and none are needed.
    writer.visit(
        Opcodes.V1_5,
        Opcodes.ACC_PUBLIC | Opcodes.ACC_FINAL | Opcodes.ACC_SUPER,
        name,
        null,
        "java/lang/Object",
        null);
    return writer;
  }

  /** Volatile, and everybody's. */
  static void field(ClassWriter writer, String name, String type) {
    writer
        .visitField(
            Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC | Opcodes.ACC_VOLATILE, name, type, null, null)
        .visitEnd();
  }

  /** Tells the runtimes that were there before the class was. */
  static void linkRuntimes(Instrumentation instrumentation) {
    for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
      if (!loaded.getName().equals("io.turnwise.internal.door.BootFlag")) continue;
      try {
        Module core = loaded.getModule();
        if (core.isNamed())
          instrumentation.redefineModule(
              core,
              Set.of(),
              Map.of(loaded.getPackageName(), Set.of(BootClasses.class.getModule())),
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
