package io.turnwise.woven;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code ./turnwise run} and its neighbours, in a copy of the checkout that has the launcher and
 * the jars, so that it finds nothing to build.
 */
class LauncherTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  @TempDir private Path checkout;

  @BeforeEach
  void copyLauncherAndJars() throws IOException {
    Files.copy(
        ROOT.resolve("turnwise"),
        checkout.resolve("turnwise"),
        StandardCopyOption.COPY_ATTRIBUTES); // it must stay executable
    Files.createFile(checkout.resolve("pom.xml"));
    copyJar("core", "turnwise.jar");
    copyJar("agent", "turnwise-agent.jar");
    copyJar("testkit", "turnwise-testkit.jar");
  }

  @Test
  void theProgramOfTheReadmeRunsAndPrintsWhatTheReadmeSays() throws Exception {
    String readme = Files.readString(ROOT.resolve("README.md"));
    Path program = Files.writeString(checkout.resolve("Counter.java"), block("java", readme));
    assertThat(launch("run", program.toString())).isEqualTo(new Ended(0, block("text", readme)));
  }

  @Test
  void argumentsReachTheProgramAndItsLoopsArePreempted() throws Exception {
    Path program =
        Files.writeString(
            checkout.resolve("Hog.java"),
            """
            import io.turnwise.*;

            void main(String[] arguments) throws Exception {
              IO.println(String.join("|", arguments));
              try (var system = ActorSystem.open("shop")) {
                var started = new java.util.concurrent.CountDownLatch(1);
                ActorRef<String> hog = system.spawn("hog", () -> (_, _) -> {
                  started.countDown();
                  for (long i = 0; ; i++) if (i < 0) i = 0;
                });
                hog.cast("go");
                started.await();
                IO.println(hog.kill().toCompletableFuture().join().force());
              }
            }
            """);
    assertThat(launch("run", program.toString(), "two words", "--flag"))
        .isEqualTo(new Ended(0, "two words|--flag\nCANCELLED\n"));
  }

  @ParameterizedTest
  @CsvSource({
    "Missing.java, there is no file \"Missing.java\".",
    "pom.xml, '\"pom.xml\" is no Java source file: its name must end in .java.'",
    "core, '\"core\" is a folder; run takes one Java source file.'"
  })
  void whatIsNoSourceFileIsRefusedInOneSentence(String file, String sentence) throws Exception {
    assertThat(launch("run", file)).isEqualTo(new Ended(1, "turnwise: " + sentence + "\n"));
  }

  @Test
  void runWithoutAFileSaysWhatItNeeds() throws Exception {
    assertThat(launch("run"))
        .isEqualTo(
            new Ended(
                2,
                """
                turnwise: run needs a Java source file.
                Usage: ./turnwise run FILE.java [ARGUMENTS]
                """));
  }

  @Test
  void aFileThatDoesNotCompileGetsTheCompilersError() throws Exception {
    Files.writeString(checkout.resolve("Broken.java"), "void main() { nonsense(); }\n");
    Ended ended = launch("run", "Broken.java");
    assertThat(ended.status()).isOne();
    assertThat(ended.said()).contains("Broken.java:1: error: cannot find symbol");
  }

  @ParameterizedTest
  @ValueSource(strings = {"help", "--help", "-h"})
  void helpNamesEveryCommandOfTheLauncher(String word) throws Exception {
    String script = Files.readString(ROOT.resolve("turnwise"));
    String commands = script.substring(script.lastIndexOf("case $command in"));
    List<String> named =
        Pattern.compile("(?m)^  ([a-z-]+)\\)")
            .matcher(commands)
            .results()
            .map(found -> found.group(1))
            .toList();
    assertThat(named).contains("demo", "run", "weave-check");
    Ended ended = launch(word);
    assertThat(ended.status()).isZero();
    assertThat(named)
        .allSatisfy(command -> assertThat(ended.said()).containsPattern("(?m)^  " + command + " "));
  }

  /** Surefire does not read its file of exclusions where tests are named. */
  @ParameterizedTest
  @CsvSource({
    "'-Dtest=CallTest', '1', '1', ''",
    "'0.1,-Dtest=CallTest', '0.1', '1', ',!a.FourTest'",
    "'0.1,7,-Dtest=CallTest', '0.1', '7', ',!a.FourTest'"
  })
  void whereEveryPollYieldsAlsoNamedTestsLeaveOutWhatCannotHold(
      String arguments, String share, String seed, String more) throws Exception {
    Path excludes = checkout.resolve("core-stress/every-poll-excludes.txt");
    Files.createDirectories(excludes.getParent());
    Files.writeString(excludes, "# why\n\na.OneTest\n# why not\na.TwoTest#three\n");
    Files.writeString(
        excludes.resolveSibling("every-poll-excludes-below-1.txt"), "# why\na.FourTest\n");
    Path maven = Files.createDirectories(checkout.resolve("maven/bin")).resolve("mvn");
    Files.writeString(
        maven,
        """
        #!/bin/sh
        if [ "$1" = -v ]; then echo Apache Maven 3.9.9; else printf '%s\\n' "$@"; fi
        """);
    assertThat(maven.toFile().setExecutable(true)).isTrue();
    List<String> command = new ArrayList<>(List.of("test-every-poll"));
    command.addAll(List.of(arguments.split(",")));
    assertThat(launch(command.toArray(String[]::new)).said())
        .contains("\nagent,core,testkit,weaving-maven-plugin,woven\n")
        .contains("\n-Dtest=CallTest,!a.OneTest,!a.TwoTest#three" + more + "\n")
        .contains("-Dturnwise.everyPoll=" + share + " -Dturnwise.everyPoll.seed=" + seed + "\n");
  }

  /** One that was renamed would be run again, and one that is gone would stand for nothing. */
  @ParameterizedTest
  @ValueSource(strings = {"every-poll-excludes.txt", "every-poll-excludes-below-1.txt"})
  void whatIsLeftOutWhereEveryPollYieldsIsThereAndHasItsReason(String list) throws Exception {
    Path excludes = ROOT.resolve("core-stress").resolve(list);
    String before = "";
    for (String line : Files.readAllLines(excludes)) {
      if (before.isEmpty() && !line.isEmpty()) assertThat(line).startsWith("# ");
      if (!line.isEmpty() && !line.startsWith("#") && !line.startsWith("%regex["))
        assertThat(isTest(line)).as(line).isTrue();
      before = line;
    }
  }

  /**
   * @param name of a class, or of a method after its class and #
   */
  private static boolean isTest(String name) throws IOException {
    String[] parts = name.split("#");
    String source = "src/test/java/" + parts[0].replace('.', '/') + ".java";
    for (String module : List.of("core", "testkit", "woven")) {
      Path file = ROOT.resolve(module).resolve(source);
      if (Files.exists(file))
        return parts.length == 1 || Files.readString(file).contains(" void " + parts[1] + "(");
    }
    return false;
  }

  private void copyJar(String module, String name) throws IOException {
    Path jar = ChildJvm.jar(name);
    Path target = checkout.resolve(module).resolve("target");
    Files.createDirectories(checkout.resolve(module).resolve("src/main/java"));
    Files.createDirectories(target);
    Files.copy(jar, target.resolve(name));
  }

  private record Ended(int status, String said) {}

  private Ended launch(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(checkout.resolve("turnwise").toString()));
    command.addAll(List.of(arguments));
    var builder =
        new ProcessBuilder(command).directory(checkout.toFile()).redirectErrorStream(true);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("MAVEN_HOME", checkout.resolve("maven").toString());
    builder.environment().remove("TURNWISE_JAVA_OPTS");
    builder.environment().remove("JAVA_TOOL_OPTIONS");
    Process child = builder.start();
    String said = child.inputReader().readAllAsString();
    return new Ended(child.waitFor(), said);
  }

  private static String block(String language, String text) {
    return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
        .matcher(text)
        .results()
        .map(found -> found.group(1))
        .findFirst()
        .orElseThrow();
  }
}
