package io.turnwise.faults.simulation;

import io.turnwise.faults.trial.Trial;
import java.util.Locale;

/** How far a row is, every few seconds. */
final class Progress {
  private static final long EVERY_NANOS = 5_000_000_000L;
  private final Trial trial;
  private final long wanted;
  private final String what;
  private final long began = System.nanoTime();
  private long said = began;
  private long done;

  Progress(Trial trial, long wanted, String what) {
    this.trial = trial;
    this.wanted = wanted;
    this.what = what;
  }

  void done(long soMany) {
    done = soMany;
    long now = System.nanoTime();
    if (now - said < EVERY_NANOS) return;
    said = now;
    double left = (now - began) / 1e9 / done * (wanted - done);
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

  String rate() {
    double seconds = (System.nanoTime() - began) / 1e9;
    return String.format(Locale.ROOT, "%,.1f a second", done / seconds);
  }
}
