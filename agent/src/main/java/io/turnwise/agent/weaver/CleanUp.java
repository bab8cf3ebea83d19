package io.turnwise.agent.weaver;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;

/**
 * The calls that a method makes when an error passes through it: what {@code finally} and the end
 * of a try-with-resources became. Compilers copy such code, once for the error's way and once for
 * each other way out, where no handler covers it any more: an error thrown right before the call
 * there would keep it from being made. So the names of the calls between a handler of everything
 * and the {@code athrow} after it are taken, and hold for the whole method.
 */
final class CleanUp {
  private final Set<MethodKey> calls = new HashSet<>();

  CleanUp(MethodNode method) {
    for (TryCatchBlockNode block : method.tryCatchBlocks)
      if (block.type == null || block.type.equals("java/lang/Throwable")) collect(block.handler);
    calls.remove(new MethodKey(method.name, method.desc)); // a recursion must have an end
  }

  private void collect(AbstractInsnNode handler) {
    Set<MethodKey> found = new HashSet<>();
    for (@Nullable AbstractInsnNode at = handler; at != null; at = at.getNext()) {
      int opcode = at.getOpcode();
      if (opcode == Opcodes.ATHROW) {
        calls.addAll(found);
        return;
      }
      if (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) return; // the error is kept
      if (at instanceof MethodInsnNode call) found.add(new MethodKey(call.name, call.desc));
    }
  }

  boolean contains(AbstractInsnNode instruction) {
    return instruction instanceof MethodInsnNode call
        && calls.contains(new MethodKey(call.name, call.desc));
  }
}
