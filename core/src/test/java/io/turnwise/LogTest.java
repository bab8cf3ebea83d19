package io.turnwise;

import static io.turnwise.Puppet.crash;
import static io.turnwise.Puppet.say;
import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.internal.cell.ManualSystem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a person must know is logged, once and not in a flood. */
class LogTest {
  private static final Logger LOG = Logger.getLogger("io.turnwise");
  private final List<LogRecord> records = new ArrayList<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord record) {
          synchronized (records) {
            records.add(record);
          }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };
  private boolean toConsole;

  @BeforeEach
  void listen() {
    Complaints.take();
    toConsole = LOG.getUseParentHandlers();
    LOG.setUseParentHandlers(false);
    LOG.setLevel(Level.INFO);
    LOG.addHandler(handler);
  }

  @AfterEach
  void stopListening() {
    LOG.removeHandler(handler);
    LOG.setLevel(Level.SEVERE);
    LOG.setUseParentHandlers(toConsole);
  }

  private List<LogRecord> saying(String words) {
    synchronized (records) {
      return records.stream().filter(r -> r.getMessage().contains(words)).toList();
    }
  }

  @Test
  void aCrashIsLoggedWithItsActorMessageAndCause() {
    try (var kit = new ManualSystem()) {
      kit.puppet("a").cast(crash("boom"));
      kit.run();
      assertThat(saying("[ACTOR-CRASHED]")).hasSize(1);
      LogRecord line = saying("[ACTOR-CRASHED]").getFirst();
      assertThat(line.getMessage()).contains("/test/a", "Do");
      assertThat(line.getThrown()).hasMessage("boom");
      assertThat(line.getLevel()).isEqualTo(Level.WARNING);
    }
  }

  @Test
  void aFloodOfCrashesIsNotAFloodOfLinesAndIsSummedUp() {
    try (var kit = new ManualSystem()) {
      for (int i = 0; i < 100; i++) kit.puppet("a" + i).cast(crash("boom"));
      kit.run();
      assertThat(saying("[ACTOR-CRASHED]")).hasSize(10);
      kit.advance(Duration.ofMinutes(2));
      kit.puppet("late").cast(crash("boom"));
      kit.run();
      assertThat(saying("[ACTOR-CRASHED]")).hasSize(11);
      assertThat(saying("90 similar lines")).hasSize(1);
    }
  }

  @Test
  void theFirstDeadLettersAreLogged() {
    try (var kit = new ManualSystem()) {
      var gone = kit.puppet("gone");
      gone.stop();
      kit.run();
      for (int i = 0; i < 100; i++) gone.cast(say("secret"));
      kit.run();
      assertThat(saying("[DEAD-LETTER]")).hasSize(10);
      String line = saying("[DEAD-LETTER]").getFirst().getMessage();
      assertThat(line).contains("/test/gone", "Puppet$Say", "RECIPIENT_STOPPED");
      assertThat(line).as("what is in a message is nobody's business").doesNotContain("secret");
    }
  }

  @Test
  void anExceptionThatCannotBePrintedDoesNotSilenceTheLog() {
    try (var kit = new ManualSystem()) {
      class Mute extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
          throw new IllegalStateException("no words");
        }
      }
      kit.puppet("mute")
          .cast(
              Puppet.does(
                  _ -> {
                    throw new Mute();
                  }));
      kit.run();
      kit.puppet("loud").cast(crash("boom"));
      kit.run();
      assertThat(saying("/test/loud")).hasSize(1);
    }
  }

  @Test
  void aCloseThatLeavesSomethingIsLogged() throws Exception {
    var system =
        ActorSystem.open("leaves", c -> c.withWorkers(1).withCloseDeadline(Duration.ofMillis(30)));
    var go = new CountDownLatch(1);
    var begun = new CountDownLatch(1);
    ActorRef<String> actor =
        system.spawn(
            "stuck",
            () ->
                (_, _) -> {
                  begun.countDown();
                  go.await();
                });
    actor.cast("x");
    Await.latch(begun);
    actor.cast("left");
    try {
      system.close();
    } finally {
      go.countDown();
    }
    assertThat(saying("[CLOSE-INCOMPLETE]")).hasSize(1);
    assertThat(saying("[CLOSE-INCOMPLETE]").getFirst().getMessage())
        .contains("leaves", "1 actors", "1 messages", "/leaves/stuck");
  }

  @Test
  void aCrashJustBeforeTheCloseIsLogged() throws Exception {
    for (int i = 0; i < 50; i++) {
      try (var system = ActorSystem.open("brief")) {
        system
            .<String>spawn(
                "a",
                () ->
                    (m, c) -> {
                      throw new IllegalStateException(m);
                    })
            .cast("b");
        Await.until("it crashed", () -> system.snapshot().crashes() == 1);
      }
    }
    assertThat(saying("[ACTOR-CRASHED]")).hasSize(50);
  }
}
