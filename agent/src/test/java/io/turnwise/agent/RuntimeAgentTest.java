package io.turnwise.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.agent.sample.LoopProgram;
import io.turnwise.agent.weaver.SkipReason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The agent in a JVM of its own, started in each of its ways. */
class RuntimeAgentTest {
  /** The agent does not weave its own packages unless it is told to. */
  private static final String INCLUDE = "include=io.turnwise.agent.sample.**";

  @TempDir Path folder;
  private Path agent;

  @BeforeEach
  void writeAgentJar() throws IOException {
    agent = folder.resolve("agent.jar");
    var manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.putValue("Premain-Class", RuntimeAgent.class.getName());
    main.putValue("Agent-Class", RuntimeAgent.class.getName());
    main.putValue("Can-Redefine-Classes", "true");
    main.putValue("Can-Retransform-Classes", "true");
    main.putValue("Class-Path", classPathAsUrls());
    new JarOutputStream(Files.newOutputStream(agent), manifest).close();
  }

  @Test
  void startedByFlagItWeavesWhatIsLoaded() throws Exception {
    String said = run("-javaagent:" + agent + "=" + INCLUDE);
    assertThat(said).contains("early=1000", "late=1000", "running=true", "open=true");
  }

  @Test
  void attachedLaterItWeavesWhatWasLoadedBefore() throws Exception {
    String said =
        run(
            List.of("-Djdk.attach.allowAttachSelf=true", "-XX:+EnableDynamicAgentLoading"),
            List.of(agent.toString(), INCLUDE));
    assertThat(said).contains("early=0", "late=1000", "running=true", "open=true");
  }

  @Test
  void reportSaysWhatWasWovenAndWhatNot() throws Exception {
    Path report = folder.resolve("report.txt");
    run("-javaagent:" + agent + "=" + INCLUDE + ",jdk=off,report=" + report);
    assertThat(report)
        .content()
        .contains("classes: 1", "  woven: 1", "polls, plain: 2", "polls, call: ", "HIDDEN");
  }

  @Test
  void callsThatRanWhenTheirMethodWasWovenAreNamed() throws Exception {
    Path report = folder.resolve("report.txt");
    String said =
        run(
            List.of("-Djdk.attach.allowAttachSelf=true", "-XX:+EnableDynamicAgentLoading"),
            List.of(agent.toString(), INCLUDE + ",jdk=off,report=" + report));
    String running = "RUNNING io.turnwise.agent.sample.LoopProgram.";
    assertThat(said.lines().filter(line -> line.contains(running)))
        .satisfiesExactlyInAnyOrder(
            line -> assertThat(line).matches(".*\\.main: in line [0-9]+, on thread \"main\""),
            line -> assertThat(line).matches(".*\\.wait: in line [0-9]+, on thread \"platform\""),
            line -> assertThat(line).matches(".*\\.wait: on thread \"virtual\""));
    // The loop that was over by then is not among them.
    assertThat(Files.readAllLines(report).stream().filter(line -> line.startsWith(running)))
        .hasSize(3);
    assertThat(counted(Files.readString(report), SkipReason.RUNNING)).isEqualTo(3);
  }

  @Test
  void hiddenClassesAreNamed() throws Exception {
    Path report = folder.resolve("report.txt");
    String said = run("-javaagent:" + agent + "=" + INCLUDE + ",report=" + report);
    String name = "HIDDEN io.turnwise.agent.sample.LoopProgram$$Lambda";
    assertThat(said).contains("report=" + name);
    assertThat(report).content().contains("\n" + name);
    assertThat(Files.readAllLines(report).stream().filter(line -> line.startsWith(name)).count())
        .isEqualTo(counted(Files.readString(report), SkipReason.HIDDEN));
  }

  /** What a line of the report counts. */
  private static long counted(String report, SkipReason reason) {
    return report
        .lines()
        .filter(line -> line.startsWith("left as it was, " + reason + " "))
        .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  @Test
  void classesThatCannotSeeTheSafepointStayAsTheyWere() throws Exception {
    // Its own packages are excluded, and so nothing is woven, and nothing breaks.
    assertThat(run("-javaagent:" + agent)).contains("early=0", "late=0");
  }

  @Test
  void weavingCanBeSwitchedOff() throws Exception {
    assertThat(run("-javaagent:" + agent + "=weave=off," + INCLUDE))
        .contains("early=0", "late=0", "open=true");
  }

  @Test
  void aBlankArgumentIsNone() throws Exception {
    assertThat(run("-Dturnwise.agent=" + INCLUDE, "-javaagent:" + agent + "= "))
        .contains("early=1000", "late=1000");
  }

  @Test
  void anUnknownOptionIsRefusedWithTheKnownOnes() throws Exception {
    assertThat(run("-javaagent:" + agent + "=wave=off")).contains("it knows include=PATTERN");
  }

  private String run(String... flags) throws Exception {
    return run(List.of(flags), List.of());
  }

  private String run(List<String> flags, List<String> arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.addAll(
        List.of("-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path")));
    command.add(LoopProgram.class.getName());
    command.addAll(arguments);
    Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return said;
  }

  private static String classPathAsUrls() {
    return Arrays.stream(System.getProperty("java.class.path").split(java.io.File.pathSeparator))
        .map(entry -> Path.of(entry).toUri().toString())
        .collect(Collectors.joining(" "));
  }
}
