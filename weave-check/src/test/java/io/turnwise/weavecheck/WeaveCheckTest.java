package io.turnwise.weavecheck;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.agent.weaver.TightWeaver;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A small part of {@code ./turnwise weave-check}: one jar of Java, one of Scala, one of Kotlin. */
class WeaveCheckTest {
  @TempDir Path folder;

  @Test
  void findsBrokenClasses() {
    assertThat(Linking.findsBrokenClasses()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      classes = {Assertions.class, scala.collection.immutable.List.class, kotlin.Unit.class})
  void everyClassOfTheJarVerifiesWoven(Class<?> one) throws Exception {
    Path jar = jarOf(one);
    try (ClassFiles files = ClassFiles.of(List.of(jar))) {
      Verification.Tally tally = new Verification(files).check(jar);
      assertThat(tally.errors()).isEmpty();
      assertThat(tally.linked()).isGreaterThan(500);
      assertThat(tally.classes()).anyMatch(it -> it.wovenMethods() > 0);
    }
  }

  @Test
  void programsSayTheSameWovenAsUnwoven() throws Exception {
    List<Path> jars =
        List.of(jarOf(scala.collection.immutable.List.class), jarOf(kotlin.Unit.class));
    List<Program> programs =
        List.of(new Program("KotlinSequences"), new Program("ScalaCollections"));
    Path compiled = folder.resolve("programs.jar");
    Program.compile(programs, jars, compiled);
    var said = new ByteArrayOutputStream();
    try (ClassFiles files = ClassFiles.of(List.of(jars.get(0), jars.get(1), compiled));
        var out = new PrintStream(said, true, StandardCharsets.UTF_8)) {
      boolean same = new Comparison(files, TightWeaver.of(PollCounter.TARGET), out).run(programs);
      assertThat(same).as(said.toString(StandardCharsets.UTF_8)).isTrue();
    }
  }

  @Test
  void everyLineOfTheCorpusIsPinned() throws Exception {
    assertThat(Artifact.corpus()).hasSizeGreaterThanOrEqualTo(40).doesNotHaveDuplicates();
  }

  private static Path jarOf(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }
}
