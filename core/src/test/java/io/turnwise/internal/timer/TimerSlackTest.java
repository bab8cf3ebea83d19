package io.turnwise.internal.timer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Files;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class TimerSlackTest {
  private static String slack() throws Exception {
    return Files.readString(TimerSlack.fileOfThisThread()).strip();
  }

  @Test
  void itIsRefusedForThatThreadAlone() throws Exception {
    assumeThat(Files.isWritable(TimerSlack.fileOfThisThread())).isTrue();
    String before = slack();
    var other =
        new FutureTask<>(
            () -> {
              assertThat(TimerSlack.refuse()).isTrue();
              return slack();
            });
    Thread.ofPlatform().start(other);
    assertThat(other.get()).isEqualTo("1");
    assertThat(slack()).isEqualTo(before).isNotEqualTo("1");
  }
}
