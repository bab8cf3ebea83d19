package io.turnwise.benchmarks.peer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jctools.queues.varhandle.MpscLinkedVarHandleQueue;
import org.jspecify.annotations.Nullable;

/**
 * A virtual thread per actor, which takes from its mailbox and blocks while that is empty. The
 * number of carrier threads is a flag of the JVM and set by whoever starts it.
 */
final class LoomRuntime implements ActorRuntime<LoomRuntime.ThreadActor> {

  /** As much as the default of actor runtimes that have such a limit. */
  private static final int TURNS = 100;

  private static final long ASK_TIMEOUT_SECONDS = 30;

  private final ActorFactory factory;
  private final Consumer<Throwable> onFailure;
  private final String mailbox;

  /** Whether actors give way after so many messages, and questions have a time-out. */
  private final boolean polite;

  private @Nullable ScheduledThreadPoolExecutor scheduler;

  private LoomRuntime(
      String mailbox, ActorFactory factory, boolean polite, Consumer<Throwable> onFailure) {
    this.mailbox = mailbox;
    this.factory = factory;
    this.polite = polite;
    this.onFailure = onFailure;
  }

  static LoomRuntime withTransferQueues(RuntimeSettings settings) {
    return new LoomRuntime(
        "LinkedTransferQueue", TransferQueueActor::new, false, settings.onFailure());
  }

  static LoomRuntime politeWithTransferQueues(RuntimeSettings settings) {
    return new LoomRuntime(
        "LinkedTransferQueue", TransferQueueActor::new, true, settings.onFailure());
  }

  static LoomRuntime withJcToolsQueues(RuntimeSettings settings) {
    return new LoomRuntime("JCTools MPSC queue", JcToolsActor::new, false, settings.onFailure());
  }

  static LoomRuntime politeWithJcToolsQueues(RuntimeSettings settings) {
    return new LoomRuntime("JCTools MPSC queue", JcToolsActor::new, true, settings.onFailure());
  }

  @Override
  public ThreadActor spawn(Behavior<ThreadActor> behavior) {
    ThreadActor actor = factory.create(this, behavior);
    Thread.startVirtualThread(actor);
    return actor;
  }

  @Override
  public void send(ThreadActor receiver, Object message) {
    receiver.put(message);
  }

  @Override
  public void stop(ThreadActor actor) {
    actor.put(ThreadActor.STOP);
  }

  @Override
  public Future<Object> ask(ThreadActor server, Object payload) {
    CompletableFuture<Object> answer = new CompletableFuture<>();
    server.put(new FutureRequest(payload, answer));
    return polite ? answer.orTimeout(ASK_TIMEOUT_SECONDS, TimeUnit.SECONDS) : answer;
  }

  @Override
  public TaskPool tasks() {
    return Thread::startVirtualThread;
  }

  /** The JDK's own, which virtual threads have for their sleep as well; callbacks on its thread. */
  @Override
  public TimerSource timers() {
    ScheduledThreadPoolExecutor threads = scheduler();
    return new TimerSource() {
      @Override
      public Object schedule(long delayNanos, Runnable callback) {
        return threads.schedule(callback, delayNanos, TimeUnit.NANOSECONDS);
      }

      @Override
      public void cancel(Object timer) {
        ((Future<?>) timer).cancel(false);
      }
    };
  }

  private ScheduledThreadPoolExecutor scheduler() {
    if (scheduler == null) {
      scheduler = new ScheduledThreadPoolExecutor(1);
      scheduler.setRemoveOnCancelPolicy(true);
    }
    return scheduler;
  }

  @Override
  public String describe() {
    String manners = polite ? ", gives way after " + TURNS + " messages, time-outs" : "";
    return "virtual threads, mailbox: " + mailbox + manners;
  }

  @Override
  public void close() {
    if (scheduler != null) {
      scheduler.shutdownNow();
    }
  }

  @FunctionalInterface
  private interface ActorFactory {
    ThreadActor create(LoomRuntime runtime, Behavior<ThreadActor> behavior);
  }

  /** Address, mailbox and body of one actor. */
  abstract static class ThreadActor implements Runnable, Self<ThreadActor> {
    private static final Object STOP = new Object();

    private final LoomRuntime runtime;
    private final Behavior<ThreadActor> behavior;

    ThreadActor(LoomRuntime runtime, Behavior<ThreadActor> behavior) {
      this.runtime = runtime;
      this.behavior = behavior;
    }

    abstract void put(Object message);

    abstract Object take() throws InterruptedException;

    @Override
    public void run() {
      try {
        Object message = take();
        for (int handled = 1;
            message != STOP && behavior.receive(message, this) == Next.CONTINUE;
            handled++) {
          if (runtime.polite && handled % TURNS == 0) Thread.yield();
          message = take();
        }
      } catch (Exception failure) {
        runtime.onFailure.accept(failure);
      }
    }

    @Override
    public ThreadActor address() {
      return this;
    }

    @Override
    public ThreadActor spawn(Behavior<ThreadActor> child) {
      return runtime.spawn(child);
    }

    @Override
    public void send(ThreadActor receiver, Object message) {
      receiver.put(message);
    }

    @Override
    public Object askAndWait(ThreadActor server, Object payload) throws Exception {
      return runtime.ask(server, payload).get();
    }

    @Override
    public void reply(Request request, Object answer) {
      ((FutureRequest) request).answer().complete(answer);
    }
  }

  private static final class TransferQueueActor extends ThreadActor {
    private final LinkedTransferQueue<Object> mailbox = new LinkedTransferQueue<>();

    TransferQueueActor(LoomRuntime runtime, Behavior<ThreadActor> behavior) {
      super(runtime, behavior);
    }

    @Override
    void put(Object message) {
      mailbox.put(message);
    }

    @Override
    Object take() throws InterruptedException {
      return mailbox.take();
    }
  }

  /*
   * Why no message is left behind with a parked owner: the owner sets asleep and then polls once
   * more; a sender offers and then reads asleep. Both are full fences, so at least one of the two
   * sees what the other did. Whoever takes asleep back from true to false is the one that unparks.
   */
  private static final class JcToolsActor extends ThreadActor {
    private static final VarHandle ASLEEP;

    static {
      try {
        ASLEEP = MethodHandles.lookup().findVarHandle(JcToolsActor.class, "asleep", boolean.class);
      } catch (ReflectiveOperationException impossible) {
        throw new ExceptionInInitializerError(impossible);
      }
    }

    private final MpscLinkedVarHandleQueue<Object> mailbox = new MpscLinkedVarHandleQueue<>();
    private volatile boolean asleep;
    private @Nullable Thread owner; // written before asleep is first set, read after it was seen

    JcToolsActor(LoomRuntime runtime, Behavior<ThreadActor> behavior) {
      super(runtime, behavior);
    }

    @Override
    public void run() {
      owner = Thread.currentThread();
      super.run();
    }

    @Override
    void put(Object message) {
      mailbox.offer(message);
      if (asleep && ASLEEP.compareAndSet(this, true, false)) {
        LockSupport.unpark(owner);
      }
    }

    @Override
    Object take() {
      Object message = mailbox.poll();
      while (message == null) {
        asleep = true;
        message = mailbox.poll();
        if (message != null) {
          asleep = false;
          return message;
        }
        while (asleep) {
          LockSupport.park(this);
        }
        message = mailbox.poll();
      }
      return message;
    }
  }
}
