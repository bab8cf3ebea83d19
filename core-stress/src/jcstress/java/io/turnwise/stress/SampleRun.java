package io.turnwise.stress;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.zip.CRC32;
import org.openjdk.jcstress.annotations.Expect;

/**
 * Many samples of all tests, round and round, the same time for each. What was seen is kept in a
 * file as it goes on, so that a run that was ended can be taken up: by the same code, or it would
 * not be one run.
 */
final class SampleRun {
  private static final long SLICE_NANOS = 500_000_000L;
  private static final long PROGRESS_NANOS = 10_000_000_000L;
  private static final String CODE = "code ";
  private static final String SECONDS = "seconds ";

  private final Path file;
  private final String code;
  private final Map<Class<?>, Race> races = new LinkedHashMap<>();

  /** Of the runs before this one. */
  private double secondsBefore;

  private long began;

  /**
   * @param code what tells these tests and what they test from others
   */
  SampleRun(Path file, String code, List<Class<?>> tests) throws ReflectiveOperationException {
    this.file = file;
    this.code = code;
    for (Class<?> test : tests) races.put(test, new Race(test));
  }

  /** A number for the jar that runs, or for a folder of classes its name. */
  static String codeOf(Path jar) throws IOException {
    if (!Files.isRegularFile(jar)) return jar.toString();
    var sum = new CRC32();
    sum.update(Files.readAllBytes(jar));
    return Long.toHexString(sum.getValue());
  }

  /** Goes on with what a run before has seen. Says so, or why not. */
  void resume() throws IOException {
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (NoSuchFileException none) {
      System.out.println("There is no run to go on with: this one begins anew.");
      return;
    }
    if (lines.isEmpty() || !lines.getFirst().equals(CODE + code)) {
      System.out.println("The run before was of other code: this one begins anew.");
      return;
    }
    Map<String, Race> byName = new LinkedHashMap<>();
    races.forEach((test, race) -> byName.put(Stress.nameOf(test), race));
    for (String line : lines.subList(1, lines.size())) {
      if (line.startsWith(SECONDS)) {
        secondsBefore = Double.parseDouble(line.substring(SECONDS.length()));
        continue;
      }
      String[] parts = line.split("\t", 3);
      Race race = Objects.requireNonNull(byName.get(parts[0]), line);
      race.seen().merge(parts[2], Long.parseLong(parts[1]), Long::sum);
    }
    System.out.printf(Locale.ROOT, "Goes on after %,d samples.%n", samples());
  }

  private void keep() throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add(CODE + code);
    lines.add(SECONDS + seconds());
    races.forEach(
        (test, race) ->
            race.seen()
                .forEach((id, count) -> lines.add(Stress.nameOf(test) + "\t" + count + "\t" + id)));
    Files.write(file, lines);
  }

  /** Until there are so many, or the time is up. Returns whether nothing forbidden was seen. */
  boolean run(long wanted, double mostSeconds) throws Exception {
    began = System.nanoTime();
    long said = began;
    List<Race> all = List.copyOf(races.values());
    long total = samples();
    // Whole rounds: each test has had its turn.
    for (int i = 0; (total < wanted || i % all.size() != 0) && secondsNow() < mostSeconds; i++) {
      Race race = all.get(i % all.size());
      long before = race.samples();
      long until = System.nanoTime() + SLICE_NANOS;
      do race.round();
      while (System.nanoTime() - until < 0);
      total += race.samples() - before;
      if (System.nanoTime() - said <= PROGRESS_NANOS) continue;
      said = System.nanoTime();
      keep();
      System.out.printf(
          Locale.ROOT,
          "%,d of %,d samples, %d forbidden; %.0f s so far%n",
          total,
          wanted,
          forbidden(),
          seconds());
    }
    keep();
    tell(total, wanted);
    return forbidden() == 0;
  }

  private void tell(long total, long wanted) {
    System.out.println();
    races.forEach(
        (test, race) ->
            System.out.printf(
                Locale.ROOT,
                "%-52s %,15d  %s%n",
                Stress.nameOf(test),
                race.samples(),
                race.seen()));
    System.out.printf(
        Locale.ROOT,
        "%n%,d samples in %d tests, %d forbidden, %.0f s%n",
        total,
        races.size(),
        forbidden(),
        seconds());
    if (total < wanted)
      System.out.printf(
          "The time is up. To go on: ./turnwise stress --samples %d --resume%n", wanted);
  }

  long samples() {
    return races.values().stream().mapToLong(Race::samples).sum();
  }

  private double secondsNow() {
    return (System.nanoTime() - began) / 1e9;
  }

  /** With those of the runs before. */
  private double seconds() {
    return secondsBefore + secondsNow();
  }

  private long forbidden() {
    return races.values().stream()
        .mapToLong(
            race ->
                race.seenAs(Expect.FORBIDDEN).stream()
                    .mapToLong(id -> race.seen().getOrDefault(id, 0L))
                    .sum())
        .sum();
  }
}
