package io.turnwise.woven;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.woven.built.BuiltProgram;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Classes woven by the Maven plugin, in a JVM without the agent. */
class BuiltProgramTest {
  @Test
  void aLoopWovenByTheBuildIsPreemptedWithoutAnAgent() throws Exception {
    String classPath =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !entry.contains("turnwise-agent") && !isAgentModule(entry))
            .collect(Collectors.joining(File.pathSeparator));
    Process child =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "--add-opens",
                    "java.base/java.lang=ALL-UNNAMED",
                    "-cp",
                    classPath,
                    BuiltProgram.class.getName()))
            .redirectErrorStream(true)
            .start();
    String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(child.waitFor()).as(said).isZero();
    assertThat(said).contains("handled: true", "killed: CANCELLED");
  }

  /** In a build that does not package, the agent is a folder. */
  private static boolean isAgentModule(String entry) {
    return Path.of(entry).endsWith(Path.of("agent", "target", "classes"));
  }
}
