package io.turnwise.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
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

  private int execute(String... arguments) {
    CommandLine bench = Bench.commandLine();
    bench.setOut(new PrintWriter(out, true));
    bench.setErr(new PrintWriter(err, true));
    return bench.execute(arguments);
  }
}
