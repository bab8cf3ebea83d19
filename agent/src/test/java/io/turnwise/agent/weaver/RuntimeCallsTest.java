package io.turnwise.agent.weaver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** Calls of the runtime's own methods: no recursion passes them that passes no other poll. */
class RuntimeCallsTest {
  private static final String USER = "shop/Cart";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ActorRef    | cast       | (Ljava/lang/Object;)V",
        "ActorRef    | call       | (Lio/turnwise/Call;)Ljava/lang/Object;",
        "ActorRef    | kill       | ()Ljava/util/concurrent/CompletionStage;",
        "Context     | reply      | (Lio/turnwise/Call;Ljava/lang/Object;)V",
        "Context     | self       | ()Lio/turnwise/ActorRef;",
        "Context     | stash      | ()V",
        "Reply       | succeed    | (Ljava/lang/Object;)V",
        "ActorSystem | find       | (Ljava/lang/String;)Ljava/util/Optional;",
        "ActorSystem | spawn      | (Ljava/util/function/Supplier;)Lio/turnwise/ActorRef;",
        "Context     | callToSelf | (Lio/turnwise/ActorRef;Lio/turnwise/Call;Ljava/util/function/Function;)V",
      })
  void sendingAndSpawningNeedNoPoll(String owner, String name, String descriptor) {
    assertThat(pollsOf("io/turnwise/" + owner, name, descriptor)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "scheduling/Masked | run       | (Ljava/time/Duration;Ljava/lang/Runnable;)V",
        "ActorSystem       | open      | (Ljava/lang/String;Ljava/util/function/UnaryOperator;)Lio/turnwise/ActorSystem;",
        "Dispatcher        | configure | (Ljava/util/function/UnaryOperator;)V",
      })
  void methodsThatRunAFunctionOnTheSpotArePolled(String owner, String name, String descriptor) {
    assertThat(pollsOf("io/turnwise/" + owner, name, descriptor)).containsKey(PollForm.CALL);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Actor                    | receive  | (Ljava/lang/Object;Lio/turnwise/Context;)V",
        "ActorSystem$Registration | close    | ()V",
        "observation/DeadLetter   | toString | ()Ljava/lang/String;",
        "CallException            | printStackTrace | (Ljava/io/PrintStream;)V",
        "elsewhere/Shop           | cast     | (Ljava/lang/Object;)V",
      })
  void whatMayLeadToCodeOfTheUsersIsPolled(String owner, String name, String descriptor) {
    assertThat(pollsOf("io/turnwise/" + owner, name, descriptor)).containsKey(PollForm.CALL);
  }

  /** The polls of a method that makes one call, and stands so high that every call goes down. */
  private static Map<PollForm, Integer> pollsOf(String owner, String name, String descriptor) {
    var writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    writer.visit(Opcodes.V25, Opcodes.ACC_PUBLIC, USER, null, "java/lang/Object", null);
    MethodVisitor code =
        writer.visitMethod(
            Opcodes.ACC_PUBLIC, "toString", "()Ljava/lang/String;", null, new String[0]);
    code.visitCode();
    code.visitInsn(Opcodes.ACONST_NULL);
    for (int i = Type.getArgumentCount(descriptor); i > 0; i--) code.visitInsn(Opcodes.ACONST_NULL);
    code.visitMethodInsn(Opcodes.INVOKEVIRTUAL, owner, name, descriptor, false);
    code.visitInsn(Opcodes.ACONST_NULL);
    code.visitInsn(Opcodes.ARETURN);
    code.visitMaxs(0, 0);
    code.visitEnd();
    writer.visitEnd();
    return LoopWeaver.atRunTime(PollCounter.TARGET).weave(USER, writer.toByteArray()).polls();
  }
}
