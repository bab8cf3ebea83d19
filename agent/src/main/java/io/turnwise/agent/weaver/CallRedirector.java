package io.turnwise.agent.weaver;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassTooLargeException;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TypeInsnNode;

/**
 * Makes a class call us instead of the JDK for time and chance: see {@link RedirectTable}. A call
 * becomes a static one with the same operands, so that no stack map changes and no code grows.
 * Before calls that stay as they are and that a simulation wants to know of, one of ours is made.
 *
 * <p>Left alone, and named in the result: a constructor called by a subclass's constructor, and
 * method references that can be serialised, whose names are compared when they are read again.
 *
 * <p>Safe for use by many threads at once. Never throws, whatever bytes it is given.
 */
public final class CallRedirector {
  private static final String METAFACTORY = "java/lang/invoke/LambdaMetafactory";
  private static final String CONSTRUCTOR = "<init>";

  private static final String EXECUTOR = "Ljava/util/concurrent/Executor;";

  /** Where a pool is used as any executor is. */
  private static final Set<String> WANT_EXECUTOR =
      Set.of("supplyAsync", "runAsync", "defaultExecutor");

  private final RedirectTable table;
  private final String target;
  private final @Nullable Set<String> methods; // null for all

  private CallRedirector(RedirectTable table, String target, @Nullable Set<String> methods) {
    this.table = table;
    this.target = target;
    this.methods = methods;
  }

  /** What user classes call instead is in core. */
  public static CallRedirector ofUserClasses() {
    return new CallRedirector(RedirectTable.USER, "io/turnwise/weaving/Redirected", null);
  }

  /**
   * @param target the class that has what the JDK's classes call instead, with slashes
   */
  public static CallRedirector ofJdkClasses(String target) {
    return new CallRedirector(RedirectTable.JDK, target, null);
  }

  /**
   * For a class of the JDK that mixes the thread's number into its random ones.
   *
   * @param target as above
   */
  public static CallRedirector ofJdkSeeds(String target) {
    return new CallRedirector(RedirectTable.JDK_SEEDS, target, null);
  }

  /**
   * For the class that all constants of enums have above them.
   *
   * @param target as above
   */
  public static CallRedirector ofJdkConstants(String target) {
    return new CallRedirector(RedirectTable.JDK_CONSTANTS, target, null);
  }

  /** For the JDK's immutable collections. Where an element is looked for is not changed. */
  public static CallRedirector ofJdkOrder() {
    return new CallRedirector(RedirectTable.JDK_ORDER, "", null);
  }

  /**
   * Calls another class instead.
   *
   * @param other with slashes
   */
  CallRedirector to(String other) {
    return new CallRedirector(table, other, methods);
  }

  /** Only in methods of these names. */
  public CallRedirector onlyIn(Set<String> names) {
    return new CallRedirector(table, target, Set.copyOf(names));
  }

  /**
   * @param name for the result, where the bytes do not say it
   */
  public RedirectedClass redirect(String name, byte[] classFile) {
    try {
      var reader = new ClassReader(classFile);
      return mayCall(reader) ? new Pass(reader).run() : RedirectedClass.unchanged(List.of());
    } catch (IllegalArgumentException e) { // a version that ASM does not know; the weaver says so
      return RedirectedClass.unchanged(List.of());
    } catch (ClassTooLargeException e) {
      return refused(name, SkipReason.CONSTANTS_FULL, e);
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      return refused(name, SkipReason.FAILED, e);
    }
  }

  private static RedirectedClass refused(String name, SkipReason reason, Throwable cause) {
    return RedirectedClass.unchanged(List.of(new Skipped(name, reason, cause.toString())));
  }

  /** Most classes end here, with a look at the members that they name. */
  private boolean mayCall(ClassReader reader) {
    char[] text = new char[reader.getMaxStringLength()];
    for (int i = 1; i < reader.getItemCount(); i++) {
      int at = reader.getItem(i);
      if (at == 0) continue; // the second half of a long or a double
      int tag = reader.readByte(at - 1);
      if (tag != FIELD_TAG && tag != METHOD_TAG && tag != INTERFACE_METHOD_TAG) continue;
      int nameAndType = reader.getItem(reader.readUnsignedShort(at + 2));
      var called =
          new MethodKey(reader.readUTF8(nameAndType, text), reader.readUTF8(nameAndType + 2, text));
      String owner = reader.readClass(at, text);
      if (find(reader, owner, called) != null || table.watch(owner, called) != null) return true;
    }
    return false;
  }

  private static final int FIELD_TAG = 9;
  private static final int METHOD_TAG = 10;
  private static final int INTERFACE_METHOD_TAG = 11;

  /** A subclass that calls an inherited static method names itself as the owner. */
  private RedirectTable.@Nullable Entry find(ClassReader reader, String owner, MethodKey called) {
    RedirectTable.Entry entry = table.find(owner, called);
    String above = reader.getSuperName();
    boolean inherited = owner.equals(reader.getClassName()) && !isConstructor(called);
    return entry == null && inherited && above != null ? table.find(above, called) : entry;
  }

  private static boolean isConstructor(MethodKey called) {
    return called.name().equals(CONSTRUCTOR);
  }

  /** One writing of the class. */
  private final class Pass extends ClassVisitor {
    private final ClassReader reader;
    private final ClassWriter writer;
    private final Map<RedirectKind, Integer> calls = new EnumMap<>(RedirectKind.class);
    private final List<Skipped> skipped = new ArrayList<>();
    private final List<MethodNode> nodes = new ArrayList<>();
    private final Set<MethodKey> own = new HashSet<>();

    Pass(ClassReader reader) {
      this(reader, new ClassWriter(reader, 0));
    }

    private Pass(ClassReader reader, ClassWriter writer) {
      super(Opcodes.ASM9, writer);
      this.reader = reader;
      this.writer = writer;
    }

    RedirectedClass run() {
      reader.accept(this, 0);
      return calls.isEmpty()
          ? RedirectedClass.unchanged(skipped)
          : new RedirectedClass(writer.toByteArray(), calls, skipped);
    }

    @Override
    public MethodVisitor visitMethod(
        int access,
        String name,
        String descriptor,
        @Nullable String signature,
        String @Nullable [] exceptions) {
      own.add(new MethodKey(name, descriptor));
      var node = new ReadMethod(access, name, descriptor, signature, exceptions);
      nodes.add(node);
      return node;
    }

    /** Only now is it known which methods the class has itself. */
    @Override
    public void visitEnd() {
      for (MethodNode method : nodes) {
        if (methods == null || methods.contains(method.name)) redirect(method);
        method.accept(writer);
      }
      super.visitEnd();
    }

    private void redirect(MethodNode method) {
      // Makes again what the method reference itself made, and was left alone as well.
      if (method.name.equals("$deserializeLambda$")) return;
      for (AbstractInsnNode node : method.instructions.toArray()) {
        switch (node) {
          case MethodInsnNode call -> redirect(method, call);
          case InvokeDynamicInsnNode call when call.bsm.getOwner().equals(METAFACTORY) ->
              redirect(method, call);
          case FieldInsnNode read when read.getOpcode() == Opcodes.GETSTATIC ->
              redirect(method, read);
          case LdcInsnNode constant when constant.cst instanceof Handle handle -> {
            Handle other = redirected(method, handle, true);
            if (other != null) constant.cst = other;
          }
          default -> {}
        }
      }
    }

    private void redirect(MethodNode method, MethodInsnNode call) {
      var called = new MethodKey(call.name, call.desc);
      RedirectTable.Entry entry = entryOf(call.owner, called);
      if (entry == null) {
        RedirectTable.Watch watch =
            isOwn(call.owner, called) ? null : table.watch(call.owner, called);
        if (watch != null && announce(method, call, call.owner, call.name, watch.method()))
          calls.merge(watch.kind(), 1, Integer::sum);
        return;
      }
      String instead = entry.method();
      boolean done =
          instead != null
              && switch (call.getOpcode()) {
                case Opcodes.INVOKESTATIC -> {
                  method.instructions.set(call, callOf(instead, call.desc));
                  yield true;
                }
                case Opcodes.INVOKEVIRTUAL -> {
                  method.instructions.set(call, callOf(instead, withReceiver(call)));
                  yield true;
                }
                case Opcodes.INVOKESPECIAL ->
                    call.name.equals(CONSTRUCTOR) && makesInstead(method, call, instead);
                default -> false;
              };
      count(method, call.owner, call.name, done ? entry.kind() : null);
      if (!done && table.watches() && announce(method, call, call.owner, call.name, "leaves"))
        calls.merge(RedirectKind.OUTSIDE, 1, Integer::sum);
    }

    /** Makes another call before this one, and leaves the stack as it was. */
    private boolean announce(
        MethodNode method, AbstractInsnNode node, String owner, String name, String by) {
      if (raised != method && method.maxStack > MOST_STACK - ANNOUNCED) return false;
      var before = new InsnList();
      if (by.equals("iterates")) {
        if (!(node instanceof MethodInsnNode call) || call.getOpcode() == Opcodes.INVOKESPECIAL)
          return false;
        // The receiver is on top, or below one argument.
        boolean bare = call.desc.startsWith("()");
        before.add(new InsnNode(bare ? Opcodes.DUP : Opcodes.DUP2));
        if (!bare) before.add(new InsnNode(Opcodes.POP));
        before.add(callOf(by, "(Ljava/lang/Object;)V"));
      } else if (by.equals("copies")) {
        // What is copied is the last argument.
        before.add(new InsnNode(Opcodes.DUP));
        before.add(callOf(by, "(Ljava/lang/Object;)V"));
      } else {
        String type = owner.substring(owner.lastIndexOf('/') + 1).replace('$', '.');
        String what = name.equals(CONSTRUCTOR) ? "new " + type : type + "." + name;
        before.add(new LdcInsnNode(what));
        before.add(callOf(by, "(Ljava/lang/String;)V"));
      }
      method.instructions.insertBefore(node, before);
      if (raised != method) method.maxStack += ANNOUNCED;
      raised = method;
      return true;
    }

    /** What an announcement puts on the stack at most. */
    private static final int ANNOUNCED = 2;

    private static final int MOST_STACK = 65_535;

    /** The last method whose stack was made higher for that. */
    private @Nullable MethodNode raised;

    private void redirect(MethodNode method, FieldInsnNode read) {
      var member = new MethodKey(read.name, read.desc);
      RedirectTable.Watch watch = table.watch(read.owner, member);
      if (watch != null && announce(method, read, read.owner, read.name, watch.method()))
        calls.merge(watch.kind(), 1, Integer::sum);
      RedirectTable.Entry entry = table.find(read.owner, member);
      String instead = entry == null ? null : entry.method();
      if (entry == null || instead == null) return;
      if (instead.equals("0")) {
        // Not where the field is made, nor where a place in a table is decided by it.
        if (method.name.equals("<clinit>") || method.name.equals("probe")) return;
        int zero = read.desc.equals("J") ? Opcodes.LCONST_0 : Opcodes.ICONST_0;
        method.instructions.set(read, new InsnNode(zero));
      } else {
        if (!WANT_EXECUTOR.contains(method.name)) return;
        method.instructions.insert(read, callOf(instead, "(" + EXECUTOR + ")" + EXECUTOR));
      }
      count(method, read.owner, read.name, entry.kind());
    }

    private RedirectTable.@Nullable Entry entryOf(String owner, MethodKey called) {
      return isOwn(owner, called) ? null : find(reader, owner, called);
    }

    /** Its own method of that name is none of the JDK's. */
    private boolean isOwn(String owner, MethodKey called) {
      return owner.equals(reader.getClassName()) && own.contains(called);
    }

    private MethodInsnNode callOf(String instead, String descriptor) {
      return new MethodInsnNode(Opcodes.INVOKESTATIC, target, instead, descriptor, false);
    }

    /** By the type that has the method: the class itself where it has inherited it. */
    private String withReceiver(MethodInsnNode call) {
      boolean inherited = table.find(call.owner, new MethodKey(call.name, call.desc)) == null;
      String owner = inherited ? reader.getSuperName() : call.owner;
      return "(L" + owner + ";" + call.desc.substring(1);
    }

    /**
     * For a constructor without arguments: {@code NEW, DUP, INVOKESPECIAL}, or without the {@code
     * DUP} where nobody wants the object. Where anything else is in between, or the object is a
     * subclass's {@code this}, it stays.
     */
    private boolean makesInstead(MethodNode method, MethodInsnNode call, String instead) {
      AbstractInsnNode first = before(call);
      boolean wanted = first != null && first.getOpcode() == Opcodes.DUP;
      AbstractInsnNode made = wanted ? before(first) : first;
      if (!(made instanceof TypeInsnNode type)
          || made.getOpcode() != Opcodes.NEW
          || !type.desc.equals(call.owner)) return false;
      MethodInsnNode factory = callOf(instead, "()L" + call.owner + ";");
      method.instructions.set(call, factory);
      if (wanted) method.instructions.remove(first);
      else method.instructions.insert(factory, new InsnNode(Opcodes.POP));
      method.instructions.remove(made);
      return true;
    }

    /** The instruction that is run before; null where a jump may come from elsewhere. */
    private static @Nullable AbstractInsnNode before(@Nullable AbstractInsnNode node) {
      if (node == null) return null;
      AbstractInsnNode at = node.getPrevious();
      while (at != null && at.getOpcode() < 0 && !(at instanceof FrameNode)) at = at.getPrevious();
      return at instanceof FrameNode ? null : at;
    }

    private void redirect(MethodNode method, InvokeDynamicInsnNode call) {
      for (int i = 0; i < call.bsmArgs.length; i++) {
        if (!(call.bsmArgs[i] instanceof Handle handle)) continue;
        Handle other = redirected(method, handle, !isSerializable(call));
        if (other != null) call.bsmArgs[i] = other;
      }
    }

    /** The fourth argument of the longer factory is a set of flags. */
    private static boolean isSerializable(InvokeDynamicInsnNode call) {
      return call.bsmArgs.length > 3
          && call.bsmArgs[3] instanceof Integer flags
          && (flags & FLAG_SERIALIZABLE) != 0;
    }

    private static final int FLAG_SERIALIZABLE = 1;

    private @Nullable Handle redirected(MethodNode method, Handle handle, boolean allowed) {
      RedirectTable.Entry entry =
          entryOf(handle.getOwner(), new MethodKey(handle.getName(), handle.getDesc()));
      if (entry == null) {
        noteOpening(method, handle);
        return null;
      }
      String instead = entry.method();
      String owner = "L" + handle.getOwner() + ";";
      String descriptor =
          switch (handle.getTag()) {
            case Opcodes.H_INVOKESTATIC -> handle.getDesc();
            case Opcodes.H_INVOKEVIRTUAL -> "(" + owner + handle.getDesc().substring(1);
            case Opcodes.H_NEWINVOKESPECIAL -> "()" + owner;
            default -> null;
          };
      boolean done = allowed && instead != null && descriptor != null;
      count(method, handle.getOwner(), handle.getName(), done ? entry.kind() : null);
      return done ? new Handle(Opcodes.H_INVOKESTATIC, target, instead, descriptor, false) : null;
    }

    /** A reference to what opens something is named: nobody is asked when it is used. */
    private void noteOpening(MethodNode method, Handle handle) {
      RedirectTable.Watch watch =
          table.watch(handle.getOwner(), new MethodKey(handle.getName(), handle.getDesc()));
      if (watch != null && watch.kind() == RedirectKind.INPUT_OUTPUT)
        count(method, handle.getOwner(), handle.getName(), null);
    }

    /**
     * @param kind null when the call stayed as it was
     */
    private void count(MethodNode method, String owner, String name, @Nullable RedirectKind kind) {
      if (kind != null) calls.merge(kind, 1, Integer::sum);
      else
        skipped.add(
            new Skipped(
                reader.getClassName() + "." + method.name + method.desc,
                SkipReason.NOT_REDIRECTED,
                owner.replace('/', '.') + (name.equals(CONSTRUCTOR) ? "" : "." + name)));
    }
  }
}
