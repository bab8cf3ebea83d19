package io.turnwise.internal.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** The ways in, each in a JVM of its own that starts the README's program on the class path. */
class DoorTest {
  private static final String OPEN = "java.base/java.lang=ALL-UNNAMED";

  private record Outcome(int status, String said) {}

  private static Outcome start(String... flags) throws IOException, InterruptedException {
    return start(Map.of(), flags);
  }

  private static Outcome start(Map<String, String> environment, String... flags)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(flags));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), "CounterSnippet"));
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    Process child = builder.start();
    String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Outcome(child.waitFor(), said);
  }

  @Test
  void theFlagOpensIt() throws Exception {
    assertThat(start("--add-opens", OPEN)).isEqualTo(new Outcome(0, "total: 7\n"));
  }

  @Test
  void withoutAnythingTheProcessAttachesToItselfAndNamesTheFlagThatAvoidsIt() throws Exception {
    Outcome outcome = start();
    assertThat(outcome.status()).isZero();
    assertThat(outcome.said()).contains("total: 7", "--add-opens " + OPEN);
  }

  /** The agent is a module of its own, which is not here. */
  @Test
  void aSimulationWithoutTheWeavingAgentIsRefusedWithWhatToDo() {
    assertThatThrownBy(JdkDoor::openForSimulation)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("needs the weaving agent")
        .hasMessageContaining("[NO-WEAVER]")
        .hasMessageContaining("add turnwise-agent.jar to the class path");
  }

  @Test
  void whereNoWayIsLeftOneErrorNamesTheFlag() throws Exception {
    for (String flag :
        List.of(
            "-XX:+DisableAttachMechanism",
            "-XX:-EnableDynamicAgentLoading",
            "-Dturnwise.selfAttach=false")) {
      Outcome outcome = start(flag);
      assertThat(outcome.status()).as(flag).isEqualTo(1);
      assertThat(outcome.said())
          .as(flag)
          .contains("Exception in thread \"main\" java.lang.IllegalStateException: Turnwise cannot")
          .contains("[DOOR-CLOSED]", "--add-opens " + OPEN, "-javaagent:")
          .doesNotContain("Caused by", "AttachProvider");
    }
  }

  /** Two JVMs cannot listen on one debugger's port: a helper that took it over would not start. */
  @Test
  void flagsInTheEnvironmentAreNotHandedToTheHelperProcess() throws Exception {
    int port;
    try (var probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = probe.getLocalPort();
    }
    String debugger = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:";
    Outcome outcome = start(Map.of("JAVA_TOOL_OPTIONS", debugger + port));
    assertThat(outcome.said()).contains("total: 7");
    assertThat(outcome.status()).isZero();
  }

  @Test
  void openingItAgainDoesNothing() {
    JdkDoor.open();
    JdkDoor.open();
    assertThat(JdkDoor.schedulerOf(Thread.currentThread())).isNull();
  }

  @Test
  void threadLocalsAreSeenAndDroppedInheritableOnesIncluded() throws Exception {
    var plain = new ThreadLocal<String>();
    var inheritable = new InheritableThreadLocal<String>();
    List<Object> seen = new ArrayList<>();
    Thread.ofVirtual()
        .inheritInheritableThreadLocals(false)
        .start(
            () -> {
              Thread here = Thread.currentThread();
              JdkDoor.dropThreadLocals(here);
              seen.add(JdkDoor.hasThreadLocals(here));
              inheritable.set("a");
              seen.add(JdkDoor.hasThreadLocals(here));
              plain.set("b");
              JdkDoor.dropThreadLocals(here);
              seen.add(JdkDoor.hasThreadLocals(here));
              seen.add(inheritable.get() == null && plain.get() == null);
            })
        .join();
    assertThat(seen).containsExactly(false, true, false, true);
  }

  /** A thread of ours, and what the JDK wants to be run for it. */
  private static final class Waiting {
    final BlockingQueue<Runnable> slices = new LinkedBlockingQueue<>();
    final Thread thread;

    Waiting() {
      this(Waiting::waitForATime);
    }

    Waiting(Runnable body) {
      thread = JdkDoor.newFiberThread(slices::add, "waiting", body);
    }

    private static void waitForATime() {
      try {
        assertThat(new Semaphore(0).tryAcquire(1, TimeUnit.MILLISECONDS)).isFalse();
      } catch (InterruptedException e) {
        throw new AssertionError("nobody interrupts it", e);
      }
    }

    /** Those of a timer that comes too late as well: they do nothing. */
    void runToItsEnd() throws InterruptedException {
      while (thread.isAlive()) JdkDoor.run(next(), thread);
    }

    Runnable next() throws InterruptedException {
      return Objects.requireNonNull(slices.poll(30, TimeUnit.SECONDS), "it is never woken");
    }

    /** As the JDK leaves it where it finds no memory in the middle. */
    void leaveAs(String state) {
      try {
        Field constant = thread.getClass().getDeclaredField(state);
        Field field = thread.getClass().getDeclaredField("state");
        constant.setAccessible(true);
        field.setAccessible(true);
        field.setInt(thread, constant.getInt(null));
      } catch (ReflectiveOperationException e) {
        throw new AssertionError("java.lang is open", e);
      }
      throw new OutOfMemoryError("as if");
    }
  }

  @Test
  void aThreadThatGotNoTimerForWantOfMemoryIsWokenAllTheSame() throws Exception {
    JdkDoor.open();
    var waiting = new Waiting();
    waiting.thread.start();
    Runnable slice = waiting.next();
    JdkDoor.run(
        () -> {
          slice.run();
          waiting.leaveAs("TIMED_PARKING");
        },
        waiting.thread);
    waiting.runToItsEnd();
  }

  @Test
  void aThreadThatWasNotMountedForWantOfMemoryIsMountedLater() throws Exception {
    JdkDoor.open();
    var waiting = new Waiting();
    waiting.thread.start();
    JdkDoor.run(waiting.next(), waiting.thread);
    Runnable slice = waiting.next();
    var failed = new AtomicBoolean();
    JdkDoor.run(
        () -> {
          if (failed.compareAndSet(false, true)) waiting.leaveAs("RUNNING");
          slice.run();
        },
        waiting.thread);
    waiting.runToItsEnd();
  }

  /** The permit is for the park after the wait: who is let go on once more must not use it up. */
  @Test
  void aPermitIsNotLostWithTheMemory() throws Exception {
    JdkDoor.open();
    var waiting =
        new Waiting(
            () -> {
              waitAtAMonitor();
              LockSupport.park();
            });
    waiting.thread.start();
    JdkDoor.run(waiting.next(), waiting.thread);
    Runnable slice = waiting.next(); // its time is over
    LockSupport.unpark(waiting.thread);
    var failed = new AtomicBoolean();
    JdkDoor.run(
        () -> {
          if (failed.compareAndSet(false, true)) waiting.leaveAs("RUNNING");
          slice.run();
        },
        waiting.thread);
    waiting.runToItsEnd();
  }

  @SuppressWarnings("WaitNotInLoop") // whatever wakes it will do
  private static void waitAtAMonitor() {
    var monitor = new Object();
    synchronized (monitor) {
      try {
        monitor.wait(1);
      } catch (InterruptedException e) {
        throw new AssertionError("nobody interrupts it", e);
      }
    }
  }

  @Test
  void anErrorOfAnotherKindIsPassedOn() {
    JdkDoor.open();
    var waiting = new Waiting();
    waiting.thread.start();
    assertThatThrownBy(
            () ->
                JdkDoor.run(
                    () -> {
                      throw new OutOfMemoryError("before anything");
                    },
                    waiting.thread))
        .isInstanceOf(OutOfMemoryError.class);
  }
}
