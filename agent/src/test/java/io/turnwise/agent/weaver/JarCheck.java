package io.turnwise.agent.weaver;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Weaves classes of a jar, as for a simulation, and lets the JVM verify each of them.
 *
 * @param verified woven classes that the JVM took
 * @param unlinkable classes that it does not take unwoven either, because others are missing
 * @param refused classes that it took unwoven and not woven: there must be none
 */
record JarCheck(
    Path jar,
    int classes,
    int verified,
    int unlinkable,
    Map<PollForm, Integer> polls,
    List<Skipped> skipped,
    List<String> refused) {

  /**
   * @param every one of so many classes is woven
   * @param libraries where the others that it needs are
   */
  static JarCheck of(Path jar, int every, ClassLoader libraries) throws IOException {
    Map<String, byte[]> originals = new HashMap<>();
    try (var file = new JarFile(jar.toFile())) {
      for (JarEntry entry : (Iterable<JarEntry>) file.stream()::iterator) {
        String name = entry.getName();
        if (!name.endsWith(".class")
            || name.startsWith("META-INF/")
            || name.endsWith("-info.class")) continue;
        try (InputStream in = file.getInputStream(entry)) {
          originals.put(
              name.substring(0, name.length() - ".class".length()).replace('/', '.'),
              in.readAllBytes());
        }
      }
    }
    return check(jar, originals, every, libraries);
  }

  private static JarCheck check(
      Path jar, Map<String, byte[]> originals, int every, ClassLoader libraries) {
    LoopWeaver weaver = LoopWeaver.atRunTime(PollCounter.TARGET);
    CallRedirector redirector = CallRedirector.ofUserClasses();
    var before = new WovenLoader(libraries);
    var after = new WovenLoader(libraries);
    Map<PollForm, Integer> polls = new EnumMap<>(PollForm.class);
    List<Skipped> skipped = new ArrayList<>();
    List<String> chosen = new ArrayList<>();
    int classes = 0;
    for (String name : originals.keySet().stream().sorted().toList()) {
      byte[] bytes = originals.get(name);
      before.with(name, bytes);
      after.with(name, bytes);
      if (classes++ % every != 0) continue;
      RedirectedClass redirected = redirector.redirect(name, bytes);
      skipped.addAll(redirected.skipped());
      byte[] now = redirected.bytes() == null ? bytes : redirected.bytes();
      WovenClass result = weaver.weave(name, now);
      skipped.addAll(result.skipped());
      result.polls().forEach((form, count) -> polls.merge(form, count, Integer::sum));
      if (result.bytes() != null) now = result.bytes();
      if (now == bytes) continue;
      after.with(name, now);
      chosen.add(name);
    }
    int verified = 0;
    int unlinkable = 0;
    List<String> refused = new ArrayList<>();
    for (String name : chosen) {
      String failure = link(after, name);
      if (failure == null) verified++;
      else if (link(before, name) != null) unlinkable++;
      else refused.add(name + ": " + failure);
    }
    return new JarCheck(jar, chosen.size(), verified, unlinkable, polls, skipped, refused);
  }

  String text() {
    return "%-45s %6d woven %6d verified %5d unlinkable  %s, %d left, %d refused"
        .formatted(
            jar.getFileName(),
            classes,
            verified,
            unlinkable,
            polls,
            skipped.size(),
            refused.size());
  }

  /** What the JVM says when it links the class, which includes its verification; null for yes. */
  static String link(ClassLoader loader, String name) {
    try {
      Class.forName(name, false, loader).getDeclaredMethods();
      return null;
    } catch (ClassNotFoundException | LinkageError | SecurityException e) {
      return e.toString();
    }
  }
}
