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
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.openjdk.jcstress.Main;
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

  private Stress() {}

  public static void main(String[] arguments) throws Exception {
    if (arguments.length > 0 && arguments[0].equals(SAMPLES))
      System.exit(sample(List.of(arguments)) ? 0 : 1);
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

  /** Returns whether nothing forbidden was seen. */
  private static boolean sample(List<String> arguments) throws Exception {
    long wanted = 0;
    double minutes = Double.POSITIVE_INFINITY;
    boolean resume = false;
    for (int i = 0; i < arguments.size(); i++) {
      String option = arguments.get(i);
      String value = i + 1 < arguments.size() ? arguments.get(i + 1) : "";
      if (option.equals(SAMPLES) && value.matches("[1-9][0-9_,]*")) {
        wanted = Long.parseLong(value.replaceAll("[_,]", ""));
        i++;
      } else if (option.equals("--minutes") && value.matches("[1-9][0-9]*")) {
        minutes = Integer.parseInt(value);
        i++;
      } else if (option.equals("--resume")) {
        resume = true;
      } else {
        System.err.println("Usage: ./turnwise stress --samples N [--minutes M] [--resume]");
        System.exit(2);
      }
    }
    List<Class<?>> strong = tests().stream().filter(test -> !isWeak(test)).toList();
    Path jar = Path.of(Stress.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    var run = new SampleRun(Path.of("samples.txt"), SampleRun.codeOf(jar), strong);
    if (resume) run.resume();
    return run.run(wanted, 60 * minutes);
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
