package io.turnwise.agent.weaver;

import java.util.Set;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Opcodes;

/**
 * A call as the class file shows it, sorted by what it may lead to.
 *
 * @param leadsOutside to code that is not woven: the JDK's and Turnwise's own; a class of the JDK
 *     itself, when it is woven, knows its own package as woven too
 */
record CallSite(Kind kind, String owner, MethodKey callee, boolean leadsOutside) {
  enum Kind {
    /** Leads nowhere that could lead back: creates a function object, sends a message. */
    HARMLESS,
    /** To a named method that is dispatched on the receiver's class. */
    DISPATCHED,
    /** To a named method that can be only that one: static, private, a constructor. */
    BOUND,
    /** {@code super.method()}: strictly up the hierarchy. */
    UPWARD,
    /** To code that nothing here names: a function object, a handle, a language's own dispatch. */
    INDIRECT
  }

  private static final Set<String> FUNCTION_OWNERS =
      Set.of(
          "java/lang/Runnable",
          "java/util/concurrent/Callable",
          "java/util/Comparator",
          "java/lang/reflect/Method",
          "java/lang/reflect/Constructor",
          "java/lang/invoke/MethodHandle",
          "groovy/lang/Closure",
          "clojure/lang/IFn",
          "clojure/lang/AFn",
          "clojure/lang/AFunction",
          "clojure/lang/RestFn");

  private static final String[] FUNCTION_PACKAGES = {
    "java/util/function/", "kotlin/jvm/functions/", "scala/Function", "scala/PartialFunction"
  };

  private static final String[] FUNCTION_PARAMETERS = {
    "Ljava/util/function/",
    "Ljava/lang/Runnable;",
    "Ljava/util/concurrent/Callable;",
    "Ljava/util/Comparator;",
    "Lkotlin/jvm/functions/",
    "Lscala/Function",
    "Lgroovy/lang/Closure;",
    "Lclojure/lang/IFn;"
  };

  /** What is behind these runs nothing of the user's on the stack of who calls, or says so. */
  private static final Set<String> RUNTIME_DOORS =
      Set.of(
          "io/turnwise/ActorRef",
          "io/turnwise/ActorSystem",
          "io/turnwise/Context",
          "io/turnwise/Dispatcher",
          "io/turnwise/Reply");

  /** Those that keep a function for another turn, or another thread. All others run it at once. */
  private static final Set<String> KEEP_FUNCTIONS = Set.of("spawn", "callToSelf", "onDeadLetter");

  /** Types of the runtime's that users write, and so classes that are woven. */
  private static final Set<String> WRITTEN_BY_USERS =
      Set.of("io/turnwise/Actor", "io/turnwise/ActorSystem$Registration");

  /** A call by one of the four instructions that name their method. */
  static CallSite named(int opcode, String caller, String owner, String name, String descriptor) {
    var callee = new MethodKey(name, descriptor);
    boolean stranger =
        isJdk(owner) && !packageOf(owner).equals(packageOf(caller)) || isRuntime(owner);
    return new CallSite(kindOf(opcode, caller, owner, callee, stranger), owner, callee, stranger);
  }

  /** A call by {@code invokedynamic}: its bootstrap method says what it may lead to. */
  static CallSite dynamic(String name, String descriptor, Handle bootstrap) {
    Kind kind =
        switch (bootstrap.getOwner()) {
          // Makes the object; that object's calls are seen where they are made.
          case "java/lang/invoke/LambdaMetafactory" -> Kind.HARMLESS;
          // Both call methods of the values they are given.
          case "java/lang/invoke/StringConcatFactory", "java/lang/runtime/ObjectMethods" ->
              Kind.BOUND;
          case "java/lang/runtime/SwitchBootstraps", "java/lang/invoke/ConstantBootstraps" ->
              Kind.HARMLESS;
          default -> Kind.INDIRECT;
        };
    return new CallSite(
        kind, bootstrap.getOwner(), new MethodKey(name, descriptor), isJdk(bootstrap.getOwner()));
  }

  private static Kind kindOf(
      int opcode, String caller, String owner, MethodKey callee, boolean leadsOutside) {
    if (owner.startsWith("[")) return Kind.HARMLESS; // clone() of an array
    if (RUNTIME_DOORS.contains(owner))
      return takesFunction(callee) && !KEEP_FUNCTIONS.contains(callee.name())
          ? Kind.INDIRECT
          : Kind.HARMLESS;
    if (isFunction(owner) || leadsOutside && takesFunction(callee)) return Kind.INDIRECT;
    return switch (opcode) {
      case Opcodes.INVOKESTATIC -> Kind.BOUND;
      case Opcodes.INVOKESPECIAL ->
          callee.isConstructor() || owner.equals(caller) ? Kind.BOUND : Kind.UPWARD;
      default -> Kind.DISPATCHED;
    };
  }

  /** Whether code behind this call may call methods of a value that the caller hands it. */
  boolean takesObjects() {
    if (HARMLESS_OWNERS.contains(owner)) return false;
    String parameters = callee.descriptor();
    parameters = parameters.substring(0, parameters.indexOf(')'));
    return kind == Kind.DISPATCHED
        || parameters.replace("Ljava/lang/String;", "").indexOf('L') >= 0
        || parameters.indexOf('[') >= 0;
  }

  private static final Set<String> HARMLESS_OWNERS =
      Set.of(
          "java/lang/String",
          "java/lang/Math",
          "java/lang/Integer",
          "java/lang/Long",
          "java/lang/Double",
          "java/lang/Float",
          "java/lang/Boolean",
          "java/lang/Character",
          "java/lang/Byte",
          "java/lang/Short",
          "java/lang/Class",
          "java/lang/System",
          "java/lang/Enum");

  private static String packageOf(String type) {
    return type.substring(0, Math.max(0, type.lastIndexOf('/')));
  }

  private static boolean isJdk(String owner) {
    return owner.startsWith("java/")
        || owner.startsWith("javax/")
        || owner.startsWith("jdk/")
        || owner.startsWith("sun/")
        || owner.startsWith("com/sun/");
  }

  private static boolean isRuntime(String owner) {
    return !WRITTEN_BY_USERS.contains(owner)
        && switch (packageOf(owner)) {
          case "io/turnwise",
              "io/turnwise/mailbox",
              "io/turnwise/observation",
              "io/turnwise/scheduling",
              "io/turnwise/weaving" ->
              true;
          default -> false;
        };
  }

  private static boolean isFunction(String owner) {
    if (FUNCTION_OWNERS.contains(owner)) return true;
    for (String functions : FUNCTION_PACKAGES) if (owner.startsWith(functions)) return true;
    return false;
  }

  private static boolean takesFunction(MethodKey callee) {
    for (String function : FUNCTION_PARAMETERS)
      if (callee.descriptor().contains(function)) return true;
    return false;
  }
}
