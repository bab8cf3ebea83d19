package io.turnwise.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the documents point to is there. */
class DocsTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern LINK = Pattern.compile("]\\(([^)#:]+)(#[^)]*)?\\)");
  private static final Pattern PLACE = Pattern.compile("]\\(([^)#:]*)#([^)]*)\\)");
  private static final Pattern HEADING = Pattern.compile("^#+ (.*)$", Pattern.MULTILINE);
  private static final Pattern TEST = Pattern.compile("`(\\w+(?:Test|Stress|Property))`");

  private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern REGION =
      Pattern.compile("// @start region=\"\\w+\"\n(.*?)// @end", Pattern.DOTALL);

  private static final List<Path> SNIPPETS =
      List.of(
          Path.of("src", "test", "java", "ApiSnippets.java"),
          Path.of("src", "test", "java", "CounterSnippet.java"),
          Path.of("src", "test", "java", "SupervisionSnippets.java"),
          ROOT.resolve("testkit/src/test/java/io/turnwise/testkit/ExamplesTest.java"),
          ROOT.resolve(
              "testkit/src/test/java/io/turnwise/testkit/simulation/SimulationDocTest.java"),
          ROOT.resolve("woven/src/test/java/io/turnwise/woven/Guide.java"));

  @Test
  void everyLinkBetweenDocumentsLeadsSomewhere() throws IOException {
    for (Path document : documents()) {
      List<String> links = found(LINK, Files.readString(document));
      assertThat(links)
          .as(ROOT.relativize(document).toString())
          .allSatisfy(link -> assertThat(document.resolveSibling(link)).exists());
    }
  }

  @Test
  void everyLinkToAHeadingFindsIt() throws IOException {
    for (Path document : documents())
      for (MatchResult link : PLACE.matcher(Files.readString(document)).results().toList()) {
        String file = link.group(1);
        assertThat(places(file.isEmpty() ? document : document.resolveSibling(file)))
            .as(ROOT.relativize(document) + " links to " + link.group())
            .contains(link.group(2));
      }
  }

  @Test
  void theGuidesListOfContentsIsWhole() throws IOException {
    String guide = Files.readString(ROOT.resolve("docs/guide.md"));
    String contents = guide.substring(0, guide.indexOf("\n## "));
    assertThat(PLACE.matcher(contents).results().map(link -> link.group(2)))
        .containsExactlyElementsOf(
            found(Pattern.compile("^## (.*)$", Pattern.MULTILINE), guide).stream()
                .map(DocsTest::placeOf)
                .toList());
  }

  @Test
  void everyTestThatHoldsAPromiseExists() throws IOException {
    Set<String> tests = testClasses();
    for (Path document : documents())
      assertThat(tests)
          .as(ROOT.relativize(document).toString())
          .containsAll(found(TEST, Files.readString(document)));
  }

  /** A module declaration is compiled by the test below; all else lies in sources of tests. */
  @Test
  void everyBlockOfJavaIsCompiled() throws IOException {
    Set<String> compiled = new HashSet<>();
    for (Path source : SNIPPETS)
      for (String region : found(REGION, Files.readString(source)))
        compiled.add(region.stripTrailing().stripIndent() + "\n");
    for (Path document : documents())
      assertThat(found(JAVA, Files.readString(document)))
          .as(ROOT.relativize(document).toString())
          .filteredOn(block -> !block.startsWith("module "))
          .isSubsetOf(compiled);
  }

  @Test
  void everyModuleDeclarationIsCompiled(@TempDir Path out) throws IOException {
    List<String> modules = new ArrayList<>();
    for (Path document : documents())
      for (String block : found(JAVA, Files.readString(document)))
        if (block.startsWith("module ")) modules.add(block);
    assertThat(modules).isNotEmpty();
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    for (String module : modules) {
      Path source = Files.writeString(out.resolve("module-info.java"), module);
      String built = Path.of("target", "classes").toString();
      var said = new ByteArrayOutputStream();
      int failed = compiler.run(null, said, said, "-p", built, "-d", "" + out, "" + source);
      assertThat(failed).as(module + said.toString(StandardCharsets.UTF_8)).isZero();
    }
  }

  @Test
  void codeInJavadocComesFromACompiledFile() throws IOException {
    try (Stream<Path> all = Files.walk(Path.of("src", "main", "java"))) {
      for (Path source : all.filter(p -> p.toString().endsWith(".java") && isShown(p)).toList())
        assertThat(Files.readString(source)).as(source.toString()).doesNotContain("{@snippet :");
    }
  }

  /** Users do not see the Javadoc of what is not exported. */
  private static boolean isShown(Path source) {
    return !source.toString().contains("internal");
  }

  /** The places in a document that a link can name: its headings. */
  private static Set<String> places(Path document) throws IOException {
    String text = Files.readString(document).replaceAll("(?s)```.*?```", "");
    return found(HEADING, text).stream().map(DocsTest::placeOf).collect(Collectors.toSet());
  }

  private static String placeOf(String heading) {
    return heading.toLowerCase(Locale.ROOT).replaceAll("[^\\w\\- ]", "").replace(' ', '-');
  }

  private static List<Path> documents() throws IOException {
    try (Stream<Path> top = Files.list(ROOT);
        Stream<Path> below = Files.walk(ROOT.resolve("docs"))) {
      return Stream.concat(top, below).filter(p -> p.toString().endsWith(".md")).toList();
    }
  }

  private static Set<String> testClasses() throws IOException {
    try (Stream<Path> all = Files.walk(ROOT)) {
      return all.map(p -> ROOT.relativize(p).toString())
          .filter(p -> p.contains("src/test/java/") || p.startsWith("core-stress/src/"))
          .filter(p -> p.endsWith(".java"))
          .map(p -> Path.of(p).getFileName().toString().replace(".java", ""))
          .collect(Collectors.toSet());
    }
  }

  private static List<String> found(Pattern pattern, String text) {
    return pattern.matcher(text).results().map((MatchResult r) -> r.group(1)).toList();
  }
}
