package io.turnwise.internal.door;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * Gets {@code java.lang} opened to this module, in this order: a flag or manifest has done it; an
 * agent of ours is loaded and does it; the process attaches the agent to itself through a
 * short-lived child JVM. Where none of these is possible, the error names the flag.
 *
 * <p>Where the weaving agent is on the class path and was not started, it is attached too: it does
 * both jobs.
 */
final class DoorOpener {
  /** Set to false to forbid the last resort. */
  private static final String SELF_ATTACH = "turnwise.selfAttach";

  /** The weaving agent's class; a module of its own, which may or may not be there. */
  private static final String WEAVER = "io.turnwise.agent.RuntimeAgent";

  private static final System.Logger LOG = System.getLogger("io.turnwise");
  private static final int ATTACH_SECONDS = 20;

  /** What a JVM takes flags from: another agent or a debugger's port must not come along. */
  private static final List<String> FLAGS_IN_ENVIRONMENT =
      List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

  private DoorOpener() {}

  /**
   * @throws IllegalStateException when there is no way; says what to do
   */
  static void openJavaLang() {
    Module us = DoorOpener.class.getModule();
    if (!isOpen(us)) askAgents(us);
    if (isOpen(us) && !weaverWaits()) return;
    String failure = "that was switched off by -D" + SELF_ATTACH + "=false";
    if (!"false".equals(System.getProperty(SELF_ATTACH))) {
      failure = attachToSelf(us);
      if (!isOpen(us)) askAgents(us);
    }
    if (!isOpen(us)) throw new IllegalStateException(explain(us, failure));
    if (weaverWaits())
      LOG.log(
          System.Logger.Level.WARNING,
          "The weaving agent is on the class path and could not be started ({0}): handlers are not"
              + " preempted; start Java with -javaagent: and the path of the turnwise-agent jar",
          failure);
  }

  /** Who may look into {@code java.lang} may open more of the JDK; to this module alone. */
  static void openMore(String packageName) throws Throwable {
    MethodHandles.privateLookupIn(Module.class, MethodHandles.lookup())
        .findVirtual(
            Module.class,
            "implAddOpens",
            MethodType.methodType(void.class, String.class, Module.class))
        .invoke(Object.class.getModule(), packageName, DoorOpener.class.getModule());
  }

  private static boolean isOpen(Module us) {
    return Object.class.getModule().isOpen("java.lang", us);
  }

  private static String flag(Module us) {
    return "--add-opens java.base/java.lang=" + (us.isNamed() ? us.getName() : "ALL-UNNAMED");
  }

  private static String explain(Module us, String failure) {
    return "Turnwise cannot make fibers: the package java.lang is not open to it, and it could not"
        + " attach to its own process ("
        + failure
        + "). [DOOR-CLOSED]\n  next:  start Java with "
        + flag(us)
        + ", or with -javaagent: and the path of the turnwise jar";
  }

  private static void askAgents(Module us) {
    for (String agent : List.of(OpeningAgent.class.getName(), WEAVER)) {
      try {
        Class.forName(agent, true, ClassLoader.getSystemClassLoader())
            .getMethod("open", Module.class)
            .invoke(null, us);
      } catch (ReflectiveOperationException | LinkageError e) {
        // No agent there, or one that we may not call: the caller looks whether the door is open.
        LOG.log(System.Logger.Level.DEBUG, "No agent could be asked to open java.lang", e);
      }
    }
  }

  /** Whether the weaving agent is there and nobody has started it. */
  private static boolean weaverWaits() {
    try {
      return !(Boolean)
          Class.forName(WEAVER, true, ClassLoader.getSystemClassLoader())
              .getMethod("isRunning")
              .invoke(null);
    } catch (ReflectiveOperationException | LinkageError e) {
      return false;
    }
  }

  /** Has the weaving agent, which must have been started, redirect what a simulation answers. */
  static void redirectClocks() {
    String next =
        " [NO-WEAVER]\n  next:  add turnwise-agent.jar to the class path, or start Java with"
            + " -javaagent: and its path";
    try {
      Class<?> weaver = Class.forName(WEAVER, true, ClassLoader.getSystemClassLoader());
      weaver.getMethod("simulate").invoke(null);
    } catch (InvocationTargetException e) {
      throw new IllegalStateException(
          "The weaving agent does not redirect clocks: " + e.getCause() + next, e);
    } catch (ReflectiveOperationException | LinkageError e) {
      throw new IllegalStateException(
          "A simulation needs the weaving agent, and it is not there (" + e + ")." + next, e);
    }
  }

  /** Returns what went wrong, if anything did. */
  private static String attachToSelf(Module us) {
    LOG.log(
        System.Logger.Level.INFO,
        "Turnwise attaches its agent to this process, which takes a moment and makes the JVM print"
            + " a warning; start Java with {0} to avoid both",
        weaverWaits() ? "-javaagent: and the path of the turnwise-agent jar" : flag(us));
    try {
      Path jar = writeAgentJar();
      try {
        return runChild(jar);
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

  private static String runChild(Path jar) throws IOException, InterruptedException {
    var builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xshare:auto",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            jar.toString(),
            SelfAttach.class.getName(),
            Long.toString(ProcessHandle.current().pid()),
            jar.toString());
    FLAGS_IN_ENVIRONMENT.forEach(builder.environment()::remove);
    Process child = builder.redirectErrorStream(true).start();
    // It says one line at most, which the pipe can hold until it has ended.
    if (!child.waitFor(ATTACH_SECONDS, TimeUnit.SECONDS)) {
      child.destroyForcibly();
      return "the helper process did not end within " + ATTACH_SECONDS + " s";
    }
    try (InputStream out = child.getInputStream()) {
      String said = new String(out.readAllBytes(), StandardCharsets.UTF_8).strip();
      return child.exitValue() == 0 ? "the agent was loaded and could not open it" : said;
    }
  }

  private static Path writeAgentJar() throws IOException {
    Path jar = Files.createTempFile("turnwise-agent", ".jar");
    var manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    // The JVM looks for the class on the class path of the process, where the weaver then is.
    main.putValue("Agent-Class", weaverWaits() ? WEAVER : OpeningAgent.class.getName());
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
