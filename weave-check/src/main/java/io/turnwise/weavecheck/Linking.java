package io.turnwise.weavecheck;

import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/** Makes the JVM link a class, and with that verify it, without running any of its code. */
final class Linking {
  private Linking() {}

  @SuppressWarnings("ReturnValueIgnored")
  static void link(Class<?> type) {
    // HotSpot links a class before it lists its members. The constructors are the shortest list.
    type.getDeclaredConstructors();
  }

  /** Whether a class that is wrong is found to be so. If not, the whole check means nothing. */
  static boolean findsBrokenClasses() {
    return refuses(wrongReturn()) && refuses(missingFrame()) && !refuses(right());
  }

  private static boolean refuses(byte[] classFile) {
    try {
      link(new Single().define(classFile));
      return false;
    } catch (VerifyError e) {
      return true;
    }
  }

  /** Returns a number where it promises an object. */
  private static byte[] wrongReturn() {
    return classFile(ConstantDescs.CD_Object, true);
  }

  /** Jumps back to where no stack map is, as a careless weaver would leave it. */
  private static byte[] missingFrame() {
    return ClassFile.of(ClassFile.StackMapsOption.DROP_STACK_MAPS)
        .build(
            ClassDesc.of("Broken"),
            type ->
                type.withMethodBody(
                    "spin",
                    MethodTypeDesc.of(ConstantDescs.CD_void),
                    ClassFile.ACC_STATIC,
                    code -> {
                      var top = code.newBoundLabel();
                      code.goto_(top);
                    }));
  }

  private static byte[] right() {
    return classFile(ConstantDescs.CD_int, false);
  }

  private static byte[] classFile(ClassDesc result, boolean asObject) {
    return ClassFile.of(ClassFile.StackMapsOption.DROP_STACK_MAPS)
        .build(
            ClassDesc.of("Broken"),
            type ->
                type.withMethodBody(
                    "zero",
                    MethodTypeDesc.of(result),
                    ClassFile.ACC_STATIC,
                    code -> {
                      code.iconst_0();
                      if (asObject) code.areturn();
                      else code.ireturn();
                    }));
  }

  private static final class Single extends ClassLoader {
    Class<?> define(byte[] classFile) {
      return defineClass(null, classFile, 0, classFile.length);
    }
  }
}
