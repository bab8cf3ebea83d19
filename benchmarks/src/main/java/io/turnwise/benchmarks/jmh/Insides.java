package io.turnwise.benchmarks.jmh;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;

/**
 * Package-private parts of core, reached by method handles: to measure a part must not make it
 * public, and a package that belongs to two modules would be a worse way in. A handle in a static
 * final field is compiled as the call it stands for.
 *
 * <p>References are {@code Object} in every handle, because their types cannot be named here.
 */
final class Insides {
  private static final String SCHEDULER = "io.turnwise.internal.scheduler.";

  private final Class<?> type;

  Insides(String name) {
    try {
      this.type = Class.forName(SCHEDULER + name);
    } catch (ClassNotFoundException e) {
      throw new LinkageError("core has no such part any more", e);
    }
  }

  /** Its only method of that name. */
  MethodHandle method(String name) {
    for (Method method : type.getDeclaredMethods())
      if (method.getName().equals(name)) {
        try {
          return erased(lookup().unreflect(method));
        } catch (IllegalAccessException e) {
          throw new LinkageError("core must lie on the class path, not on the module path", e);
        }
      }
    throw new LinkageError(type + " has no method " + name + " any more");
  }

  /** Its constructor with these parameters. */
  MethodHandle constructor(Class<?>... parameters) {
    try {
      Constructor<?> found = type.getDeclaredConstructor(parameters);
      return erased(lookup().unreflectConstructor(found));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(type + " is no longer made that way", e);
    }
  }

  private MethodHandles.Lookup lookup() throws IllegalAccessException {
    return MethodHandles.privateLookupIn(type, MethodHandles.lookup());
  }

  private static MethodHandle erased(MethodHandle handle) {
    return handle.asType(handle.type().erase());
  }
}
