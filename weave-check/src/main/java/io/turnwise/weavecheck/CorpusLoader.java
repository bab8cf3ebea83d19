package io.turnwise.weavecheck;

import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Loads the classes of the corpus, each changed or not as its {@link Change} says. The JVM verifies
 * all that comes from a loader like this.
 */
final class CorpusLoader extends ClassLoader {
  static {
    registerAsParallelCapable();
  }

  /** What is made of a class file before it is defined. */
  interface Change {
    byte[] apply(String className, byte[] classFile);
  }

  private final ClassFiles files;
  private final Change change;

  CorpusLoader(ClassFiles files, Change change) {
    super(new PollSight());
    this.files = files;
    this.change = change;
  }

  /** Sees the JDK and the class that polls call, and nothing else of this program. */
  private static final class PollSight extends ClassLoader {
    PollSight() {
      super(ClassLoader.getPlatformClassLoader());
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      if (name.equals(PollCounter.class.getName())) return PollCounter.class;
      throw new ClassNotFoundException(name);
    }
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    byte[] bytes = files.classFile(name);
    if (bytes == null) throw new ClassNotFoundException(name);
    byte[] changed = change.apply(name, bytes);
    return defineClass(name, changed, 0, changed.length);
  }

  /** Defines a class that lies in its jar where its name would not put it. */
  Class<?> defineStray(byte[] classFile) {
    return defineClass(null, classFile, 0, classFile.length);
  }

  @Override
  protected @Nullable URL findResource(String name) {
    List<URL> found = files.urls(name);
    return found.isEmpty() ? null : found.getFirst();
  }

  @Override
  protected Enumeration<URL> findResources(String name) {
    return Collections.enumeration(files.urls(name));
  }
}
