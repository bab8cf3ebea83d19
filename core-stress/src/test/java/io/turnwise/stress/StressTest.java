package io.turnwise.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.Outcome;

/** Every memory-model test for a moment. {@code ./turnwise stress} runs them for long. */
@Timeout(600)
class StressTest {
  private static final long STRONG_NANOS = 200_000_000L;
  private static final long WEAK_NANOS = 300_000_000_000L;

  /** How often each weakened copy must be caught; more than once to see how sure that is. */
  private static final int TIMES = Integer.getInteger("turnwise.stress.times", 1);

  private static final Path PAGE = Path.of("..", "docs", "how-we-test.md");
  private static final String BEGIN = "<!-- weakened -->\n";
  private static final String END = "<!-- /weakened -->\n";

  static Stream<Class<?>> strong() throws Exception {
    return Stress.tests().stream().filter(t -> !Stress.isWeak(t));
  }

  static Stream<Class<?>> weak() throws Exception {
    return Stress.tests().stream().filter(Stress::isWeak);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("strong")
  void nothingForbiddenIsSeen(Class<?> test) throws Exception {
    var race = new Race(test);
    long deadline = System.nanoTime() + STRONG_NANOS;
    do {
      race.round();
      assertThat(race.seenAs(Expect.FORBIDDEN)).as("%s saw %s", test, race.seen()).isEmpty();
    } while (System.nanoTime() - deadline < 0);
  }

  /** A test that cannot fail proves nothing: on a copy with one step weakened, it does. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("weak")
  void theWeakenedCopyIsCaught(Class<?> test) throws Exception {
    assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "two threads must meet");
    for (int i = 0; i < TIMES; i++) {
      var race = new Race(test);
      long began = System.nanoTime();
      do race.round();
      while (!isCaught(test, race) && System.nanoTime() - began < WEAK_NANOS);
      assertThat(isCaught(test, race)).as("%s saw only %s", test, race.seen()).isTrue();
      if (TIMES > 1)
        System.out.printf(
            "%s: caught in %,d samples, %d ms%n",
            test.getName(), race.samples(), (System.nanoTime() - began) / 1_000_000);
    }
  }

  /** All outcomes that are named; of those that are not, one. */
  private static boolean isCaught(Class<?> test, Race race) {
    Set<String> named = idsOf(test, Expect.ACCEPTABLE_INTERESTING);
    List<String> seen = race.seenAs(Expect.ACCEPTABLE_INTERESTING);
    return named.isEmpty() ? !seen.isEmpty() : seen.containsAll(named);
  }

  private static Set<String> idsOf(Class<?> test, Expect expect) {
    return Stream.of(test.getAnnotationsByType(Outcome.class))
        .filter(outcome -> outcome.expect() == expect)
        .flatMap(outcome -> Stream.of(outcome.id()))
        .filter(id -> !id.isEmpty())
        .collect(Collectors.toSet());
  }

  private static List<Class<?>> weakenedCopiesOf(Class<?> test) {
    return Stream.of(test.getDeclaringClass().getClasses())
        .filter(other -> other.getSimpleName().startsWith("Weak" + test.getSimpleName()))
        .toList();
  }

  static Stream<Class<?>> shown() throws Exception {
    return strong().filter(t -> !t.isAnnotationPresent(NotShown.class));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("shown")
  void whatIsForbiddenIsReachedInAWeakenedCopy(Class<?> test) {
    List<Class<?>> copies = weakenedCopiesOf(test);
    assertThat(copies).as("weakened copies of %s", test).isNotEmpty();
    assertThat(
            copies.stream()
                .flatMap(copy -> idsOf(copy, Expect.ACCEPTABLE_INTERESTING).stream())
                .toList())
        .as("what the weakened copies of %s must show", test)
        .containsAll(idsOf(test, Expect.FORBIDDEN));
  }

  @Test
  void thePageListsEachWeakenedCopyAndWhatIsNotShown() throws Exception {
    var table = new StringBuilder("| test | weakened copies that fail it |\n|---|---|\n");
    for (Class<?> test : strong().sorted(Comparator.comparing(Stress::nameOf)).toList()) {
      NotShown not = test.getAnnotation(NotShown.class);
      String copies =
          not != null
              ? "not shown: " + not.value()
              : weakenedCopiesOf(test).stream()
                  .map(copy -> "`" + copy.getSimpleName() + "`")
                  .sorted()
                  .collect(Collectors.joining(", "));
      table.append("| `%s` | %s |%n".formatted(Stress.nameOf(test), copies));
    }
    String page = Files.readString(PAGE);
    int begin = page.indexOf(BEGIN) + BEGIN.length();
    int end = page.indexOf(END);
    if ("write".equals(System.getProperty("turnwise.page")))
      Files.writeString(PAGE, page.substring(0, begin) + table + page.substring(end));
    else
      assertThat(page.substring(begin, end))
          .as(
              "the table in %s; to write it anew, run this test with"
                  + " -Dtest.jvm.extra=-Dturnwise.page=write",
              PAGE)
          .isEqualTo(table.toString());
  }
}
