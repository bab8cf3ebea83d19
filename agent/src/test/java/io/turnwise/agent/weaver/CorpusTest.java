package io.turnwise.agent.weaver;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
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

  /** Each class that has one, as the boot loader would see it. */
  @Test
  void theClockReadsOfTheJdkCanBeRedirected() throws Exception {
    CallRedirector redirector = CallRedirector.ofJdkClasses(RedirectTarget.NAME);
    int changed = 0;
    FileSystem jdk = FileSystems.getFileSystem(URI.create("jrt:/"));
    Path concurrent = jdk.getPath("modules", "java.base", "java", "util", "concurrent");
    try (Stream<Path> files = Files.walk(concurrent)) {
      for (Path file : files.filter(it -> it.toString().endsWith(".class")).toList()) {
        RedirectedClass result = redirector.redirect("a class", Files.readAllBytes(file));
        assertThat(result.skipped()).as(file.toString()).isEmpty();
        if (result.bytes() != null) changed++;
      }
    }
    assertThat(changed).isGreaterThan(15);
  }

  /** Looking an element up does not depend on it in this JDK, and would be left alone. */
  @Test
  void theOrderOfImmutableSetsCanBeFixed() throws Exception {
    int changed = 0;
    Path collections = Path.of(URI.create("jrt:/java.base/java/util"));
    try (Stream<Path> files = Files.list(collections)) {
      for (Path file : files.filter(it -> it.toString().contains("ImmutableColl")).toList()) {
        RedirectedClass result =
            CallRedirector.ofJdkOrder().redirect("a class", Files.readAllBytes(file));
        assertThat(result.skipped()).isEmpty();
        changed += result.calls().getOrDefault(RedirectKind.ORDER, 0);
      }
    }
    assertThat(changed).isGreaterThan(6);
  }

  private static Path jarOf(String witness) throws ClassNotFoundException, URISyntaxException {
    Class<?> type = Class.forName(witness, false, CorpusTest.class.getClassLoader());
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }
}
