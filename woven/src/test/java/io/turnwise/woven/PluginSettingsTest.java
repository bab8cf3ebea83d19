package io.turnwise.woven;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What the settings of the Maven plugin do. This module's own build ran it with each of them, on
 * copies of two classes: see the executions in its pom.
 */
class PluginSettingsTest {
  private static final Path COPIES = Path.of("target", "weaving");

  @ParameterizedTest(name = "{0}: Hog woven = {2}, its neighbour = {3}")
  @CsvSource({
    // Below org.slf4j nothing is woven unless it is included.
    "included, org/slf4j, true, false",
    "excluded, io/turnwise/woven, false, true",
    "skipped, io/turnwise/woven, false, false"
  })
  void aSettingDecidesWhatIsWoven(String setting, String folder, boolean hog, boolean neighbour)
      throws Exception {
    Path classes = COPIES.resolve(setting).resolve(folder);
    assertThat(isWoven(classes.resolve("Hog.class"))).isEqualTo(hog);
    assertThat(isWoven(classes.resolve("ServingProgram.class"))).isEqualTo(neighbour);
  }

  @Test
  void aReportSaysWhatWasWovenUnlessAllWasSkipped() {
    assertThat(COPIES.resolve("included.txt")).content().contains("classes: 1\n", "  woven: 1\n");
    assertThat(COPIES.resolve("excluded.txt")).content().contains("classes: 1\n", "  woven: 1\n");
    assertThat(COPIES.resolve("skipped.txt")).doesNotExist();
  }

  /** The build that runs this one cannot be given it: nothing would be woven. */
  @Test
  void thePropertyThatSkipsIsTheOneThatTheDocsName() throws IOException {
    Path plugin =
        Path.of("..", "weaving-maven-plugin/src/main/resources/META-INF/maven/plugin.xml");
    assertThat(plugin).content().containsPattern("<skip [^>]*>[^<]*\\{turnwise\\.weave\\.skip}<");
    assertThat(Path.of("..", "docs/weaving.md")).content().contains("`-Dturnwise.weave.skip`");
  }

  /** By its mark; what is not marked must be as the compiler left it. */
  private static boolean isWoven(Path copy) throws IOException {
    byte[] bytes = Files.readAllBytes(copy);
    boolean marked =
        new String(bytes, StandardCharsets.ISO_8859_1).contains("Lio/turnwise/weaving/Woven;");
    Path compiled = Path.of("target/classes/io/turnwise/woven").resolve(copy.getFileName());
    assertThat(Files.mismatch(copy, compiled) < 0).isEqualTo(!marked);
    return marked;
  }
}
