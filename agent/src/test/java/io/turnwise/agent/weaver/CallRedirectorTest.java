package io.turnwise.agent.weaver;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.time.LocalDate;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Code of every form, with its calls redirected to a world that stands still. */
class CallRedirectorTest {
  private static final CallRedirector REDIRECTOR =
      CallRedirector.ofUserClasses().to(RedirectTarget.NAME);
  private static final long NOW = RedirectTarget.NOW.toEpochMilli();

  private static final Class<?> REDIRECTED = redirected();

  private static Class<?> redirected() {
    var loader = new WovenLoader();
    redirect(RedirectShapes.class, loader);
    for (Class<?> nested : RedirectShapes.class.getDeclaredClasses()) redirect(nested, loader);
    return define(loader, RedirectShapes.class.getName());
  }

  /** As the agent does it: polls come after. */
  private static void redirect(Class<?> type, WovenLoader loader) {
    byte[] bytes = WovenLoader.bytesOf(type);
    byte[] redirected = REDIRECTOR.redirect(type.getName(), bytes).bytes();
    if (redirected != null) bytes = redirected;
    byte[] woven = LoopWeaver.atRunTime(PollCounter.TARGET).weave(type.getName(), bytes).bytes();
    loader.with(type.getName(), woven == null ? bytes : woven);
  }

  private static Class<?> define(ClassLoader loader, String name) {
    try {
      return Class.forName(name, true, loader);
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  private static Object run(Class<?> type, String shape) {
    try {
      return type.getDeclaredMethod(shape).invoke(null);
    } catch (InvocationTargetException e) {
      throw new AssertionError(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  private static Object run(String shape) {
    return run(REDIRECTED, shape);
  }

  @Test
  void clockReads() {
    assertThat(run("nanoTime")).isEqualTo(42L);
    assertThat(run("nanoTimeInLoop")).isEqualTo(42L * 45);
    assertThat(run("instant")).isEqualTo(RedirectTarget.NOW);
    assertThat(run("staticMethodOfAnInterface")).isEqualTo(NOW + new Random(8).nextInt());
    LocalDate today = LocalDate.of(2001, 9, 9);
    assertThat(run("withArgument")).isEqualTo(List.of(today, today, NOW));
    assertThat(run("overloads")).isEqualTo(List.of(NOW, NOW));
  }

  @Test
  void methodReferencesAndLambdas() {
    assertThat(run("nanoTimeByReference")).isEqualTo(42L);
    assertThat(run("nanoTimeInLambda")).isEqualTo(43L);
    assertThat(run("withArgumentByReference")).isEqualTo(LocalDate.of(2001, 9, 9));
    assertThat(run("newByReference")).isEqualTo(new Date(NOW));
  }

  @Test
  void newObjects() {
    var now = new Date(NOW);
    assertThat(run("newDate")).isEqualTo(now);
    assertThat(run("newNested")).isEqualTo(List.of(now, new Date(NOW + 1)));
    assertThat(run("newInAChoice")).isEqualTo(now);
    assertThat(run("newAsArgumentOfAConstructor")).isEqualTo(new Date(new Random(7).nextLong()));
    assertThat(run("newForNobody")).isEqualTo(now);
    assertThat(run("newInATry")).isEqualTo(now);
  }

  @Test
  void sleeps() {
    assertThat(run("sleeps"))
        .isEqualTo(List.of("1 ms", "2 ms 3 ns", "PT0.004S", "5 SECONDS", "6 SECONDS", "7 ms"));
    assertThat(run("inheritedSleep")).isEqualTo(List.of("8 ms"));
  }

  @Test
  void randomness() {
    assertThat(run("randomness"))
        .isEqualTo(
            List.of(
                0.25,
                new Random(7).nextInt(),
                List.of(3, 2, 1),
                new UUID(1, 2),
                "same".hashCode()));
  }

  @Test
  void identityHashCodes() {
    assertThat(run("identity")).isEqualTo("a".hashCode() + "b".hashCode());
  }

  /** The call itself is made as it was. */
  @Test
  void whatReachesOutIsAnnounced() {
    assertThat(run("opensWithArguments"))
        .isEqualTo(
            List.of(
                true,
                List.of(
                    "opens new RandomAccessFile",
                    "opens Files.exists",
                    "opens Files.isRegularFile")));
    assertThat(run("opensAboveItself"))
        .isEqualTo(List.of("a folder", List.of("opens new FileReader")));
    assertThat(run("readsTheKeyboard")).isEqualTo(List.of(true, List.of("opens System.in")));
    assertThat(run("iterates"))
        .isEqualTo(
            List.of(
                14L,
                List.of(
                    "iterates [a]",
                    "iterates [a]",
                    "iterates {b=1}",
                    "iterates {b=1}",
                    "iterates [b]")));
    assertThat(run("copies"))
        .isEqualTo(List.of(8L, List.of("copies [a]", "copies [a]", "copies [a]")));
  }

  @Test
  void whatCannotBeRedirectedStaysAndIsNamed() {
    assertThat(run("leftSuperclass")).isEqualTo(true);
    assertThat(run("leftSerializable")).isEqualTo(true);
    assertThat(run("leftOwnSleep")).isEqualTo(List.of());
    assertThat(run("leftOthersOfThatName"))
        .isEqualTo(List.of(3L, new Date(11), new Random(3).nextInt()));

    RedirectedClass outer = redirect(RedirectShapes.class);
    assertThat(outer.skipped()).singleElement().satisfies(serializable("java.util.Date"));
    RedirectedClass inner = redirect(RedirectShapes.OwnRandom.class);
    assertThat(inner.calls()).as("it is announced").isEqualTo(Map.of(RedirectKind.OUTSIDE, 1));
    assertThat(inner.skipped())
        .singleElement()
        .isEqualTo(
            new Skipped(
                RedirectShapes.OwnRandom.class.getName().replace('.', '/') + ".<init>()V",
                SkipReason.NOT_REDIRECTED,
                "java.util.Random"));
  }

  private static Consumer<Skipped> serializable(String detail) {
    return it -> {
      assertThat(it.what()).endsWith("RedirectShapes.leftSerializable()Ljava/lang/Object;");
      assertThat(it.detail()).isEqualTo(detail);
    };
  }

  @Test
  void callsAreCountedByKind() {
    assertThat(redirect(RedirectShapes.class).calls())
        .containsEntry(RedirectKind.IDENTITY, 2 + 6 + 5)
        .containsEntry(RedirectKind.SLEEP, 6)
        .containsKeys(RedirectKind.CLOCK, RedirectKind.RANDOMNESS);
    assertThat(redirect(RedirectShapes.OwnThread.class).calls())
        .isEqualTo(Map.of(RedirectKind.SLEEP, 1, RedirectKind.OUTSIDE, 1));
  }

  @Test
  void aClassWithoutSuchCallsStaysAsItWas() {
    assertThat(redirect(LoopShapes.class))
        .isEqualTo(new RedirectedClass(null, Map.of(), List.of()));
    assertThat(redirect(RedirectShapes.Sleepless.class).bytes()).isNull();
  }

  @Test
  void bytesThatAreNoClassAreRefusedInWords() {
    assertThat(REDIRECTOR.redirect("x", new byte[] {1, 2, 3}).bytes()).isNull();
    byte[] cut = WovenLoader.bytesOf(RedirectShapes.class);
    cut = java.util.Arrays.copyOf(cut, cut.length / 2);
    assertThat(REDIRECTOR.redirect("x", cut).skipped())
        .extracting(Skipped::reason)
        .containsExactly(SkipReason.FAILED);
  }

  /** Eclipse's compiler writes no DUP where nobody wants the object. */
  @Test
  void anObjectMadeForNobodyWithoutDup() {
    Class<?> type =
        written(
            code -> {
              code.visitTypeInsn(Opcodes.NEW, "java/util/Date");
              code.visitMethodInsn(Opcodes.INVOKESPECIAL, "java/util/Date", "<init>", "()V", false);
              code.visitLdcInsn("done");
              code.visitInsn(Opcodes.ARETURN);
              code.visitMaxs(1, 0);
            },
            RedirectKind.CLOCK);
    assertThat(run(type, "make")).isEqualTo("done");
  }

  /** No compiler is known to do this; the verifier allows it, so it must not break. */
  @Test
  void anObjectThatIsKeptWhileUnmadeIsLeftAlone() {
    Class<?> type =
        written(
            code -> {
              code.visitTypeInsn(Opcodes.NEW, "java/util/Date");
              code.visitVarInsn(Opcodes.ASTORE, 0);
              code.visitVarInsn(Opcodes.ALOAD, 0);
              code.visitMethodInsn(Opcodes.INVOKESPECIAL, "java/util/Date", "<init>", "()V", false);
              code.visitVarInsn(Opcodes.ALOAD, 0);
              code.visitInsn(Opcodes.ARETURN);
              code.visitMaxs(1, 1);
            },
            RedirectKind.OUTSIDE);
    RedirectTarget.announced();
    assertThat((Date) run(type, "make")).isAfter("2020-01-01");
    assertThat(RedirectTarget.announced()).containsExactly("leaves new Date");
  }

  @Test
  void lineNumbersMayStandBetweenTheInstructions() {
    Class<?> type =
        written(
            code -> {
              code.visitTypeInsn(Opcodes.NEW, "java/util/Date");
              line(code, 5);
              code.visitInsn(Opcodes.DUP);
              line(code, 6);
              code.visitMethodInsn(Opcodes.INVOKESPECIAL, "java/util/Date", "<init>", "()V", false);
              code.visitInsn(Opcodes.ARETURN);
              code.visitMaxs(2, 0);
            },
            RedirectKind.CLOCK);
    assertThat(run(type, "make")).isEqualTo(new Date(NOW));
  }

  private static void line(MethodVisitor code, int number) {
    var label = new Label();
    code.visitLabel(label);
    code.visitLineNumber(number, label);
  }

  @Test
  void aHandleThatIsAConstant() throws Throwable {
    Class<?> type =
        written(
            code -> {
              code.visitLdcInsn(
                  new Handle(Opcodes.H_NEWINVOKESPECIAL, "java/util/Date", "<init>", "()V", false));
              code.visitInsn(Opcodes.ARETURN);
              code.visitMaxs(1, 0);
            },
            RedirectKind.CLOCK);
    var handle = (java.lang.invoke.MethodHandle) run(type, "make");
    assertThat(handle.invoke()).isEqualTo(new Date(NOW));
  }

  /** A class with a method {@code make}, redirected. */
  private static Class<?> written(Consumer<MethodVisitor> body, RedirectKind expected) {
    var writer = new ClassWriter(0);
    writer.visit(Opcodes.V25, Opcodes.ACC_PUBLIC, "Written", null, "java/lang/Object", null);
    MethodVisitor code =
        writer.visitMethod(
            Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, "make", "()Ljava/lang/Object;", null, null);
    code.visitCode();
    body.accept(code);
    code.visitEnd();
    writer.visitEnd();
    byte[] bytes = writer.toByteArray();
    RedirectedClass result = REDIRECTOR.redirect("Written", bytes);
    assertThat(result.calls()).isEqualTo(Map.of(expected, 1));
    assertThat(result.skipped()).hasSize(expected == RedirectKind.OUTSIDE ? 1 : 0);
    byte[] other = result.bytes();
    return define(new WovenLoader().with("Written", other == null ? bytes : other), "Written");
  }

  private static RedirectedClass redirect(Class<?> type) {
    return REDIRECTOR.redirect(type.getName(), WovenLoader.bytesOf(type));
  }
}
