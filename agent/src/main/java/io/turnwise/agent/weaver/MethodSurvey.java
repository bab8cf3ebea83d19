package io.turnwise.agent.weaver;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** What one pass over a method's instructions shows: jumps back, handlers, calls. */
final class MethodSurvey extends MethodVisitor {
  private final int access;
  private final String owner;
  private final Consumer<Handle> functionBody;

  private final Set<Label> passed = new HashSet<>();
  private final List<Label> handlers = new ArrayList<>();
  private final List<CallSite> calls = new ArrayList<>();
  private boolean jumpsBack;
  private boolean hasSubroutine;

  MethodSurvey(int access, String owner, Consumer<Handle> functionBody) {
    super(Opcodes.ASM9);
    this.access = access;
    this.owner = owner;
    this.functionBody = functionBody;
  }

  boolean isFinal() {
    return (access & (Opcodes.ACC_FINAL | Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC)) != 0;
  }

  boolean hasSubroutine() {
    return hasSubroutine;
  }

  /** Errs on the side of yes; the graph has the last word. */
  boolean mayLoop() {
    return jumpsBack;
  }

  CallSite[] calls() {
    return calls.toArray(CallSite[]::new);
  }

  @Override
  public void visitTryCatchBlock(Label start, Label end, Label handler, @Nullable String type) {
    // The end comes after the handler exactly when the handler covers itself or what follows it.
    handlers.add(handler);
    ends.add(end);
  }

  private final List<Label> ends = new ArrayList<>();

  @Override
  public void visitLabel(Label label) {
    passed.add(label);
    for (int i = 0; i < ends.size(); i++)
      jumpsBack |= ends.get(i) == label && passed.contains(handlers.get(i));
  }

  @Override
  public void visitJumpInsn(int opcode, Label label) {
    hasSubroutine |= opcode == Opcodes.JSR;
    jumpsBack |= passed.contains(label);
  }

  @Override
  public void visitTableSwitchInsn(int min, int max, Label otherwise, Label... labels) {
    visitSwitch(otherwise, labels);
  }

  @Override
  public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] labels) {
    visitSwitch(otherwise, labels);
  }

  private void visitSwitch(Label otherwise, Label[] labels) {
    jumpsBack |= passed.contains(otherwise);
    for (Label label : labels) jumpsBack |= passed.contains(label);
  }

  @Override
  public void visitVarInsn(int opcode, int variable) {
    hasSubroutine |= opcode == Opcodes.RET;
  }

  @Override
  public void visitMethodInsn(
      int opcode, String target, String name, String descriptor, boolean isInterface) {
    calls.add(CallSite.named(opcode, owner, target, name, descriptor));
  }

  @Override
  public void visitInvokeDynamicInsn(
      String name, String descriptor, Handle bootstrap, Object... arguments) {
    calls.add(CallSite.dynamic(name, descriptor, bootstrap));
    for (Object argument : arguments)
      if (argument instanceof Handle body) functionBody.accept(body);
  }
}
