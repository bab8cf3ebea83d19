package io.turnwise.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.openjdk.jcstress.annotations.Expect;

/** Every memory-model test for a moment. {@code ./turnwise stress} runs them for long. */
@Timeout(600)
class StressTest {
  private static final Pattern CLASS =
      Pattern.compile("io\\.turnwise\\.[a-z.]*[A-Za-z]+\\$[A-Za-z]+");
  private static final long STRONG_NANOS = 200_000_000L;
  private static final long WEAK_NANOS = 300_000_000_000L;

  /** Those that the harness will run, by the list that its processor wrote. */
  private static List<Class<?>> all() throws IOException, ClassNotFoundException {
    List<Class<?>> all = new ArrayList<>();
    var list =
        Objects.requireNonNull(StressTest.class.getResourceAsStream("/META-INF/TestList"), "list");
    try (var lines = new BufferedReader(new InputStreamReader(list, StandardCharsets.UTF_8))) {
      String line;
      while ((line = lines.readLine()) != null)
        if (line.contains("io.turnwise")) all.add(testIn(line));
    }
    return all;
  }

  /** The list names a test, its class, and the class that was generated for it. */
  private static Class<?> testIn(String line) throws ClassNotFoundException {
    Matcher name = CLASS.matcher(line);
    if (!name.find()) throw new AssertionError("no test in " + line);
    return Class.forName(name.group());
  }

  private static boolean isWeak(Class<?> test) {
    return test.getSimpleName().startsWith("Weak");
  }

  static Stream<Class<?>> strong() throws Exception {
    return all().stream().filter(t -> !isWeak(t));
  }

  static Stream<Class<?>> weak() throws Exception {
    return all().stream().filter(StressTest::isWeak);
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
    var race = new Race(test);
    long deadline = System.nanoTime() + WEAK_NANOS;
    do race.round();
    while (race.seenAs(Expect.ACCEPTABLE_INTERESTING).isEmpty() && System.nanoTime() < deadline);
    assertThat(race.seenAs(Expect.ACCEPTABLE_INTERESTING))
        .as("%s saw only %s", test, race.seen())
        .isNotEmpty();
  }

  @Test
  void eachSubjectHasAWeakenedCopy() throws Exception {
    for (Class<?> test : all())
      assertThat(Stream.of(test.getDeclaringClass().getClasses()).anyMatch(StressTest::isWeak))
          .as("%s has a weakened copy", test.getDeclaringClass())
          .isTrue();
  }
}
