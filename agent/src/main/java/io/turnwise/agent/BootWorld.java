package io.turnwise.agent;

import java.lang.instrument.Instrumentation;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * The class that the JDK's own code asks for the time, once it was told to. Without a simulation it
 * passes each question on to where it went before.
 *
 * <p>Its contract with the runtime, which finds it by name: {@code simulated} is up while there is
 * a simulation in the JVM, and then the functions are asked, which say themselves whether the
 * thread is one of its own. {@code sleep} gets milliseconds and nanoseconds, and returns 0 where
 * nobody slept. {@code executors} is given the common pool, and returns it or another executor for
 * the current thread. {@code seed} sets the current thread's seed for {@code ThreadLocalRandom},
 * which while there is a simulation goes on from it in the same way on all threads. {@code
 * constantHash} is the hash code of an enum's constant, always.
 */
final class BootWorld {
  static final String NAME = "java/lang/TurnwiseWorld";

  private static final String CLOCK = "java/util/function/LongSupplier";
  private static final String SLEEP = "java/util/function/LongBinaryOperator";
  private static final String CHOICE = "java/util/function/UnaryOperator";
  private static final String EXECUTOR = "java/util/concurrent/Executor";

  private BootWorld() {}

  static void define(Instrumentation instrumentation) throws ReflectiveOperationException {
    BootClasses.define(instrumentation, bytes());
  }

  private static byte[] bytes() {
    ClassWriter writer = BootClasses.begin(NAME);
    BootClasses.field(writer, "simulated", "Z");
    BootClasses.field(writer, "nanoTime", "L" + CLOCK + ";");
    BootClasses.field(writer, "currentTimeMillis", "L" + CLOCK + ";");
    BootClasses.field(writer, "sleep", "L" + SLEEP + ";");
    BootClasses.field(writer, "executors", "L" + CHOICE + ";");
    clock(writer, "nanoTime");
    clock(writer, "currentTimeMillis");
    sleep(writer);
    executor(writer);
    seed(writer);
    threadId(writer);
    constantHash(writer);
    writer.visitEnd();
    return writer.toByteArray();
  }

  private static MethodVisitor method(ClassWriter writer, String name, String descriptor) {
    MethodVisitor code =
        writer.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, name, descriptor, null, null);
    code.visitCode();
    return code;
  }

  /** {@code return simulated ? clock.getAsLong() : System.clock();} */
  private static void clock(ClassWriter writer, String name) {
    MethodVisitor code = method(writer, name, "()J");
    var real = new Label();
    code.visitFieldInsn(Opcodes.GETSTATIC, NAME, "simulated", "Z");
    code.visitJumpInsn(Opcodes.IFEQ, real);
    code.visitFieldInsn(Opcodes.GETSTATIC, NAME, name, "L" + CLOCK + ";");
    code.visitMethodInsn(Opcodes.INVOKEINTERFACE, CLOCK, "getAsLong", "()J", true);
    code.visitInsn(Opcodes.LRETURN);
    code.visitLabel(real);
    code.visitMethodInsn(Opcodes.INVOKESTATIC, "java/lang/System", name, "()J", false);
    code.visitInsn(Opcodes.LRETURN);
    code.visitMaxs(0, 0);
    code.visitEnd();
  }

  /** {@code if (!simulated || sleep.applyAsLong(ms, ns) == 0) Thread.sleep(ms, ns);} */
  private static void sleep(ClassWriter writer) {
    MethodVisitor code = method(writer, "sleep", "(JI)V");
    var real = new Label();
    code.visitFieldInsn(Opcodes.GETSTATIC, NAME, "simulated", "Z");
    code.visitJumpInsn(Opcodes.IFEQ, real);
    code.visitFieldInsn(Opcodes.GETSTATIC, NAME, "sleep", "L" + SLEEP + ";");
    code.visitVarInsn(Opcodes.LLOAD, 0);
    code.visitVarInsn(Opcodes.ILOAD, 2);
    code.visitInsn(Opcodes.I2L);
    code.visitMethodInsn(Opcodes.INVOKEINTERFACE, SLEEP, "applyAsLong", "(JJ)J", true);
    code.visitInsn(Opcodes.L2I);
    code.visitJumpInsn(Opcodes.IFEQ, real);
    code.visitInsn(Opcodes.RETURN);
    code.visitLabel(real);
    code.visitVarInsn(Opcodes.LLOAD, 0);
    code.visitVarInsn(Opcodes.ILOAD, 2);
    code.visitMethodInsn(Opcodes.INVOKESTATIC, "java/lang/Thread", "sleep", "(JI)V", false);
    code.visitInsn(Opcodes.RETURN);
    code.visitMaxs(0, 0);
    code.visitEnd();
  }

  /** {@code return simulated ? (Executor) executors.apply(real) : real;} */
  private static void executor(ClassWriter writer) {
    MethodVisitor code = method(writer, "executor", "(L" + EXECUTOR + ";)L" + EXECUTOR + ";");
    var real = new Label();
    code.visitFieldInsn(Opcodes.GETSTATIC, NAME, "simulated", "Z");
    code.visitJumpInsn(Opcodes.IFEQ, real);
    code.visitFieldInsn(Opcodes.GETSTATIC, NAME, "executors", "L" + CHOICE + ";");
    code.visitVarInsn(Opcodes.ALOAD, 0);
    code.visitMethodInsn(
        Opcodes.INVOKEINTERFACE, CHOICE, "apply", "(Ljava/lang/Object;)Ljava/lang/Object;", true);
    code.visitTypeInsn(Opcodes.CHECKCAST, EXECUTOR);
    code.visitInsn(Opcodes.ARETURN);
    code.visitLabel(real);
    code.visitVarInsn(Opcodes.ALOAD, 0);
    code.visitInsn(Opcodes.ARETURN);
    code.visitMaxs(0, 0);
    code.visitEnd();
  }

  /** {@code Thread.currentThread().threadLocalRandomSeed = seed;} */
  private static void seed(ClassWriter writer) {
    MethodVisitor code = method(writer, "seed", "(J)V");
    code.visitMethodInsn(
        Opcodes.INVOKESTATIC, "java/lang/Thread", "currentThread", "()Ljava/lang/Thread;", false);
    code.visitVarInsn(Opcodes.LLOAD, 0);
    code.visitFieldInsn(Opcodes.PUTFIELD, "java/lang/Thread", "threadLocalRandomSeed", "J");
    code.visitInsn(Opcodes.RETURN);
    code.visitMaxs(0, 0);
    code.visitEnd();
  }

  /** {@code return simulated ? 0 : thread.threadId();} */
  private static void threadId(ClassWriter writer) {
    MethodVisitor code = method(writer, "threadId", "(Ljava/lang/Thread;)J");
    var real = new Label();
    code.visitFieldInsn(Opcodes.GETSTATIC, NAME, "simulated", "Z");
    code.visitJumpInsn(Opcodes.IFEQ, real);
    code.visitInsn(Opcodes.LCONST_0);
    code.visitInsn(Opcodes.LRETURN);
    code.visitLabel(real);
    code.visitVarInsn(Opcodes.ALOAD, 0);
    code.visitMethodInsn(Opcodes.INVOKEVIRTUAL, "java/lang/Thread", "threadId", "()J", false);
    code.visitInsn(Opcodes.LRETURN);
    code.visitMaxs(0, 0);
    code.visitEnd();
  }

  /**
   * {@code return ((Enum) constant).name().hashCode();} Also while there is no simulation: the
   * constant keeps what it gets the first time.
   */
  private static void constantHash(ClassWriter writer) {
    MethodVisitor code = method(writer, "constantHash", "(Ljava/lang/Object;)I");
    code.visitVarInsn(Opcodes.ALOAD, 0);
    code.visitTypeInsn(Opcodes.CHECKCAST, "java/lang/Enum");
    code.visitMethodInsn(
        Opcodes.INVOKEVIRTUAL, "java/lang/Enum", "name", "()Ljava/lang/String;", false);
    code.visitMethodInsn(Opcodes.INVOKEVIRTUAL, "java/lang/String", "hashCode", "()I", false);
    code.visitInsn(Opcodes.IRETURN);
    code.visitMaxs(0, 0);
    code.visitEnd();
  }
}
