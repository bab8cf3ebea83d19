package io.turnwise;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * The one link from the API to the engine, by name: engine classes use the API, and an import here
 * would close the circle between the two packages.
 */
final class EngineLink {
  private static final MethodHandle OPEN = find();

  private EngineLink() {}

  static ActorSystem open(String name, SystemConfig config) {
    try {
      return (ActorSystem) OPEN.invoke(name, config);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("Opening the actor system '" + name + "' failed", e);
    }
  }

  private static MethodHandle find() {
    try {
      Class<?> engine = Class.forName("io.turnwise.internal.cell.LocalActorSystem");
      return MethodHandles.lookup()
          .findStatic(
              engine,
              "open",
              MethodType.methodType(ActorSystem.class, String.class, SystemConfig.class));
    } catch (ReflectiveOperationException e) {
      throw new AssertionError("The engine is not in the same jar as its API", e);
    }
  }
}
