package io.turnwise;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.internal.door.DumpClient;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.scheduling.Backend;
import io.turnwise.weaving.Safepoint;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
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

  /** What was to end the handler left a function that was called back, and so ended the JVM. */
  @Test
  void noKillBelowAForeignFunctionEndsTheProcess() throws Exception {
    Process child = java(ProcessBuilder.Redirect.PIPE, Sorting.class.getName());
    try (BufferedReader out = child.inputReader(StandardCharsets.UTF_8);
        BufferedReader err = child.errorReader(StandardCharsets.UTF_8)) {
      assertThat(rest(out))
          .containsExactly(
              "BLOCKING that polls: ABANDONED",
              "BLOCKING that asks: ABANDONED",
              "BLOCKING that sends: killed",
              "THREAD that polls: ABANDONED",
              "THREAD that asks: ABANDONED",
              "THREAD that sends: killed",
              "left behind: 4, of which none is left");
      assertThat(rest(err).stream().filter(line -> line.contains("[HANDLER-ABANDONED]")))
          .hasSize(4)
          .allMatch(line -> line.contains("A handler of /sorting/"));
    }
    assertThat(child.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(child.exitValue()).isZero();
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

  /** The child process: kills of handlers that sort by a C function, which calls them back. */
  static final class Sorting {
    private static final ThreadLocal<Runnable> COMPARISON = new ThreadLocal<>();

    private Sorting() {}

    private record Ask() implements Call<Object, String> {}

    public static void main(String[] arguments) throws Exception {
      var system = ActorSystem.open("sorting", c -> c.withWorkers(1));
      for (Backend backend : List.of(Backend.BLOCKING, Backend.THREAD)) {
        polls(system, backend);
        asks(system, backend);
        sends(system, backend);
      }
      Await.until("all have come back", () -> system.snapshot().handlersLeftBehind() == 0);
      say("left behind: " + system.snapshot().handlersAbandoned() + ", of which none is left");
      System.exit(0);
    }

    private static void polls(ActorSystem system, Backend backend) throws Exception {
      var end = new AtomicBoolean();
      ActorRef<Object> actor =
          sorting(
              system,
              backend,
              begun -> {
                begun.run();
                while (!end.get()) Safepoint.poll();
              });
      say(backend + " that polls: " + Await.result(actor.kill()).force());
      end.set(true);
    }

    private static void asks(ActorSystem system, Backend backend) throws Exception {
      var asked = new CompletableFuture<Reply<String>>();
      ActorRef<Object> answers = system.spawn(() -> (m, c) -> asked.complete(c.defer((Ask) m)));
      ActorRef<Object> actor =
          sorting(
              system,
              backend,
              begun -> {
                begun.run();
                answers.call(new Ask(), Duration.ofHours(1));
              });
      Reply<String> reply = Await.result(asked);
      say(backend + " that asks: " + Await.result(actor.kill()).force());
      reply.send("well");
    }

    /** It cannot be left behind there. Another, killed at the same time, says when it was woken. */
    private static void sends(ActorSystem system, Backend backend) throws Exception {
      var room = new CountDownLatch(1);
      ActorRef<Object> full =
          system.spawn(
              ActorSpec.<Object>of(() -> (_, _) -> room.await())
                  .withMailbox(MailboxConfig.bounded(1, OverflowPolicy.WAIT)));
      full.cast("in hand");
      Await.until("it is in hand", () -> full.snapshot().queued() == 0);
      full.cast("fills it");
      Consumer<Runnable> section =
          begun -> {
            begun.run();
            full.cast("waits");
          };
      ActorRef<Object> actor = sorting(system, backend, section);
      ActorRef<Object> other = running(system, backend, section);
      CompletionStage<KillReport> kill = actor.kill();
      Await.result(other.kill());
      room.countDown();
      Await.result(kill);
      say(backend + " that sends: killed");
    }

    private static ActorRef<Object> sorting(
        ActorSystem system, Backend backend, Consumer<Runnable> comparison) throws Exception {
      return running(
          system,
          backend,
          begun -> {
            COMPARISON.set(() -> comparison.accept(begun));
            sort();
          });
    }

    private static ActorRef<Object> running(
        ActorSystem system, Backend backend, Consumer<Runnable> code) throws Exception {
      var begun = new CountDownLatch(1);
      ActorRef<Object> actor =
          system.spawn(
              ActorSpec.<Object>of(() -> (_, _) -> code.accept(begun::countDown))
                  .withBackend(backend));
      actor.cast("go");
      Await.latch(begun);
      return actor;
    }

    /** Two elements, which the C library compares once. */
    @SuppressWarnings("restricted")
    private static void sort() {
      try (Arena arena = Arena.ofConfined()) {
        Linker linker = Linker.nativeLinker();
        MethodHandle compare =
            MethodHandles.lookup()
                .findStatic(
                    Sorting.class,
                    "compare",
                    MethodType.methodType(int.class, MemorySegment.class, MemorySegment.class));
        MemorySegment callback =
            linker.upcallStub(
                compare,
                FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS),
                arena);
        MethodHandle qsort =
            linker.downcallHandle(
                linker.defaultLookup().findOrThrow("qsort"),
                FunctionDescriptor.ofVoid(
                    ValueLayout.ADDRESS,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.ADDRESS));
        qsort.invokeExact(arena.allocate(8, 4), 2L, 4L, callback);
      } catch (Throwable e) {
        throw new AssertionError(e);
      }
    }

    private static int compare(MemorySegment a, MemorySegment b) {
      COMPARISON.get().run();
      return 0;
    }

    private static void say(String line) {
      System.out.println(line);
      System.out.flush();
    }
  }
}
