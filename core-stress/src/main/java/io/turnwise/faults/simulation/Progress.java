package io.turnwise.faults.simulation;

import io.turnwise.faults.trial.Built;
import io.turnwise.faults.trial.Trial;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * Seed after seed, and how far it is, every few seconds. That is kept in a file as well, so that a
 * run that was ended can be taken up: by the same code, or it would not be one run.
 */
final class Progress {
  private static final long EVERY_NANOS = 5_000_000_000L;

  private final Trial trial;
  private final String row;
  private final long wanted;
  private final String what;
  private final Path file;
  private final List<String> sameRun;
  private final long began = System.nanoTime();
  private long said = began;
  private long firstSeed;
  private long before;
  private long done;

  /**
   * @param row whose it is
   * @param wanted how many seeds
   * @param what these are called
   */
  Progress(Trial trial, String row, long wanted, String what) throws IOException {
    this.trial = trial;
    this.row = row;
    this.wanted = wanted;
    this.what = what;
    this.file = Built.kept(row + ".txt");
    this.sameRun = List.of("code " + Built.code(), "wanted " + wanted);
    this.firstSeed = trial.seed();
    if (trial.resumes()) resume();
  }

  /** Goes on with the run before. Says so, or why not. */
  private void resume() throws IOException {
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (NoSuchFileException none) {
      trial.say("There is no run to go on with: this one begins anew.");
      return;
    }
    if (lines.size() != 4 || !lines.subList(0, 2).equals(sameRun)) {
      trial.say("The run before was of other code or of another size: this one begins anew.");
      return;
    }
    firstSeed = Long.parseLong(lines.get(2));
    before = done = Long.parseLong(lines.get(3));
    trial.say(
        String.format(
            Locale.ROOT, "Goes on after %,d %s, from seed %d on.", done, what, nextSeed()));
  }

  private void keep() throws IOException {
    Files.write(file, List.of(sameRun.get(0), sameRun.get(1), "" + firstSeed, "" + done));
  }

  /** Whether there is more to do, and time for it. */
  boolean goesOn() {
    boolean timeIsUp = trial.minutes() > 0 && seconds() >= 60L * trial.minutes();
    return done < wanted && !timeIsUp;
  }

  long nextSeed() {
    return firstSeed + done;
  }

  /** The next seed has held. */
  void held() throws IOException {
    done++;
    long now = System.nanoTime();
    if (now - said < EVERY_NANOS && done < wanted) return;
    said = now;
    keep();
    double left = seconds() / (done - before) * (wanted - done);
    trial.say(
        String.format(
            Locale.ROOT,
            "%,d of %,d %s, none failed; %s, about %.0f s to go",
            done,
            wanted,
            what,
            rate(),
            left));
  }

  /** What became of it, when it does not go on. */
  String result() throws IOException {
    keep();
    if (done < wanted)
      trial.say(
          String.format(
              "The time is up. To go on: ./turnwise faults %s --size %s --resume",
              row, trial.full() ? "full" : "ci"));
    return String.format(
        Locale.ROOT,
        done < wanted ? "%,d of %,d %s, %s" : "%,d %3$s, %4$s",
        done,
        wanted,
        what,
        rate());
  }

  private String rate() {
    return String.format(Locale.ROOT, "%,.1f a second", (done - before) / seconds());
  }

  private double seconds() {
    return (System.nanoTime() - began) / 1e9;
  }
}
