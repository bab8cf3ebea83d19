package io.turnwise.benchmarks.peer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The least one would write by hand: a concurrent queue, a flag that says whether the actor is
 * scheduled, and batches of messages on a ForkJoinPool in asynchronous mode. No supervision, no
 * names, no time-outs.
 */
final class ForkJoinRuntime implements ActorRuntime<ForkJoinRuntime.PoolActor> {

  private static final int BATCH = 64;

  private static final long ASK_TIMEOUT_SECONDS = 30;

  private final ForkJoinPool pool;
  private final Consumer<Throwable> onFailure;

  /** Whether questions from outside have a time-out, and somebody knows who lives. */
  private final boolean polite;

  /** Where that is known: who asks after all actors, or is to stop them, must find them. */
  private final Set<PoolActor> living = ConcurrentHashMap.newKeySet();

  ForkJoinRuntime(RuntimeSettings settings, boolean polite) {
    this.polite = polite;
    this.onFailure = settings.onFailure();
    this.pool =
        new ForkJoinPool(
            settings.workersOr(Runtime.getRuntime().availableProcessors()),
            ForkJoinPool.defaultForkJoinWorkerThreadFactory,
            (thread, failure) -> onFailure.accept(failure),
            true);
  }

  @Override
  public PoolActor spawn(Behavior<PoolActor> behavior) {
    PoolActor actor = new PoolActor(this, behavior);
    if (polite) {
      living.add(actor);
    }
    return actor;
  }

  @Override
  public void send(PoolActor receiver, Object message) {
    receiver.put(message);
  }

  @Override
  public void stop(PoolActor actor) {
    actor.put(PoolActor.STOP);
  }

  @Override
  public Future<Object> ask(PoolActor server, Object payload) {
    CompletableFuture<Object> answer = new CompletableFuture<>();
    server.put(new FutureRequest(payload, answer));
    return polite ? answer.orTimeout(ASK_TIMEOUT_SECONDS, TimeUnit.SECONDS) : answer;
  }

  @Override
  public TaskPool tasks() {
    return pool::execute;
  }

  @Override
  public TimerSource timers() {
    return new TimerSource() {
      @Override
      public Object schedule(long delayNanos, Runnable callback) {
        return pool.schedule(callback, delayNanos, TimeUnit.NANOSECONDS);
      }

      @Override
      public void cancel(Object timer) {
        ((Future<?>) timer).cancel(false);
      }
    };
  }

  @Override
  public String describe() {
    return "ForkJoinPool, asynchronous, threads: "
        + pool.getParallelism()
        + ", batch: "
        + BATCH
        + (polite ? ", time-outs, knows its actors" : "");
  }

  @Override
  public void close() {
    pool.shutdownNow();
  }

  private record ActorRequest(Object payload, PoolActor asker) implements Request {}

  /**
   * An actor is its own task: it is queued again and again and never completes, so exec() returns
   * false. A sender that moves the state from idle to scheduled queues it; the worker that finds
   * the mailbox empty moves it back and looks once more, so that no message is left behind.
   */
  @SuppressWarnings("serial") // a ForkJoinTask by trade, never serialized
  static final class PoolActor extends ForkJoinTask<Void> implements Self<PoolActor> {
    private static final Object STOP = new Object();
    private static final int IDLE = 0;
    private static final int SCHEDULED = 1;
    private static final int STOPPED = 2;
    private static final VarHandle STATE;

    static {
      try {
        STATE = MethodHandles.lookup().findVarHandle(PoolActor.class, "state", int.class);
      } catch (ReflectiveOperationException impossible) {
        throw new ExceptionInInitializerError(impossible);
      }
    }

    private final ForkJoinRuntime runtime;
    private final Behavior<PoolActor> behavior;
    private final ConcurrentLinkedQueue<Object> mailbox = new ConcurrentLinkedQueue<>();
    private volatile int state = IDLE;

    PoolActor(ForkJoinRuntime runtime, Behavior<PoolActor> behavior) {
      this.runtime = runtime;
      this.behavior = behavior;
    }

    void put(Object message) {
      mailbox.offer(message);
      if (leaveIdle()) {
        if (ForkJoinTask.getPool() == runtime.pool) {
          fork();
        } else {
          runtime.pool.execute(this);
        }
      }
    }

    private boolean leaveIdle() {
      return state == IDLE && STATE.compareAndSet(this, IDLE, SCHEDULED);
    }

    @Override
    protected boolean exec() {
      if (handleBatch() == Next.STOP) {
        state = STOPPED;
        mailbox.clear();
        if (runtime.polite) {
          runtime.living.remove(this);
        }
        return false;
      }
      if (mailbox.isEmpty()) {
        state = IDLE;
        if (mailbox.isEmpty() || !leaveIdle()) {
          return false;
        }
      }
      fork();
      return false;
    }

    private Next handleBatch() {
      try {
        for (int handled = 0; handled < BATCH; handled++) {
          Object message = mailbox.poll();
          if (message == null) {
            break;
          }
          if (message == STOP || behavior.receive(message, this) == Next.STOP) {
            return Next.STOP;
          }
        }
        return Next.CONTINUE;
      } catch (Exception failure) {
        runtime.onFailure.accept(failure);
        return Next.STOP;
      }
    }

    @Override
    public Void getRawResult() {
      return null;
    }

    @Override
    protected void setRawResult(Void value) {}

    @Override
    public PoolActor address() {
      return this;
    }

    @Override
    public PoolActor spawn(Behavior<PoolActor> child) {
      return runtime.spawn(child);
    }

    @Override
    public void send(PoolActor receiver, Object message) {
      receiver.put(message);
    }

    @Override
    public void ask(PoolActor server, Object payload) {
      server.put(new ActorRequest(payload, this));
    }

    @Override
    public void reply(Request request, Object answer) {
      switch (request) {
        case ActorRequest fromActor -> fromActor.asker.put(new Answer(answer));
        case FutureRequest fromOutside -> fromOutside.answer().complete(answer);
        default -> throw new IllegalArgumentException("not a request of this runtime: " + request);
      }
    }
  }
}
