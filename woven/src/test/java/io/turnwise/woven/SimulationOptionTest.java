package io.turnwise.woven;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The agent as it is shipped, with and without the option for simulations. */
class SimulationOptionTest {
  @TempDir Path folder;

  @Test
  void withItAThreadMaySleepForADayInNoTime() throws Exception {
    var child = new ChildJvm(folder, SleepingProgram.class).withWeaving("simulation=on");
    assertThat(child.says())
        .contains("real: true", "simulated hours: 24", "actor: true", "waited: false");
    assertThat(child.report())
        .contains("calls redirected, clock: ", "calls redirected, sleep: ")
        .doesNotContain("FAILED");
  }

  /** The JDK is not changed, and neither is what waits in it. */
  @Test
  void withoutItNothingIsRedirected() throws Exception {
    var child = new ChildJvm(folder).withWeaving("simulation=off");
    child.serves();
    assertThat(child.report()).doesNotContain("redirected");
  }

  /** What is woven for simulations is preempted and ended like everything else. */
  @Test
  void withItLoopsAreStillStopped() throws Exception {
    var child = new ChildJvm(folder).withWeaving("simulation=on");
    child.serves();
    assertThat(child.report()).contains("redirected");
  }

  @Test
  void aMistypedValueEndsTheJvmWithTheRightOnes() throws Exception {
    Process child = new ChildJvm(folder).withWeaving("simulation=yes").start();
    assertThat(child.inputReader().readAllAsString()).contains("write simulation=on or =off");
    assertThat(child.waitFor()).isNotZero();
  }
}
