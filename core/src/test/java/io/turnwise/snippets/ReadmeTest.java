package io.turnwise.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.ActorSystem;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * What the README shows is what runs. The program is a compact source file, so it lies in the
 * unnamed package, at the root of the test sources.
 */
class ReadmeTest {
  private static final Path README = Path.of("..", "README.md");
  private static final Path PROGRAM = Path.of("src", "test", "java", "CounterSnippet.java");

  @Test
  void theFirstProgramOfTheReadmeIsTheSnippet() throws Exception {
    String region =
        Pattern.compile("// @start region=\"counter\"\n(.*)// @end", Pattern.DOTALL)
            .matcher(Files.readString(PROGRAM))
            .results()
            .map(found -> found.group(1))
            .findFirst()
            .orElseThrow();
    assertThat(blocks("java").getFirst()).isEqualTo(region);
  }

  @Test
  void theFirstProgramPrintsWhatTheReadmeSays() throws Exception {
    assertThat(outputOfTheProgram()).isEqualTo(blocks("text").getFirst());
  }

  @Test
  void whatElseTheReadmeShowsRuns() throws Exception {
    var limits = Class.forName("ApiSnippets").getDeclaredMethod("limits", ActorSystem.class);
    limits.setAccessible(true);
    try (var system = ActorSystem.open("shop")) {
      var killed = (CompletionStage<?>) limits.invoke(null, system);
      assertThat(killed.toCompletableFuture().get(20, TimeUnit.SECONDS))
          .extracting("path")
          .isEqualTo("/shop/importer");
    }
  }

  private static List<String> blocks(String language) throws Exception {
    return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
        .matcher(Files.readString(README))
        .results()
        .map(found -> found.group(1))
        .toList();
  }

  private static String outputOfTheProgram() throws Exception {
    var main = Class.forName("CounterSnippet").getDeclaredMethod("main");
    main.setAccessible(true);
    var constructor = main.getDeclaringClass().getDeclaredConstructor();
    constructor.setAccessible(true);
    PrintStream before = System.out;
    var printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      main.invoke(constructor.newInstance());
    } finally {
      System.setOut(before);
    }
    return printed.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
  }
}
