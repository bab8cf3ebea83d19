package io.turnwise.agent.weaver;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.AnnotationVisitor;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * One cheap look at a class: which of its methods may need a poll, and which calls of theirs do.
 * Most classes end here.
 */
final class ClassSurvey extends ClassVisitor {
  private final boolean pollsCalls;
  private final Map<MethodKey, MethodSurvey> methods = new HashMap<>();

  /** Methods that a function object of this class calls without a poll of its own. */
  private final Set<MethodKey> functionBodies = new HashSet<>();

  private final Map<MethodKey, Boolean> closed = new HashMap<>();
  private final Set<CountedLoopPattern.FieldKey> ordinaryFields = new HashSet<>();
  private String name = "";
  private boolean isFinal;
  private boolean woven;

  private ClassSurvey(boolean pollsCalls) {
    super(Opcodes.ASM9);
    this.pollsCalls = pollsCalls;
  }

  /**
   * @param pollsCalls false where recursion is of no concern
   */
  static ClassSurvey of(ClassReader reader, boolean pollsCalls) {
    var survey = new ClassSurvey(pollsCalls);
    reader.accept(survey, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    return survey;
  }

  boolean isWoven() {
    return woven;
  }

  /** Those that are not volatile. */
  Set<CountedLoopPattern.FieldKey> ordinaryFields() {
    return ordinaryFields;
  }

  /** Methods that have code. */
  int methods() {
    return methods.size();
  }

  List<MethodKey> withSubroutines() {
    List<MethodKey> found = new ArrayList<>();
    methods.forEach((key, it) -> found.addAll(it.hasSubroutine() ? List.of(key) : List.of()));
    return found;
  }

  /** Whether it is worth looking at the method's code as a graph. */
  boolean mayNeedPoll(MethodKey key) {
    MethodSurvey method = methods.get(key);
    if (method == null || method.hasSubroutine()) return false;
    if (method.mayLoop()) return true;
    for (CallSite call : method.calls()) if (needsPoll(key, call)) return true;
    return false;
  }

  List<MethodKey> mayNeedPoll() {
    List<MethodKey> found = new ArrayList<>();
    methods.forEach((key, _) -> found.addAll(mayNeedPoll(key) ? List.of(key) : List.of()));
    return found;
  }

  /** Whether recursion may pass this call without any other poll: see {@link CallOrder}. */
  boolean needsPoll(MethodKey caller, CallSite call) {
    if (!pollsCalls) return false;
    return switch (call.kind()) {
      case HARMLESS -> false;
      case INDIRECT -> true;
      case UPWARD ->
          !call.leadsOutside() && !call.callee().equals(caller) && goesDown(caller, call);
      case BOUND, DISPATCHED -> {
        if (call.leadsOutside()) yield mayCallBack(caller, call);
        yield !leadsBackNowhere(call) && goesDown(caller, call);
      }
    };
  }

  private boolean goesDown(MethodKey caller, CallSite call) {
    // A constructor calls the one above it in the hierarchy, or another that is not in a circle.
    if (caller.isConstructor() && call.callee().isConstructor()) return !isOwnOrAbove(call);
    return functionBodies.contains(caller) || !CallOrder.isUpward(caller, call.callee());
  }

  private boolean isOwnOrAbove(CallSite call) {
    return call.owner().equals(name) || call.owner().equals(superName);
  }

  private @Nullable String superName;

  private boolean mayCallBack(MethodKey caller, CallSite call) {
    // A decorator: the method of the same name behind that type may be a woven one again.
    if (call.kind() == CallSite.Kind.DISPATCHED && call.callee().equals(caller)) return true;
    return CallOrder.isCalledByJdk(caller) && call.takesObjects();
  }

  /** A method of this class that can be only this one and from which no way leads out. */
  private boolean leadsBackNowhere(CallSite call) {
    if (!call.owner().equals(name)) return false;
    MethodSurvey callee = methods.get(call.callee());
    if (callee == null) return false;
    boolean bound = call.kind() == CallSite.Kind.BOUND || isFinal || callee.isFinal();
    return bound && isClosed(call.callee(), callee);
  }

  private boolean isClosed(MethodKey key, MethodSurvey method) {
    Boolean known = closed.get(key);
    if (known != null) return known;
    closed.put(key, false); // while it is being looked at: a circle is not closed
    boolean result = true;
    for (CallSite call : method.calls())
      result &=
          call.kind() == CallSite.Kind.HARMLESS
              || call.kind() != CallSite.Kind.INDIRECT && call.leadsOutside()
              || leadsBackNowhere(call);
    closed.put(key, result);
    return result;
  }

  @Override
  public void visit(
      int version,
      int access,
      String name,
      @Nullable String signature,
      @Nullable String superName,
      String @Nullable [] interfaces) {
    this.name = name;
    this.superName = superName;
    isFinal = (access & Opcodes.ACC_FINAL) != 0;
  }

  @Override
  public @Nullable AnnotationVisitor visitAnnotation(String descriptor, boolean visible) {
    woven |= descriptor.equals(LoopWeaver.MARK);
    return null;
  }

  @Override
  public @Nullable FieldVisitor visitField(
      int access,
      String field,
      String descriptor,
      @Nullable String signature,
      @Nullable Object value) {
    if ((access & Opcodes.ACC_VOLATILE) == 0)
      ordinaryFields.add(new CountedLoopPattern.FieldKey(field, descriptor));
    return null;
  }

  @Override
  public @Nullable MethodVisitor visitMethod(
      int access,
      String method,
      String descriptor,
      @Nullable String signature,
      String @Nullable [] exceptions) {
    if ((access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) != 0) return null;
    var survey = new MethodSurvey(access, name, this::functionBody);
    methods.put(new MethodKey(method, descriptor), survey);
    return survey;
  }

  private void functionBody(Handle body) {
    if (body.getOwner().equals(name))
      functionBodies.add(new MethodKey(body.getName(), body.getDesc()));
  }
}
