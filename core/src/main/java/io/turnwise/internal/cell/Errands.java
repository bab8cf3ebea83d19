package io.turnwise.internal.cell;

import io.turnwise.internal.scheduler.Director;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;

/** Strangers' code in a system that runs on one thread: done there, when the director says so. */
final class Errands extends AbstractExecutorService {
  private final Director director;
  private volatile boolean ended;

  Errands(Director director) {
    this.director = director;
  }

  @Override
  public void execute(Runnable code) {
    director.errand(code);
  }

  @Override
  public void shutdown() {
    ended = true;
  }

  @Override
  public List<Runnable> shutdownNow() {
    ended = true;
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    return ended;
  }

  @Override
  public boolean isTerminated() {
    return ended;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return ended;
  }
}
