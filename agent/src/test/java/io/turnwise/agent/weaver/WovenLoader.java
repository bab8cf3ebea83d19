package io.turnwise.agent.weaver;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Defines classes from bytes given; the JVM verifies them, as it does for every loader but its own.
 */
final class WovenLoader extends ClassLoader {
  /** So small that a few hundred rounds pass many polls, in every form. */
  static final WorkLimits SMALL = new WorkLimits(1000, 2, false, false);

  private final Map<String, byte[]> classes = new HashMap<>();

  WovenLoader() {
    this(WovenLoader.class.getClassLoader());
  }

  WovenLoader(ClassLoader parent) {
    super(parent);
  }

  WovenLoader with(String name, byte[] bytes) {
    classes.put(name, bytes);
    return this;
  }

  /** The class and those nested in it, woven. */
  static Class<?> woven(Class<?> original) {
    return woven(original, SMALL);
  }

  static Class<?> woven(Class<?> original, WorkLimits limits) {
    var loader = new WovenLoader();
    try {
      loader.weave(original, limits);
      for (Class<?> nested : original.getDeclaredClasses()) loader.weave(nested, limits);
      return Class.forName(original.getName(), true, loader);
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  private void weave(Class<?> original, WorkLimits limits) {
    byte[] woven = wovenClass(original, limits).bytes();
    with(original.getName(), woven == null ? bytesOf(original) : woven);
  }

  private static WovenClass wovenClass(Class<?> original, WorkLimits limits) {
    WovenClass result =
        LoopWeaver.atRunTime(PollCounter.TARGET)
            .within(limits)
            .weave(original.getName(), bytesOf(original));
    if (!result.skipped().isEmpty()) throw new AssertionError(result.skipped());
    return result;
  }

  /** What weaving makes of the class and of those nested in it. */
  static List<WovenClass> wovenClasses(Class<?> original) {
    List<WovenClass> all = new ArrayList<>(List.of(wovenClass(original, SMALL)));
    for (Class<?> nested : original.getDeclaredClasses()) all.add(wovenClass(nested, SMALL));
    return all;
  }

  static byte[] bytesOf(Class<?> original) {
    String file = "/" + original.getName().replace('.', '/') + ".class";
    try (InputStream in = original.getResourceAsStream(file)) {
      if (in == null) throw new AssertionError("no class file of " + original);
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    byte[] bytes = classes.get(name);
    synchronized (getClassLoadingLock(name)) {
      Class<?> found = findLoadedClass(name);
      if (found != null) return found;
      return bytes == null
          ? super.loadClass(name, resolve)
          : defineClass(name, bytes, 0, bytes.length);
    }
  }
}
