package io.turnwise.weavecheck;

import io.turnwise.agent.weaver.LoopWeaver;
import io.turnwise.agent.weaver.WovenClass;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Weaves classes of the corpus and lets the JVM link them, which includes their verification. A
 * class that does not link is tried again unwoven: many jars name classes of others that are not
 * there, and that is no fault of the weaver's if the unwoven class says exactly the same.
 */
final class Verification {
  /** Of modules and loaders, in the JVM's messages: never the same in two loaders. */
  private static final Pattern IDENTITY = Pattern.compile("@(0x)?[0-9a-f]+");

  private final ClassFiles files;
  private final LoopWeaver weaver = LoopWeaver.atRunTime(PollCounter.TARGET);
  private final Map<String, WovenClass> results = new HashMap<>();
  private final CorpusLoader woven;
  private final CorpusLoader unwoven;
  private long nanosWeaving;

  Verification(ClassFiles files) {
    this.files = files;
    woven = new CorpusLoader(files, this::weave);
    unwoven = new CorpusLoader(files, (name, bytes) -> bytes);
  }

  private byte[] weave(String name, byte[] classFile) {
    long began = System.nanoTime();
    WovenClass result = weaver.weave(name, classFile);
    nanosWeaving += System.nanoTime() - began;
    results.put(name, result);
    byte[] bytes = result.bytes();
    return bytes == null ? classFile : bytes;
  }

  long nanosWeaving() {
    return nanosWeaving;
  }

  /** Checks every class of one jar. */
  Tally check(Path jar) {
    var tally = new Tally();
    for (String name : files.classesOf(jar)) {
      String failure = failure(woven, name);
      String before = failure == null ? null : failure(unwoven, name);
      WovenClass result = results.remove(name);
      if (result != null) tally.add(result);
      else tally.addUnread();
      if (failure == null) tally.addLinked();
      else if (failure.equals(before)) tally.addUnlinkable();
      else
        tally.addError(name + ": " + failure + "; unwoven: " + (before == null ? "links" : before));
    }
    return tally;
  }

  /** Null if the JVM takes the class. */
  private @Nullable String failure(CorpusLoader loader, String name) {
    try {
      Linking.link(load(loader, name));
      return null;
    } catch (ClassNotFoundException | LinkageError | SecurityException e) {
      return IDENTITY.matcher(e.toString()).replaceAll("@...");
    }
  }

  /** A class may lie where its name would not put it, as those that scripts were compiled to do. */
  private Class<?> load(CorpusLoader loader, String name) throws ClassNotFoundException {
    try {
      return loader.loadClass(name);
    } catch (NoClassDefFoundError e) {
      byte[] bytes = files.classFile(name);
      if (bytes == null || e.getMessage() == null || !e.getMessage().contains("wrong name"))
        throw e;
      // In a loader of its own: several may have the same name.
      boolean weave = loader == woven;
      return new CorpusLoader(files, (it, file) -> file)
          .defineStray(weave ? weave(name, bytes) : bytes);
    }
  }

  /** What came of the classes of a jar, or of all. */
  static final class Tally {
    private final List<WovenClass> classes = new ArrayList<>();
    private final List<String> errors = new ArrayList<>();
    private int linked;
    private int unlinkable;
    private int unread;

    private void add(WovenClass result) {
      // The bytes and names of a hundred thousand classes are not needed twice.
      classes.add(
          new WovenClass(
              result.name(),
              result.bytes() == null ? null : new byte[0],
              result.methods(),
              result.wovenMethods(),
              Set.of(),
              result.polls(),
              result.skipped()));
    }

    private void addUnread() {
      unread++;
    }

    private void addLinked() {
      linked++;
    }

    private void addUnlinkable() {
      unlinkable++;
    }

    private void addError(String error) {
      errors.add(error);
    }

    void add(Tally other) {
      classes.addAll(other.classes);
      errors.addAll(other.errors);
      linked += other.linked;
      unlinkable += other.unlinkable;
      unread += other.unread;
    }

    List<WovenClass> classes() {
      return classes;
    }

    /** Classes that link unwoven and not woven, or not in the same way. */
    List<String> errors() {
      return errors;
    }

    int linked() {
      return linked;
    }

    /** Classes that link neither way, with the same words. */
    int unlinkable() {
      return unlinkable;
    }

    /** Of the unlinkable, those that the JVM gave up before it came to their class file. */
    int unread() {
      return unread;
    }
  }
}
