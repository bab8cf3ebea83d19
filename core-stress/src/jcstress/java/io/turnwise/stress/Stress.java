package io.turnwise.stress;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.openjdk.jcstress.Main;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.infra.collectors.DiskReadCollector;

/**
 * {@code ./turnwise stress}: the memory-model tests, by jcstress, and how many samples that took.
 * With {@code --samples N} by the small runner of every build instead, in one JVM: far more samples
 * a minute, in far fewer ways.
 */
public final class Stress {
  private static final Pattern CLASS =
      Pattern.compile("io\\.turnwise\\.[a-z.]*[A-Za-z]+\\$[A-Za-z]+");
  private static final String SAMPLES = "--samples";
  private static final long SLICE_NANOS = 500_000_000L;
  private static final long PROGRESS_NANOS = 10_000_000_000L;

  private Stress() {}

  public static void main(String[] arguments) throws Exception {
    if (arguments.length > 0 && arguments[0].equals(SAMPLES)) {
      if (arguments.length != 2 || !arguments[1].matches("[1-9][0-9_,]*")) {
        System.err.println("Usage: ./turnwise stress --samples N");
        System.exit(2);
      }
      System.exit(sample(Long.parseLong(arguments[1].replaceAll("[_,]", ""))) ? 0 : 1);
    }
    Instant began = Instant.now();
    Main.main(arguments);
    count(began);
  }

  /** Those that jcstress will run, by the list that its processor wrote. */
  static List<Class<?>> tests() throws IOException, ClassNotFoundException {
    List<Class<?>> all = new ArrayList<>();
    var list =
        Objects.requireNonNull(Stress.class.getResourceAsStream("/META-INF/TestList"), "list");
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

  static boolean isWeak(Class<?> test) {
    return test.getSimpleName().startsWith("Weak");
  }

  static String nameOf(Class<?> test) {
    return test.getDeclaringClass().getSimpleName() + "." + test.getSimpleName();
  }

  // ---- many samples -----------------------------------------------------------------------------

  /** Round and round, the same time for each test. Returns whether nothing forbidden was seen. */
  private static boolean sample(long wanted) throws Exception {
    Map<Class<?>, Race> races = new LinkedHashMap<>();
    for (Class<?> test : tests()) if (!isWeak(test)) races.put(test, new Race(test));
    long began = System.nanoTime();
    long said = began;
    long total = 0;
    while (total < wanted) {
      for (Race race : races.values()) {
        long until = System.nanoTime() + SLICE_NANOS;
        do race.round();
        while (System.nanoTime() - until < 0);
        total = races.values().stream().mapToLong(Race::samples).sum();
        if (System.nanoTime() - said > PROGRESS_NANOS) {
          said = System.nanoTime();
          System.out.printf(
              Locale.ROOT,
              "%,d of %,d samples, %d forbidden; %.0f s so far%n",
              total,
              wanted,
              forbidden(races),
              (said - began) / 1e9);
        }
      }
    }
    System.out.println();
    races.forEach(
        (test, race) ->
            System.out.printf(
                Locale.ROOT, "%-52s %,15d  %s%n", nameOf(test), race.samples(), race.seen()));
    System.out.printf(
        Locale.ROOT,
        "%n%,d samples in %d tests, %d forbidden, %.0f s%n",
        total,
        races.size(),
        forbidden(races),
        (System.nanoTime() - began) / 1e9);
    return forbidden(races) == 0;
  }

  private static long forbidden(Map<Class<?>, Race> races) {
    return races.values().stream()
        .mapToLong(
            race ->
                race.seenAs(Expect.FORBIDDEN).stream()
                    .mapToLong(id -> race.seen().getOrDefault(id, 0L))
                    .sum())
        .sum();
  }

  // ---- what jcstress has done ------------------------------------------------------------------

  /** jcstress says what it saw, and not how much: its file of results does. */
  private static void count(Instant since) throws IOException, ClassNotFoundException {
    long[] samples = {0};
    int[] runs = {0};
    for (Path file : resultsSince(since)) {
      var reader =
          new DiskReadCollector(
              file.toString(),
              result -> {
                samples[0] += result.getTotalCount();
                runs[0]++;
              });
      reader.dump();
      reader.close();
    }
    System.out.printf(Locale.ROOT, "%,d samples in %,d runs of tests%n", samples[0], runs[0]);
  }

  private static List<Path> resultsSince(Instant since) throws IOException {
    try (Stream<Path> files = Files.list(Path.of(""))) {
      return files
          .filter(file -> file.getFileName().toString().matches("jcstress-results-.*\\.bin\\.gz"))
          .filter(file -> !modified(file).isBefore(since))
          .toList();
    }
  }

  private static Instant modified(Path file) {
    try {
      return Files.getLastModifiedTime(file).toInstant();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
