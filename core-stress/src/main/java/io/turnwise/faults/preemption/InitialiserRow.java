package io.turnwise.faults.preemption;

import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.Reply;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Trial;
import io.turnwise.faults.trial.WovenRow;
import io.turnwise.scheduling.Backend;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * F19: who is the first to use a class is killed, or is to be stopped, in the middle of its
 * initialiser. The class is whole for everybody else, and others get their turns although the
 * initialiser holds its worker.
 */
public final class InitialiserRow extends WovenRow {
  @Override
  public String id() {
    return "F19";
  }

  @Override
  public String what() {
    return "kills in class initialisers";
  }

  @Override
  protected List<List<String>> jvms(Trial trial) {
    return List.of(List.of(), everyPoll("1", trial.seed()));
  }

  @Override
  protected String runWoven(Trial trial) throws Exception {
    int classes = (int) trial.sized(30, 250);
    for (int workers : trial.workerCounts()) initialise(trial, workers, classes);
    return classes + " classes each";
  }

  private static void initialise(Trial trial, int workers, int classes) throws Exception {
    SplittableRandom random = trial.random();
    var system =
        ActorSystem.open(
            "initialisers", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(120)));
    var kills = new KillBook(system);
    Bystander others;
    try (system;
        var bystander = new Bystander(system)) {
      others = bystander;
      bystander.awaitMore(50);
      bystander.forget();
      for (int i = 0; i < classes; i++) {
        Backend backend =
            switch (i % 5) {
              case 0 -> Backend.THREAD;
              case 1 -> Backend.BLOCKING;
              default -> Backend.ASYNC;
            };
        How how =
            switch (i % 7) {
              case 6 -> How.SLEEPS;
              case 5 -> How.ASKS;
              default -> How.COMPUTES;
            };
        killFirstUser(system, kills, random, backend, how);
        bystander.awaitMore(1);
      }
    }
    trial.say(workers + " workers: " + kills.figures() + "; " + others.figures());
  }

  /** What an initialiser does for so long. One that asks has its answer after the kill. */
  private enum How {
    COMPUTES,
    SLEEPS,
    ASKS
  }

  private static void killFirstUser(
      ActorSystem system, KillBook kills, SplittableRandom random, Backend backend, How how)
      throws Exception {
    var fresh = new FreshLoader();
    var begun = new CountDownLatch(1);
    var request = new CompletableFuture<Reply<Long>>();
    Initialised.Begin.latch = begun;
    Initialised.Begin.millis = 1 + random.nextInt(40);
    Initialised.Begin.sleeps = how == How.SLEEPS;
    Initialised.Begin.asked =
        how == How.ASKS
            ? system.spawn(
                () -> (ask, context) -> request.complete(context.defer((Initialised.Ask) ask)))
            : null;
    ActorSpec<String> user =
        ActorSpec.<String>of(() -> (message, context) -> fresh.use()).withBackend(backend);
    ActorRef<String> first = system.spawn(user);
    first.cast("use");
    if (!begun.await(120, TimeUnit.SECONDS)) throw new Broken("not begun: " + system.dump());
    LockSupport.parkNanos(random.nextInt(20_000_000));
    kills.kill(first);
    if (how == How.ASKS) request.get(120, TimeUnit.SECONDS).send(Initialised.RIGHT);
    var ended = new CountDownLatch(1);
    var result = new Object[1];
    system
        .spawn(
            () ->
                (message, context) -> {
                  try {
                    result[0] = fresh.use();
                  } catch (Throwable e) {
                    result[0] = e;
                  }
                  ended.countDown();
                })
        .cast("use");
    if (!ended.await(120, TimeUnit.SECONDS)) throw new Broken("no second use: " + system.dump());
    if (!Long.valueOf(Initialised.RIGHT).equals(result[0]))
      throw new Broken("after a kill in its initialiser, a class is " + result[0]);
  }

  /** Loads the class anew, for its initialiser to run once more. */
  private static final class FreshLoader extends ClassLoader {
    private static final String NAME = Initialised.class.getName();

    FreshLoader() {
      super(InitialiserRow.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.equals(NAME)) return super.loadClass(name, resolve);
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? define() : loaded;
      }
    }

    private Class<?> define() throws ClassNotFoundException {
      try (InputStream in = getResourceAsStream(NAME.replace('.', '/') + ".class")) {
        if (in == null) throw new ClassNotFoundException(NAME);
        byte[] bytes = in.readAllBytes();
        return defineClass(NAME, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(NAME, e);
      }
    }

    /** The first use runs the initialiser. */
    long use() throws Exception {
      return (Long) Class.forName(NAME, true, this).getMethod("value").invoke(null);
    }
  }
}
