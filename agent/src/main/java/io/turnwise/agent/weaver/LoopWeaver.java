package io.turnwise.agent.weaver;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassTooLargeException;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodTooLargeException;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.MethodNode;

/**
 * Puts polls into a class file so that every loop and every recursion passes one. What needs no
 * poll is copied byte for byte; what cannot have one stays as it was, and the result says why.
 *
 * <p>Safe for use by many threads at once. Never throws, whatever bytes it is given.
 */
public final class LoopWeaver {
  /** On classes woven when they were built. No class of this name need be there at run time. */
  static final String MARK = "Lio/turnwise/weaving/Woven;";

  /** So much is written anew until everything fits; what needs more was made to need more. */
  private static final int MOST_BYTES = 16 << 20;

  private static final int LEAST_PASSES = 6;

  private final PollTarget target;
  private final boolean marks;
  private final WorkLimits limits;
  private final boolean pollsCalls;
  private final @Nullable Set<String> methods; // null for all

  private LoopWeaver(
      PollTarget target,
      boolean marks,
      WorkLimits limits,
      boolean pollsCalls,
      @Nullable Set<String> methods) {
    this.target = target;
    this.marks = marks;
    this.limits = limits;
    this.pollsCalls = pollsCalls;
    this.methods = methods;
  }

  /** For classes that are woven each time they are loaded. */
  public static LoopWeaver atRunTime(PollTarget target) {
    return new LoopWeaver(target, false, WorkLimits.DEFAULT, true, null);
  }

  /** For class files that are kept: they are marked, and then left alone by every weaver. */
  public static LoopWeaver atBuildTime(PollTarget target) {
    return new LoopWeaver(target, true, WorkLimits.DEFAULT, true, null);
  }

  LoopWeaver within(WorkLimits limits) {
    return new LoopWeaver(target, marks, limits, pollsCalls, methods);
  }

  /**
   * Polls in few rounds of loops that call a function: for code that is made of these. Such a
   * function polls by itself if it can take long.
   */
  public LoopWeaver sparing() {
    return within(WorkLimits.SPARING);
  }

  /** The same for loops around others: for code that is not to be left half done. */
  public LoopWeaver seldom() {
    return within(WorkLimits.SELDOM);
  }

  /** Loops only: for classes that do not recurse, or only through loops. */
  public LoopWeaver withoutCalls() {
    return new LoopWeaver(target, marks, limits, false, methods);
  }

  /** Only methods of these names: for classes whose other methods must stay as fast as they are. */
  public LoopWeaver onlyIn(Set<String> names) {
    return new LoopWeaver(target, marks, limits, pollsCalls, Set.copyOf(names));
  }

  /**
   * @param name for the result, where the bytes do not say it
   */
  public WovenClass weave(String name, byte[] classFile) {
    try {
      return weave(new ClassReader(classFile), classFile.length);
    } catch (IllegalArgumentException e) { // what ASM throws for a version it does not know
      return refused(name, SkipReason.UNKNOWN_VERSION, e);
    } catch (ClassTooLargeException e) {
      return refused(name, SkipReason.CONSTANTS_FULL, e);
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      return refused(name, SkipReason.FAILED, e);
    }
  }

  private static WovenClass refused(String name, SkipReason reason, Throwable cause) {
    return WovenClass.unchanged(name, 0, List.of(new Skipped(name, reason, cause.toString())));
  }

  private WovenClass weave(ClassReader reader, int size) {
    String name = reader.getClassName();
    ClassSurvey survey = ClassSurvey.of(reader, pollsCalls);
    if (survey.isWoven())
      return WovenClass.unchanged(
          name, survey.methods(), List.of(new Skipped(name, SkipReason.ALREADY_WOVEN)));
    List<Skipped> skipped = new ArrayList<>();
    for (MethodKey method : survey.withSubroutines())
      skipped.add(new Skipped(name + "." + method, SkipReason.SUBROUTINES));
    Set<MethodKey> chosen = new HashSet<>(survey.mayNeedPoll());
    if (methods != null) chosen.removeIf(method -> !methods.contains(method.name()));
    Map<MethodKey, MethodWeaver.Length> shorter = new HashMap<>();
    int most = Math.max(LEAST_PASSES, MOST_BYTES / size);
    for (int passes = 0; !chosen.isEmpty(); passes++) {
      if (passes == most) {
        skipped.add(new Skipped(name, SkipReason.TOO_COMPLEX, passes + " attempts"));
        break;
      }
      var pass = new Pass(reader, survey, chosen, shorter);
      List<MethodKey> unfit;
      SkipReason reason;
      try {
        byte[] woven = pass.run();
        if (pass.polls.isEmpty()) break;
        unfit = CodeLengths.outgrown(reader, woven);
        if (unfit.isEmpty()) return pass.result(woven, skipped);
        reason = SkipReason.NOT_COMPILED;
      } catch (MethodTooLargeException e) {
        unfit = List.of(new MethodKey(e.getMethodName(), e.getDescriptor()));
        reason = SkipReason.METHOD_TOO_LARGE;
      } catch (Effort.TooComplexException e) {
        MethodKey complex = Objects.requireNonNull(pass.inHand);
        chosen.remove(complex);
        skipped.add(new Skipped(name + "." + complex, SkipReason.TOO_COMPLEX, e.what));
        continue;
      }
      for (MethodKey method : unfit) {
        MethodWeaver.Length last = shorter.get(method);
        if (last != MethodWeaver.Length.SHORTEST) {
          shorter.put(
              method, last == null ? MethodWeaver.Length.SHORT : MethodWeaver.Length.SHORTEST);
          continue;
        }
        skipped.add(new Skipped(name + "." + method, reason));
        if (!chosen.remove(method))
          throw new IllegalStateException("the untouched method " + method + " grew");
      }
    }
    return WovenClass.unchanged(name, survey.methods(), skipped);
  }

  /** One writing of the class, with polls in the chosen methods. */
  private final class Pass extends ClassVisitor {
    private final ClassReader reader;
    private final ClassSurvey survey;
    private final Set<MethodKey> chosen;
    private final Map<MethodKey, MethodWeaver.Length> shorter;
    private final ClassWriter writer;
    private final Map<PollForm, Integer> polls = new EnumMap<>(PollForm.class);
    private final Effort effort = new Effort();
    private @Nullable MethodKey inHand;
    private final Set<String> wovenNames = new HashSet<>();
    private int wovenMethods;

    Pass(
        ClassReader reader,
        ClassSurvey survey,
        Set<MethodKey> chosen,
        Map<MethodKey, MethodWeaver.Length> shorter) {
      // The writer computes nothing: frames and sizes are kept, so no class is ever asked for.
      this(reader, survey, chosen, shorter, new ClassWriter(reader, 0));
    }

    private Pass(
        ClassReader reader,
        ClassSurvey survey,
        Set<MethodKey> chosen,
        Map<MethodKey, MethodWeaver.Length> shorter,
        ClassWriter writer) {
      super(Opcodes.ASM9, writer);
      this.reader = reader;
      this.survey = survey;
      this.chosen = chosen;
      this.shorter = shorter;
      this.writer = writer;
    }

    byte[] run() {
      reader.accept(this, ClassReader.EXPAND_FRAMES);
      return writer.toByteArray();
    }

    WovenClass result(byte[] woven, List<Skipped> skipped) {
      return new WovenClass(
          reader.getClassName(), woven, survey.methods(), wovenMethods, wovenNames, polls, skipped);
    }

    @Override
    public void visit(
        int version,
        int access,
        String name,
        @Nullable String signature,
        @Nullable String superName,
        String @Nullable [] interfaces) {
      super.visit(version, access, name, signature, superName, interfaces);
      if (marks) writer.visitAnnotation(MARK, false).visitEnd();
    }

    @Override
    public MethodVisitor visitMethod(
        int access,
        String name,
        String descriptor,
        @Nullable String signature,
        String @Nullable [] exceptions) {
      var key = new MethodKey(name, descriptor);
      // The writer's own visitor, not wrapped: only then are the method's bytes copied.
      if (!chosen.contains(key))
        return writer.visitMethod(access, name, descriptor, signature, exceptions);
      return new ReadMethod(access, name, descriptor, signature, exceptions) {
        @Override
        public void visitEnd() {
          weave(this, key);
          accept(writer);
        }
      };
    }

    private void weave(MethodNode method, MethodKey key) {
      inHand = key;
      var weaver = new MethodWeaver(method, reader.getClassName(), survey, target, limits, effort);
      List<PollForm> put = weaver.weave(shorter.getOrDefault(key, MethodWeaver.Length.USUAL));
      if (!put.isEmpty()) {
        wovenMethods++;
        wovenNames.add(key.name());
      }
      for (PollForm form : put) polls.merge(form, 1, Integer::sum);
    }
  }
}
