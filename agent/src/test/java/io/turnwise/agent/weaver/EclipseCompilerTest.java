package io.turnwise.agent.weaver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.eclipse.jdt.core.compiler.batch.BatchCompiler;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * All shapes of loops once more, as Eclipse's compiler writes them: with the test at the end, and a
 * jump to it. Woven, they compute what javac's do, and are run in strips where those are.
 */
class EclipseCompilerTest {
  private static final String SOURCE = "src/test/java/io/turnwise/agent/weaver/LoopShapes.java";

  @TempDir private static Path output;

  private static final Map<PollForm, Integer> polls = new HashMap<>();
  private static Class<?> woven;

  @BeforeAll
  static void compile() throws Exception {
    var said = new StringWriter();
    var out = new PrintWriter(said);
    String[] options = {
      "--release", "25", "-g", "-nowarn", "-proc:none", "-d", "" + output, SOURCE
    };
    assertThat(BatchCompiler.compile(options, out, out, null)).as(said.toString()).isTrue();
    var loader = new WovenLoader();
    for (Path file : classFiles()) {
      String name =
          output.relativize(file).toString().replace('/', '.').replaceAll("\\.class$", "");
      WovenClass result =
          LoopWeaver.atRunTime(PollCounter.TARGET)
              .within(WovenLoader.SMALL)
              .weave(name, Files.readAllBytes(file));
      assertThat(result.skipped()).isEmpty();
      loader.with(name, result.bytes() == null ? Files.readAllBytes(file) : result.bytes());
      result.polls().forEach((form, count) -> polls.merge(form, count, Integer::sum));
    }
    woven = Class.forName(LoopShapes.class.getName(), true, loader);
  }

  private static List<Path> classFiles() throws IOException {
    try (Stream<Path> files = Files.walk(output)) {
      return files.filter(it -> it.toString().endsWith(".class")).toList();
    }
  }

  static Stream<String> shapes() {
    return LoopWeaverTest.shapes();
  }

  static Stream<String> loops() {
    return LoopWeaverTest.loops();
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void resultIsThatOfJavacsClass(String shape) {
    for (int n : LoopWeaverTest.SIZES)
      assertThat(LoopWeaverTest.run(woven, shape, n))
          .as("n = %s", n)
          .isEqualTo(LoopWeaverTest.run(LoopShapes.class, shape, n));
  }

  /** Others may differ: a test of several comparisons has one jump back, or several. */
  @Test
  void thereAreAsManyStripsAsInJavacsClass() {
    int expected = 0;
    for (WovenClass it : WovenLoader.wovenClasses(LoopShapes.class))
      expected += it.polls().getOrDefault(PollForm.STRIP, 0);
    assertThat(polls).containsEntry(PollForm.STRIP, expected);
  }

  @ParameterizedTest
  @MethodSource("loops")
  void everyLoopPassesPolls(String shape) {
    long passed = PollCounter.during(() -> LoopWeaverTest.run(woven, shape, LoopWeaverTest.ROUNDS));
    assertThat(passed).isGreaterThan(LoopWeaverTest.ROUNDS / 3);
  }
}
