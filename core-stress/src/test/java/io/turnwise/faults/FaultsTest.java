package io.turnwise.faults;

import io.turnwise.faults.trial.QuietLog;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Trial;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every row at the size that fits a build. Seconds each, on a machine that has them to give; the
 * limits of time are there for what hangs.
 */
@Timeout(900)
class FaultsTest {
  private static final long SEED = Long.getLong("turnwise.seed", System.nanoTime() & 0xFFFFFF);

  static Stream<String> rows() {
    return Faults.rows().values().stream().map(Row::id);
  }

  @ParameterizedTest(name = "{0} holds")
  @MethodSource("rows")
  void rowHolds(String id) throws Exception {
    QuietLog.install();
    Row row = Faults.rows().get(id.toLowerCase(java.util.Locale.ROOT));
    System.out.println(
        id + ", seed " + SEED + ": ./turnwise faults " + id + " --size ci --seed " + SEED);
    row.run(new Trial(false, SEED, 0, System.out::println));
  }
}
