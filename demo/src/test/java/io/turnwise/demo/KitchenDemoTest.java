package io.turnwise.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class KitchenDemoTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private int run(boolean inPlace, String... arguments) throws Exception {
    return ShopDemo.run(
        List.of(arguments),
        new PrintStream(out, true, StandardCharsets.UTF_8),
        System.err,
        inPlace);
  }

  private String printed() {
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void aKitchenEndsByItselfAndAccountsForEveryCrashAndEveryMessage() throws Exception {
    assertThat(run(false, "--crashes", "--seconds", "2", "--customers", "20")).isZero();
    assertThat(printed())
        .contains("down", "restarts/s", "tree      kitchen", "cooks  RECEIVING")
        .containsPattern("crashes   [1-9][\\d,]* = plates dropped [1-9][\\d,]* \\+ fires [1-9]")
        .containsPattern("restarts  [1-9][\\d,]*")
        .containsPattern("beside crashes .* \\([1-9][\\d,]*\\)")
        .contains("0 actors and 0 messages left")
        .containsPattern("messages  sent [\\d,]+ = handled")
        .doesNotContain("\033[");
  }

  @Test
  void onATerminalEachCookHasItsMark() throws Exception {
    assertThat(run(true, "--crashes", "--seconds=1", "--customers=20", "--workers=1")).isZero();
    assertThat(printed())
        .containsPattern("\033\\[\\d+A")
        .containsPattern("grill +[█·]{60}\n")
        .containsPattern("[a-z]+ +[█·]*·[█·]*\n");
    assertThat(printed().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThan(130));
  }
}
