package io.turnwise.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.benchmarks.result.Measurement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

@DisabledOnOs(OS.WINDOWS) // scripts of a POSIX shell stand in for peers
class ChildProcessTest {

  @Test
  void reportedRepetitionsAreCollectedAndOtherLinesIgnored() throws Exception {
    ChildProcess.Outcome outcome =
        run("echo hello; echo '{\"peer\":\"go\",\"workload\":\"ring\",\"n\":2,\"value\":1.5}'");

    assertThat(outcome.failure()).isNull();
    assertThat(outcome.measurements()).containsExactly(new Measurement(2, 1.5));
  }

  @Test
  void aReportedFailureIsTheReason() throws Exception {
    ChildProcess.Outcome outcome =
        run("echo '{\"peer\":\"go\",\"workload\":\"ring\",\"failed\":\"sum is 1\"}'; exit 1");

    assertThat(outcome.failure()).isEqualTo("sum is 1");
  }

  @Test
  void aCrashIsExplainedByTheLineThatNamesAnError() throws Exception {
    ChildProcess.Outcome outcome =
        run("echo starting >&2; echo 'panic: boom' >&2; echo 'goroutine 1' >&2; exit 2");

    assertThat(outcome.failure()).isEqualTo("exit status 2: panic: boom");
  }

  @Test
  void silenceIsAFailureToo() throws Exception {
    assertThat(run("true").failure()).isEqualTo("it reported nothing");
  }

  @Test
  void aProgramThatIsMissingIsAFailureToo() throws Exception {
    ChildProcess child = new ChildProcess(List.of("no-such-program"), Duration.ofSeconds(5));

    assertThat(child.run(1).failure()).contains("no-such-program");
  }

  @Test
  void whatTakesTooLongIsEndedAndKeepsWhatItReported() throws Exception {
    String reportsAndHangs =
        "echo '{\"peer\":\"go\",\"workload\":\"ring\",\"n\":2,\"value\":1.5}'; sleep 600 & wait";
    ChildProcess child =
        new ChildProcess(List.of("sh", "-c", reportsAndHangs), Duration.ofMillis(500));

    ChildProcess.Outcome outcome = child.run(1);

    assertThat(outcome.failure()).startsWith("no end after");
    assertThat(outcome.measurements()).hasSize(1);
    assertThat(outcome.took()).isLessThan(Duration.ofSeconds(60));
  }

  private static ChildProcess.Outcome run(String script) throws InterruptedException {
    return new ChildProcess(List.of("sh", "-c", script), Duration.ofSeconds(30)).run(1);
  }
}
