package io.turnwise.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the documents point to is there. */
class DocsTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern LINK = Pattern.compile("]\\(([^)#:]+)(#[^)]*)?\\)");
  private static final Pattern TEST = Pattern.compile("`(\\w+(?:Test|Stress|Property))`");

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
  void everyTestThatHoldsAPromiseExists() throws IOException {
    Set<String> tests = testClasses();
    for (Path document : documents())
      assertThat(tests)
          .as(ROOT.relativize(document).toString())
          .containsAll(found(TEST, Files.readString(document)));
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
