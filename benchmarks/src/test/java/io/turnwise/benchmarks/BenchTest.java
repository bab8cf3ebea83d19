package io.turnwise.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.turnwise.agent.RuntimeAgent;
import io.turnwise.benchmarks.result.Json;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class BenchTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void listNamesWorkloadsGroupsAndPeers() {
    assertThat(execute("--list")).isZero();
    assertThat(out.toString()).contains("pingpong", "messaging", "pekko-cores", "everything above");
  }

  @Test
  void withoutAWorkloadItSaysWhatIsMissing() {
    assertThat(execute()).isEqualTo(2);
    assertThat(err.toString()).contains("--list");
  }

  @Test
  void helpIsAWordToo() {
    assertThat(execute("help")).isZero();
    assertThat(out.toString()).startsWith("Usage: ./turnwise bench ").contains("--peers");

    out.getBuffer().setLength(0);
    assertThat(execute("help", "price")).isZero();
    assertThat(out.toString()).startsWith("Usage: ./turnwise bench price ");

    out.getBuffer().setLength(0);
    assertThat(execute("jmh", "--help")).isZero();
    assertThat(out.toString()).startsWith("Usage: ./turnwise bench jmh ");
  }

  @Test
  void anOptionThatJmhDoesNotKnowIsRefusedWithoutAStack() {
    assertThat(execute("jmh", "--nonsense")).isEqualTo(2);
    assertThat(err.toString()).contains("JMH: nonsense is not").doesNotContain("\tat ");
  }

  @Test
  void anUnknownWorkloadOrPeerIsAnsweredWithTheKnownOnes() {
    assertThat(execute("pingpog")).isEqualTo(2);
    assertThat(err.toString()).contains("\"pingpog\"", "pingpong");

    assertThat(execute("pingpong", "--peers", "pekko,akka")).isEqualTo(2);
    assertThat(err.toString()).contains("\"akka\"", "pekko-cores");
  }

  @Test
  void sizesThatMakeNoSenseAreRefused() {
    assertThat(execute("pingpong", "--reps", "0")).isEqualTo(2);
    assertThat(execute("pingpong", "--scale", "0")).isEqualTo(2);
  }

  @Test
  void aRunIsPrintedAndKeptWithItsOrigin(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("results.jsonl");

    int status =
        execute(
            ("pingpong --peers fjp --scale 10000 --reps 1 --warmups 0 --json --out " + file)
                .split(" "));

    assertThat(status).isZero();
    List<String> kept = Files.readAllLines(file);
    assertThat(kept).hasSize(2);
    assertThat(Json.parse(kept.getFirst()))
        .containsKeys("run", "date", "commit", "cores", "processor", "memory_gb", "system", "jdk");
    assertThat(out.toString().strip()).isEqualTo(kept.getLast());
    assertThat(Json.parse(kept.getLast()).keySet())
        .containsExactly(
            "peer",
            "workload",
            "n",
            "value",
            "unit",
            "best",
            "reps",
            "p50",
            "p99",
            "p999",
            "max",
            "cores",
            "other_cpu");
  }

  @Test
  void pricesAreKeptWithTheirOrigin(@TempDir Path folder) throws Exception {
    Path agent =
        Path.of(RuntimeAgent.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    assumeThat(agent).as("a jar, as JVMs take agents").isRegularFile();
    Path file = folder.resolve("prices.jsonl");

    int status = execute(("price ^IntSum$ --quick --out " + file).split(" "));

    assertThat(status).as(err.toString()).isLessThan(2); // how dear it is here and now is not asked
    List<String> kept = Files.readAllLines(file);
    assertThat(kept).hasSize(2);
    assertThat(Json.parse(kept.getFirst()))
        .containsEntry("run", "bench price ^IntSum$ --quick --out " + file)
        .containsKeys("date", "commit", "cores", "processor", "memory_gb", "system", "jdk");
    assertThat(Json.parse(kept.getLast()))
        .containsEntry("kernel", "IntSum")
        .containsKeys("unwoven_ns", "woven_ns", "ratio", "polls");
  }

  @Test
  void tablesBeginWithTheMachine() {
    assertThat(execute("ring --peers fjp --scale 10000 --reps 1 --warmups 0".split(" "))).isZero();
    assertThat(out.toString()).contains(" cores (", "JDK ", "commit ").contains("ring (hops/s");
    assertThat(err.toString()).contains("sizes are divided by 10000");
  }

  private int execute(String... arguments) {
    CommandLine bench = Bench.commandLine();
    bench.setOut(new PrintWriter(out, true));
    bench.setErr(new PrintWriter(err, true));
    return bench.execute(arguments);
  }
}
