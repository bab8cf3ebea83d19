package io.turnwise.agent.weaver;

import org.jspecify.annotations.Nullable;
import org.objectweb.asm.Attribute;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.MethodNode;

/**
 * A method as it was read, to be changed and written. What its code has for attributes that nobody
 * knows is left out: they would be written as the method's own, where the name may mean something,
 * and speak of places in the code that are elsewhere by then. The JVM does not look at them.
 */
class ReadMethod extends MethodNode {
  private boolean inCode;

  ReadMethod(
      int access,
      String name,
      String descriptor,
      @Nullable String signature,
      String @Nullable [] exceptions) {
    super(Opcodes.ASM9, access, name, descriptor, signature, exceptions);
  }

  @Override
  public void visitCode() {
    inCode = true;
    super.visitCode();
  }

  @Override
  public void visitAttribute(Attribute attribute) {
    if (!inCode) super.visitAttribute(attribute);
  }
}
