package io.turnwise.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BuildTimeWeaverTest {
  @TempDir Path folder;

  @Test
  void weavesInPlaceAndOnlyOnce() throws Exception {
    Path file = folder.resolve("sample/LoopProgram.class");
    Files.createDirectories(file.getParent());
    String resource = "/io/turnwise/agent/sample/LoopProgram.class";
    try (InputStream in = BuildTimeWeaverTest.class.getResourceAsStream(resource)) {
      Files.copy(in, file);
    }
    byte[] before = Files.readAllBytes(file);
    Path report = folder.resolve("reports/weaving.txt");

    assertThat(BuildTimeWeaver.run("report=" + report, folder.toString())).isZero();
    byte[] woven = Files.readAllBytes(file);
    assertThat(woven).isNotEqualTo(before);
    assertThat(report).content().contains("  woven: 1");

    assertThat(BuildTimeWeaver.run("report=" + report, folder.toString())).isZero();
    assertThat(Files.readAllBytes(file)).isEqualTo(woven);
    assertThat(report).content().contains("  woven: 0", "ALREADY_WOVEN");
    try (var left = Files.list(file.getParent())) {
      assertThat(left).hasSize(1);
    }
  }

  @Test
  void aFolderIsNeeded() {
    assertThatThrownBy(() -> BuildTimeWeaver.run("exclude=a.*")).hasMessageContaining("folders");
    assertThatThrownBy(() -> BuildTimeWeaver.run(folder.resolve("none").toString()))
        .hasMessageContaining("is not a folder");
  }

  @Test
  void classesThatAreKeptAreNotMadeForSimulations() {
    assertThatThrownBy(() -> BuildTimeWeaver.run("simulation=on", folder.toString()))
        .hasMessageContaining("for the agent alone");
  }
}
