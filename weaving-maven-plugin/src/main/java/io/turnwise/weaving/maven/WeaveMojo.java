package io.turnwise.weaving.maven;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.maven.artifact.Artifact;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.toolchain.Toolchain;
import org.apache.maven.toolchain.ToolchainManager;
import org.jspecify.annotations.Nullable;

/**
 * The goal {@code weave}: runs the weaver over the module's classes, in a JVM of the JDK that the
 * build uses, because Maven's own may be too old for it.
 */
public final class WeaveMojo extends AbstractMojo {
  private static final int NEEDED = 25;

  // Filled by Maven before execute, as META-INF/maven/plugin.xml says.
  private @Nullable File folder;
  private @Nullable List<String> includes;
  private @Nullable List<String> excludes;
  private @Nullable File report;
  private boolean skip;
  private @Nullable List<Artifact> artifacts;
  private @Nullable MavenSession session;
  private @Nullable ToolchainManager toolchains;

  @Override
  public void execute() throws MojoExecutionException, MojoFailureException {
    File classes = folder;
    if (skip || classes == null || !classes.isDirectory()) {
      getLog().info("Nothing to weave");
      return;
    }
    List<String> command = new ArrayList<>(List.of(java(), "-cp", weaver()));
    command.add("io.turnwise.agent.BuildTimeWeaver");
    add(command, "include=", includes);
    add(command, "exclude=", excludes);
    if (report != null) command.add("report=" + report);
    command.add(classes.getPath());
    run(command);
  }

  private static void add(List<String> command, String option, @Nullable List<String> patterns) {
    if (patterns != null) patterns.forEach(pattern -> command.add(option + pattern));
  }

  private void run(List<String> command) throws MojoExecutionException, MojoFailureException {
    try {
      Process weaver = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said =
          new String(weaver.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      int status = weaver.waitFor();
      if (!said.isEmpty()) said.lines().forEach(getLog()::info);
      if (status != 0)
        throw new MojoFailureException("The weaver failed; the lines above say at what");
    } catch (IOException e) {
      throw new MojoExecutionException("The weaver could not be started", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MojoExecutionException("Interrupted while weaving", e);
    }
  }

  private String java() throws MojoExecutionException {
    ToolchainManager manager = toolchains;
    MavenSession current = session;
    if (manager != null && current != null) {
      Toolchain jdk = manager.getToolchainFromBuildContext("jdk", current);
      String found = jdk == null ? null : jdk.findTool("java");
      if (found != null) return found;
    }
    if (Runtime.version().feature() < NEEDED)
      throw new MojoExecutionException(
          "Weaving needs a JDK "
              + NEEDED
              + ": run Maven with one, or choose one with the toolchains plugin");
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private String weaver() throws MojoExecutionException {
    if (artifacts != null)
      for (Artifact artifact : artifacts)
        if (artifact.getArtifactId().equals("turnwise-agent") && artifact.getFile() != null)
          return artifact.getFile().getPath();
    throw new MojoExecutionException("The plugin's own dependency turnwise-agent is missing");
  }
}
