package io.turnwise;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.internal.door.DumpClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What only a process of its own can show: signals, exits, and a dump asked for from outside. */
class ProcessTest {
  private static final String READY = "ready";

  @Test
  void aTerminatedProcessClosesItsSystemAndRunsEveryTeardown() throws Exception {
    Process child = java(Serving.class.getName(), "serve");
    try (BufferedReader out = child.inputReader(StandardCharsets.UTF_8)) {
      awaitReady(out);
      child.toHandle().destroy(); // SIGTERM, without closing its output
      assertThat(rest(out)).contains("parent tears down after its child: ShutDown");
    }
    assertThat(child.waitFor(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aTerminatedProcessSaysWhatItLeftAlsoWhereItsLogIsClosedAlready() throws Exception {
    Process child = java(ProcessBuilder.Redirect.PIPE, Stuck.class.getName());
    try (BufferedReader out = child.inputReader(StandardCharsets.UTF_8);
        BufferedReader err = child.errorReader(StandardCharsets.UTF_8)) {
      awaitReady(out);
      child.toHandle().destroy(); // SIGTERM, without closing its output
      assertThat(rest(err))
          .anyMatch(line -> line.startsWith("System stuck was closed with 1 actors and 2 messages"))
          .anyMatch(line -> line.contains("/stuck/hangs"));
    }
    assertThat(child.waitFor(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void anExitFromInsideAHandlerEndsTheProcess() throws Exception {
    Process child = java(Serving.class.getName(), "exit");
    try (BufferedReader out = child.inputReader(StandardCharsets.UTF_8)) {
      awaitReady(out);
      rest(out);
    }
    assertThat(child.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(child.exitValue()).isEqualTo(7);
  }

  @Test
  void aRunningProcessCanBeAskedForADump() throws Exception {
    Process child = java(Serving.class.getName(), "sleep");
    try (BufferedReader out = child.inputReader(StandardCharsets.UTF_8)) {
      awaitReady(out);
      Process client = java(DumpClient.class.getName(), Long.toString(child.pid()));
      String dump;
      try (BufferedReader said = client.inputReader(StandardCharsets.UTF_8)) {
        dump = String.join("\n", rest(said));
      }
      assertThat(client.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(dump)
          .contains("system served")
          .contains("/served/parent/child is SUSPENDED, handling String")
          .contains("ProcessTest$Serving");
    } finally {
      child.destroyForcibly();
    }
  }

  private static Process java(String... mainAndArguments) throws IOException {
    return java(ProcessBuilder.Redirect.INHERIT, mainAndArguments);
  }

  private static Process java(ProcessBuilder.Redirect error, String... mainAndArguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("--add-opens", "java.base/java.lang=ALL-UNNAMED", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.addAll(List.of(mainAndArguments));
    Process child = new ProcessBuilder(command).redirectError(error).start();
    // A child that hangs fails the test instead of hanging it.
    CompletableFuture.delayedExecutor(120, TimeUnit.SECONDS).execute(child::destroyForcibly);
    return child;
  }

  private static void awaitReady(BufferedReader out) throws IOException {
    String line;
    while ((line = out.readLine()) != null) if (line.equals(READY)) return;
    throw new AssertionError("the child process ended before it was ready");
  }

  private static List<String> rest(BufferedReader out) {
    return out.lines().toList();
  }

  /** The child process: a parent, and a child that waits in the middle of a turn. */
  static final class Serving {
    private Serving() {}

    private static final class Parent implements Actor<String> {
      private final long millis;

      Parent(long millis) {
        this.millis = millis;
      }

      @Override
      public void init(Context<String> context) {
        context.<String>spawn("child", () -> (_, _) -> Thread.sleep(millis)).cast("wait");
      }

      @Override
      public void receive(String message, Context<String> context) {
        System.exit(7);
      }

      @Override
      public void teardown(StopReason reason, Context<String> context) {
        System.out.println(
            "parent tears down after its child: " + reason.getClass().getSimpleName());
        System.out.flush();
      }
    }

    public static void main(String[] arguments) throws Exception {
      var system =
          ActorSystem.open("served", c -> c.withCloseDeadline(java.time.Duration.ofSeconds(3)));
      // Whoever asks for a dump may take a while to start.
      long millis = arguments[0].equals("sleep") ? 60_000 : 2_000;
      ActorRef<String> parent = system.spawn("parent", () -> new Parent(millis));
      while (system.find("parent/child").isEmpty()) Thread.onSpinWait();
      var child = system.find("parent/child").orElseThrow();
      while (child.snapshot().state() != io.turnwise.observation.ActorState.SUSPENDED)
        Thread.onSpinWait();
      System.out.println(READY);
      System.out.flush();
      if (arguments[0].equals("exit")) parent.cast("exit");
      Thread.sleep(60_000);
    }
  }

  /** The child process: an actor that hangs with two messages queued, and a log that was used. */
  static final class Stuck {
    private Stuck() {}

    public static void main(String[] arguments) throws Exception {
      System.getLogger("io.turnwise").log(System.Logger.Level.INFO, "the log has been used");
      var system =
          ActorSystem.open("stuck", c -> c.withCloseDeadline(java.time.Duration.ofMillis(300)));
      var begun = new CountDownLatch(1);
      ActorRef<String> hangs =
          system.spawn(
              "hangs",
              () ->
                  (_, _) -> {
                    begun.countDown();
                    new CountDownLatch(1).await();
                  });
      for (int i = 0; i < 3; i++) hangs.cast("hang");
      begun.await();
      System.out.println(READY);
      System.out.flush();
      new CountDownLatch(1).await();
    }
  }
}
