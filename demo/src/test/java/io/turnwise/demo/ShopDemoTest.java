package io.turnwise.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShopDemoTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(boolean inPlace, String... arguments) throws Exception {
    return ShopDemo.run(
        List.of(arguments),
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8),
        inPlace);
  }

  private String printed() {
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void aShopOpenForASecondEndsByItselfAndAccountsForEveryMessageAndEveryCent() throws Exception {
    assertThat(run(false, "--seconds", "1", "--customers", "50")).isZero();
    assertThat(printed())
        .contains("msg/s")
        .containsPattern("messages  sent [\\d,]+ = handled")
        .containsPattern("money     taken by the bank [\\d,]+ cents = in the order book")
        .doesNotContain("\033[");
  }

  @Test
  void onATerminalThePictureIsRedrawnInPlace() throws Exception {
    assertThat(run(true, "--seconds=2", "--customers=50", "--workers=2")).isZero();
    assertThat(printed()).contains("worker 1 ready").containsPattern("\033\\[\\d+A").contains("█");
    assertThat(printed().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThan(130));
  }

  @Test
  void endlessLoopsAreStartedAndKilledAndTheBooksStillBalance() throws Exception {
    assertThat(run(false, "--seconds", "2", "--customers", "50", "--workers", "1")).isZero();
    assertThat(printed())
        .containsPattern("loops     2 endless loops started, killed within [^:]+: 2 [a-z]+")
        .doesNotContain("could not be killed")
        .containsPattern("beside them .* \\([1-9][\\d,]*\\)")
        .containsPattern("after the kill .* \\([1-9][\\d,]*\\)")
        .containsPattern("messages  sent [\\d,]+ = handled");
  }

  @Test
  void withoutPreemptionItShowsWhatHappensAndStillEndsByItself(@TempDir Path folder)
      throws Exception {
    Path log = folder.resolve("out");
    Process shop = start(log, "--no-preemption", "--seconds=1", "--customers=50", "--workers=1");
    try {
      assertThat(shop.waitFor(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      shop.destroyForcibly();
    }
    assertThat(shop.exitValue()).isZero();
    assertThat(Files.readString(log))
        .contains("WITHOUT PREEMPTION", "2 endless loops started")
        .doesNotContain("cancelled");
  }

  @Test
  void helpSaysWhatCanBeAskedFor() throws Exception {
    assertThat(run(false, "--help")).isZero();
    assertThat(printed()).contains("--seconds N", "--serve", "--no-preemption", "--crashes");
  }

  @ParameterizedTest
  @CsvSource({
    "--seconds, --seconds needs a number",
    "--seconds=0, use a whole number from 1 to 86400",
    "--seconds=soon, --seconds is \"soon\"",
    "--serve=yes, --serve takes no value",
    "--no-preemption=on, --no-preemption takes no value",
    "--crashes=2, --crashes takes no value",
    "--crashes --serve, --crashes goes neither with --serve",
    "--fast, there is no option \"--fast\"",
  })
  void argumentsThatMakeNoSenseAreRefused(String argument, String because) throws Exception {
    assertThat(run(false, argument.split(" "))).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains(because).contains("--help");
    assertThat(printed()).isEmpty();
  }

  @Test
  void aServingShopClosesInOrderWhenItIsToldToEnd(@TempDir Path folder) throws Exception {
    Path log = folder.resolve("out");
    Process shop = start(log, "--serve", "--customers", "50");
    try {
      while (shop.isAlive() && !Files.readString(log).contains("msg/s")) Thread.sleep(50);
      shop.destroy(); // SIGTERM
      assertThat(shop.waitFor(30, TimeUnit.SECONDS)).isTrue();
    } finally {
      shop.destroyForcibly();
    }
    assertThat(Files.readString(log))
        .contains("0 actors and")
        .containsPattern("messages  sent [\\d,]+ = handled");
  }

  private static Process start(Path log, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-opens",
                "java.base/java.lang=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                ShopDemo.class.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(log.toFile())
        .start();
  }
}
