package io.turnwise.faults.error;

import io.turnwise.ActorSystem;
import io.turnwise.internal.scheduler.Scheduler;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.Consumer;

/**
 * The steps of a worker's loop at which an error may be thrown. They are core's own affair, and by
 * no means public; so this looks inside.
 */
final class WorkerFaults {
  private static final String PACKAGE = "io.turnwise.internal.scheduler.";

  private WorkerFaults() {}

  static String[] points() throws ReflectiveOperationException {
    Object[] constants = Class.forName(PACKAGE + "FaultPoint").getEnumConstants();
    var names = new String[constants.length];
    for (int i = 0; i < names.length; i++) names[i] = constants[i].toString();
    return names;
  }

  /**
   * From now on tells of each step that a worker of the default dispatcher passes, on its thread.
   */
  static void inject(ActorSystem system, Consumer<String> passes)
      throws ReflectiveOperationException {
    Class<?> type = Class.forName(PACKAGE + "Scheduler$Faults");
    Object faults =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              passes.accept(arguments[0].toString());
              return null;
            });
    Object dispatcher = system.dispatcher();
    Field scheduler = dispatcher.getClass().getDeclaredField("scheduler");
    scheduler.setAccessible(true);
    Method inject = Scheduler.class.getDeclaredMethod("injectFaults", type);
    inject.setAccessible(true);
    inject.invoke(scheduler.get(dispatcher), faults);
  }
}
