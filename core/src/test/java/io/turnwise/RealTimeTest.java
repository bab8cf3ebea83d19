package io.turnwise;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A test in which real time passes says why, on the page about our tests. */
class RealTimeTest {
  private static final Path PAGE = Path.of("..", "docs", "how-we-test.md");
  private static final Pattern SLEEPS =
      Pattern.compile(
          "Thread\\.sleep\\(|LockSupport\\.parkNanos\\(|TimeUnit\\.[A-Z]+\\.sleep\\("
              + "|Redirected\\.sleep\\(|System\\.nanoTime\\(\\) [-+<>]"); // a deadline, or a stop

  // watch

  /** Time is simulated there, or what sleeps is woven and not run. */
  private static final List<String> SIMULATED =
      List.of(
          "testkit/planted/",
          "testkit/simulation/",
          "SupervisionSimulationProperty",
          "test/java/user/",
          "woven/simulated/",
          "agent/src/test/");

  @Test
  void thePageListsTheTestsInWhichRealTimePasses() throws IOException {
    String page = Files.readString(PAGE);
    String table =
        page.substring(page.indexOf("<!-- real-time -->"), page.indexOf("<!-- /real-time -->"));
    Set<String> listed =
        Pattern.compile("\\| `(\\w+)` \\|")
            .matcher(table)
            .results()
            .map(row -> row.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(listed).isNotEmpty().isEqualTo(testsThatSleep());
  }

  private static Set<String> testsThatSleep() throws IOException {
    Set<String> names = new TreeSet<>();
    try (Stream<Path> modules = Files.list(Path.of(".."))) {
      for (Path tests : modules.map(m -> m.resolve("src/test/java")).toList())
        if (Files.isDirectory(tests)) addThoseThatSleep(tests, names);
    }
    names.remove(RealTimeTest.class.getSimpleName());
    return names;
  }

  private static void addThoseThatSleep(Path tests, Set<String> names) throws IOException {
    try (Stream<Path> files = Files.walk(tests)) {
      files
          .filter(file -> file.toString().endsWith(".java"))
          .filter(file -> SIMULATED.stream().noneMatch(slashed(file)::contains))
          .filter(file -> SLEEPS.matcher(read(file)).find())
          .map(file -> file.getFileName().toString().replace(".java", ""))
          .forEach(names::add);
    }
  }

  private static String slashed(Path file) {
    return file.toString().replace('\\', '/');
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
