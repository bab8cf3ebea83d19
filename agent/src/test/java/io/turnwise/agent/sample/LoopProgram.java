package io.turnwise.agent.sample;

import com.sun.tools.attach.VirtualMachine;
import io.turnwise.agent.RuntimeAgent;
import io.turnwise.agent.WeavingReport;
import io.turnwise.weaving.Safepoint;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;

/** Runs in a JVM of its own: loops, and says how many polls it passed. */
public final class LoopProgram {
  private static final CountDownLatch BEGUN = new CountDownLatch(2);

  private LoopProgram() {}

  public static void main(String[] arguments) throws Exception {
    IntSupplier hidden = () -> 1; // makes a hidden class
    say("early", loop(1000));
    if (arguments.length > 0) {
      Thread.ofPlatform().name("platform").daemon().start(() -> wait(BEGUN));
      Thread.ofVirtual().name("virtual").start(() -> wait(BEGUN));
      BEGUN.await();
      VirtualMachine self = VirtualMachine.attach(Long.toString(ProcessHandle.current().pid()));
      self.loadAgent(arguments[0], arguments[1]);
      self.detach();
    }
    say("late", loop(1000) + hidden.getAsInt() - 1);
    say("running", RuntimeAgent.isRunning());
    WeavingReport report = RuntimeAgent.report();
    if (report != null) report.text().lines().forEach(line -> say("report", line));
    RuntimeAgent.open(LoopProgram.class.getModule());
    say("open", Object.class.getModule().isOpen("java.lang", LoopProgram.class.getModule()));
  }

  /** A loop that is under way when the agent comes, and goes on. */
  private static void wait(CountDownLatch begun) {
    begun.countDown();
    while (!Thread.interrupted()) LockSupport.park();
  }

  private static void say(String name, Object value) {
    System.out.println(name + "=" + value);
  }

  /** With a call in it, so that each round polls. */
  private static long loop(int rounds) {
    long before = Safepoint.POLLS.get();
    var text = new StringBuilder();
    for (int i = 0; i < rounds; i++) text.append(i);
    return text.isEmpty() ? -1 : Safepoint.POLLS.get() - before;
  }
}
