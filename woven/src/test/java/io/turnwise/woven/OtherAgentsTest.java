package io.turnwise.woven;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.jacoco.core.data.ExecutionData;
import org.jacoco.core.tools.ExecFileLoader;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Our agent beside those that programs bring: each changes what the other sees. */
class OtherAgentsTest {
  @TempDir Path folder;

  @ParameterizedTest(name = "our agent first: {0}")
  @ValueSource(booleans = {true, false})
  void coverageIsMeasured(boolean first) throws Exception {
    Path coverage = folder.resolve("jacoco.exec");
    String jacoco = "-javaagent:" + ChildJvm.jar("org.jacoco.agent") + "=destfile=" + coverage;
    inOrder(jacoco, first).serves();
    var loaded = new ExecFileLoader();
    loaded.load(coverage.toFile());
    assertThat(loaded.getExecutionDataStore().getContents())
        .filteredOn(it -> it.getName().equals(ServingProgram.class.getName().replace('.', '/')))
        .singleElement()
        .satisfies(it -> assertThat(hits(it)).isPositive());
  }

  private static int hits(ExecutionData data) {
    int hits = 0;
    for (boolean probe : data.getProbes()) if (probe) hits++;
    return hits;
  }

  @ParameterizedTest(name = "our agent first: {0}")
  @ValueSource(booleans = {true, false})
  void tracingStarts(boolean first) throws Exception {
    String said =
        inOrder("-javaagent:" + ChildJvm.jar("opentelemetry-javaagent"), first)
            .with("-Dotel.traces.exporter=none")
            .with("-Dotel.metrics.exporter=none")
            .with("-Dotel.logs.exporter=none")
            .serves();
    assertThat(said).contains("opentelemetry-javaagent - version");
  }

  private ChildJvm inOrder(String other, boolean oursFirst) {
    var child = new ChildJvm(folder);
    return oursFirst ? child.withWeaving().with(other) : child.with(other).withWeaving();
  }
}
