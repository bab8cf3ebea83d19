package io.turnwise.agent.weaver;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Class files that other compilers wrote: each language's own library, in part. Every woven class
 * is verified by the JVM.
 */
class CorpusTest {
  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "Kotlin, kotlin.collections.CollectionsKt, 3",
    "Scala, scala.collection.immutable.List, 5",
    "Groovy, groovy.lang.Closure, 5",
    "Clojure, clojure.lang.RT, 5",
    "Eclipse's compiler, org.eclipse.jdt.internal.compiler.Compiler, 3",
    "JUnit, org.junit.jupiter.api.Test, 1",
    "ASM, org.objectweb.asm.ClassReader, 1",
  })
  void everyWovenClassIsVerified(String language, String witness, int every) throws Exception {
    JarCheck check = JarCheck.of(jarOf(witness), every, CorpusTest.class.getClassLoader());
    assertThat(check.refused()).isEmpty();
    assertThat(check.skipped()).extracting(Skipped::reason).doesNotContain(SkipReason.FAILED);
    assertThat(check.verified()).as(check.text()).isPositive();
  }

  /** {@code ./turnwise weave-check}: every class of every jar in a folder. */
  @Test
  @EnabledIfSystemProperty(named = "turnwise.corpus", matches = ".+")
  @Timeout(3600)
  void everyClassOfTheWholeCorpusIsVerified() throws Exception {
    List<Path> jars;
    try (var files = Files.list(Path.of(System.getProperty("turnwise.corpus")))) {
      jars = files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
    }
    List<URL> urls = new ArrayList<>();
    for (Path jar : jars) urls.add(jar.toUri().toURL());
    List<String> refused = new ArrayList<>();
    int verified = 0;
    // The platform's loader and not ours: our own libraries would stand in front of the corpus.
    try (var all =
        new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      for (Path jar : jars) {
        JarCheck check = JarCheck.of(jar, 1, all);
        System.out.println(check.text());
        refused.addAll(check.refused());
        check.skipped().stream()
            .filter(it -> it.reason() == SkipReason.FAILED)
            .forEach(it -> refused.add(it.toString()));
        verified += check.verified();
      }
    }
    System.out.println(
        jars.size()
            + " jars, "
            + verified
            + " woven classes verified, "
            + refused.size()
            + " errors");
    assertThat(refused).isEmpty();
  }

  /** In small, what the agent does to the JDK. */
  @Test
  void theJdksOwnClassesCanBeWoven() {
    for (Class<?> type :
        new Class<?>[] {
          java.util.regex.Pattern.class,
          java.util.HashMap.class,
          java.math.BigInteger.class,
          java.util.concurrent.ConcurrentHashMap.class
        }) {
      WovenClass result =
          LoopWeaver.atRunTime(PollCounter.TARGET).weave(type.getName(), WovenLoader.bytesOf(type));
      assertThat(result.bytes()).isNotNull();
      assertThat(result.skipped()).isEmpty();
    }
  }

  private static Path jarOf(String witness) throws ClassNotFoundException, URISyntaxException {
    Class<?> type = Class.forName(witness, false, CorpusTest.class.getClassLoader());
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }
}
