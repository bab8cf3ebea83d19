package io.turnwise.internal.door;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * Gets {@code java.lang} opened to this module, in this order: a flag or manifest has done it; an
 * agent of ours is loaded and does it; the process attaches the agent to itself through a
 * short-lived child JVM. Where none of these is possible, the error names the flag.
 */
final class DoorOpener {
  /** Set to false to forbid the last resort. */
  private static final String SELF_ATTACH = "turnwise.selfAttach";

  private static final System.Logger LOG = System.getLogger("io.turnwise");
  private static final int ATTACH_SECONDS = 20;

  private DoorOpener() {}

  static MethodHandles.Lookup openJavaLang(MethodHandles.Lookup own) {
    Module us = DoorOpener.class.getModule();
    if (!isOpen(us)) askAgent(us);
    String attachFailure = "it was switched off by -D" + SELF_ATTACH + "=false";
    if (!isOpen(us) && !"false".equals(System.getProperty(SELF_ATTACH))) {
      attachFailure = attachToSelf(us);
      askAgent(us);
    }
    if (!isOpen(us)) throw new IllegalStateException(explain(us, attachFailure));
    try {
      return MethodHandles.privateLookupIn(Thread.class, own);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(explain(us, attachFailure), e);
    }
  }

  private static boolean isOpen(Module us) {
    return Object.class.getModule().isOpen("java.lang", us);
  }

  private static String flag(Module us) {
    return "--add-opens java.base/java.lang=" + (us.isNamed() ? us.getName() : "ALL-UNNAMED");
  }

  private static String explain(Module us, String attachFailure) {
    return "Turnwise cannot make fibers: the package java.lang is not open to it, and attaching to"
        + " its own process did not work ("
        + attachFailure
        + "). [DOOR-CLOSED]\n  next:  start Java with "
        + flag(us)
        + ", or with -javaagent: and the path of the turnwise jar";
  }

  @SuppressWarnings("unchecked")
  private static void askAgent(Module us) {
    if (System.getProperties().get(OpeningAgent.OPENER) instanceof Consumer<?> opener)
      ((Consumer<Module>) opener).accept(us);
  }

  /** Returns what went wrong, or an empty text. */
  private static String attachToSelf(Module us) {
    LOG.log(
        System.Logger.Level.INFO,
        "Turnwise attaches its agent to this process, which takes a moment and makes the JVM print"
            + " a warning; start Java with {0} to avoid both",
        flag(us));
    try {
      Path jar = writeAgentJar();
      try {
        Path command = Path.of(System.getProperty("java.home"), "bin", "java");
        Process child =
            new ProcessBuilder(
                    command.toString(),
                    "-Xshare:auto",
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    jar.toString(),
                    SelfAttach.class.getName(),
                    Long.toString(ProcessHandle.current().pid()),
                    jar.toString())
                .redirectErrorStream(true)
                .start();
        String said;
        try (InputStream out = child.getInputStream()) {
          said = new String(out.readAllBytes(), StandardCharsets.UTF_8);
        }
        if (!child.waitFor(ATTACH_SECONDS, TimeUnit.SECONDS)) {
          child.destroy();
          return "the helper process did not end within " + ATTACH_SECONDS + " s";
        }
        return child.exitValue() == 0 ? "" : said.strip();
      } finally {
        Files.deleteIfExists(jar);
      }
    } catch (IOException e) {
      return e.toString();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "interrupted";
    }
  }

  private static Path writeAgentJar() throws IOException {
    Path jar = Files.createTempFile("turnwise-agent", ".jar");
    var manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.putValue("Agent-Class", OpeningAgent.class.getName());
    main.putValue("Can-Redefine-Classes", "true");
    main.putValue("Can-Retransform-Classes", "true");
    try (var out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
      for (Class<?> c : new Class<?>[] {OpeningAgent.class, SelfAttach.class}) {
        String entry = c.getName().replace('.', '/') + ".class";
        out.putNextEntry(new JarEntry(entry));
        try (InputStream in = c.getResourceAsStream("/" + entry)) {
          if (in == null) throw new IOException("the class file of " + c.getName() + " is missing");
          in.transferTo(out);
        }
        out.closeEntry();
      }
    }
    return jar;
  }
}
