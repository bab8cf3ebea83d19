package io.turnwise.woven;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.ActorSystem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What docs/guide.md shows is what runs, and it prints what the guide says. */
class GuideTest {
  private static final Path GUIDE = Path.of("..", "docs", "guide.md");
  private static final Path EXAMPLES =
      Path.of("src", "test", "java", "io", "turnwise", "woven", "Guide.java");

  @Test
  void theGuideShowsEveryExampleAsItRuns() throws IOException {
    assertThat(shown()).extracting(Shown::code).containsExactlyElementsOf(regions().values());
  }

  @ParameterizedTest
  @MethodSource("examples")
  void itPrintsWhatTheGuideSays(String name) throws Exception {
    int place = List.copyOf(regions().keySet()).indexOf(name);
    assertThat(timeless(outputOf(example(name)))).isEqualTo(timeless(shown().get(place).output()));
  }

  static List<String> examples() throws IOException {
    return regions().keySet().stream().filter(name -> example(name) != null).toList();
  }

  /** One block of Java, with the block of output that follows it before the next, if any. */
  private record Shown(String code, String output) {}

  private static List<Shown> shown() throws IOException {
    return Pattern.compile("```java\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", Pattern.DOTALL)
        .matcher(Files.readString(GUIDE))
        .results()
        .map(found -> new Shown(found.group(1), found.group(2) == null ? "" : found.group(2)))
        .toList();
  }

  /** By name, in their order, without the indentation of the place where they stand. */
  private static Map<String, String> regions() throws IOException {
    var regions = new LinkedHashMap<String, String>();
    Pattern.compile("// @start region=\"(\\w+)\"\n(.*?)\n *// @end", Pattern.DOTALL)
        .matcher(Files.readString(EXAMPLES))
        .results()
        .forEach(
            found ->
                regions.put(found.group(1), found.group(2).stripTrailing().stripIndent() + "\n"));
    return regions;
  }

  private static Method example(String name) {
    return Arrays.stream(Guide.class.getDeclaredMethods())
        .filter(method -> method.getName().equals(name))
        .findAny()
        .orElse(null);
  }

  private static String outputOf(Method example) throws Exception {
    PrintStream before = System.out;
    var printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      if (example.getParameterCount() == 0) {
        example.invoke(null);
      } else {
        try (var system = ActorSystem.open("shop")) {
          example.invoke(null, system);
        }
      }
    } finally {
      System.setOut(before);
    }
    return printed.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
  }

  /** How long something has lasted differs from run to run. */
  private static String timeless(String output) {
    return output.replaceAll("for \\d+ ms", "for … ms");
  }
}
