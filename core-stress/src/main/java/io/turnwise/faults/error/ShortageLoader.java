package io.turnwise.faults.error;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LineNumber;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Set;

/**
 * Loads the runtime a second time, with calls of {@link Shortage#at} put into it.
 *
 * <p>A loader and not an agent, so that it works from a folder of classes as well as from a jar.
 */
final class ShortageLoader extends ClassLoader {
  private static final ClassDesc SHORTAGE = ClassDesc.of(Shortage.class.getName());
  private static final MethodTypeDesc AT =
      MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_int);
  private static final String OURS = "io.turnwise.";
  private static final String RUNTIME = "io.turnwise.internal.";
  private static final String DOOR = "io.turnwise.internal.door.";

  private static final Set<Opcode> ALLOCATING =
      Set.of(
          Opcode.NEW,
          Opcode.NEWARRAY,
          Opcode.ANEWARRAY,
          Opcode.MULTIANEWARRAY,
          Opcode.INVOKEDYNAMIC);

  private static final Set<String> NEEDING_MEMORY =
      Set.of(
          "add",
          "addAll",
          "put",
          "offer",
          "push",
          "execute",
          "start",
          "computeIfAbsent",
          "iterator",
          "copyOf");

  /** Before what a call is put. */
  enum Places {
    /**
     * Each {@code new}, each array, each lambda or text that is made, and each call of a JDK
     * collection, thread or executor that may need memory to do what it is asked.
     */
    ALLOCATIONS,
    /** Each call that the loop of the ticker makes, and each deadline that fires. */
    STEPS_OF_THE_TICKER
  }

  private final Places places;

  ShortageLoader(ClassLoader parent, Places places) {
    super(parent);
    this.places = places;
  }

  /** Runs a public static method of a class in the copy. */
  Object run(Class<?> original, String method, int first, int second)
      throws ReflectiveOperationException {
    return loadClass(original.getName())
        .getMethod(method, int.class, int.class)
        .invoke(null, first, second);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      if (!name.startsWith(OURS) || isShared(name)) return super.loadClass(name, resolve);
      Class<?> loaded = findLoadedClass(name);
      return loaded != null ? loaded : findClass(name);
    }
  }

  /** The switch itself is one for both copies of the runtime. */
  private static boolean isShared(String name) {
    String shared = Shortage.class.getName();
    return name.equals(shared) || name.startsWith(shared + "$");
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) throw new ClassNotFoundException(name);
      byte[] bytes = in.readAllBytes();
      if (name.startsWith(RUNTIME) && !name.startsWith(DOOR)) bytes = withSites(name, bytes);
      return defineClass(name, bytes, 0, bytes.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  private byte[] withSites(String name, byte[] bytes) {
    ClassFile format = ClassFile.of();
    ClassModel model = format.parse(bytes);
    String shortName = name.substring(name.lastIndexOf('.') + 1);
    int[] line = {0};
    return format.transformClass(
        model,
        ClassTransform.transformingMethodBodies(
            method -> takes(name, method.methodName().stringValue()),
            (code, element) -> {
              if (element instanceof LineNumber number) line[0] = number.line();
              if (isPlace(element))
                code.loadConstant(Shortage.newSite(shortName + ":" + line[0]))
                    .invokestatic(SHORTAGE, "at", AT);
              code.with(element);
            }));
  }

  private boolean takes(String type, String method) {
    return switch (places) {
      case ALLOCATIONS -> !method.equals(ConstantDescs.CLASS_INIT_NAME);
      case STEPS_OF_THE_TICKER ->
          (type.endsWith(".Ticker") && Set.of("run", "beatOnce", "doze").contains(method))
              || (type.endsWith(".PendingCall") && method.equals("fire"));
    };
  }

  private boolean isPlace(CodeElement element) {
    return switch (places) {
      case ALLOCATIONS -> allocates(element);
      case STEPS_OF_THE_TICKER -> element instanceof InvokeInstruction;
    };
  }

  private static boolean allocates(CodeElement element) {
    if (!(element instanceof Instruction instruction)) return false;
    if (instruction instanceof InvokeDynamicInstruction made
        && made.name().equalsString("typeSwitch")) return false; // needs none once it is linked
    if (ALLOCATING.contains(instruction.opcode())) return true;
    return instruction instanceof InvokeInstruction call
        && NEEDING_MEMORY.contains(call.name().stringValue())
        && call.owner().asInternalName().startsWith("java/");
  }
}
