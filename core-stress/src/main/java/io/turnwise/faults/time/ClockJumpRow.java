package io.turnwise.faults.time;

import io.turnwise.ActorSystem;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.ChildJvm;
import io.turnwise.faults.trial.QuietLog;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Trial;
import io.turnwise.time.TimerHandle;
import io.turnwise.time.TimerService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * F30: the calendar's clock jumps by a second, an hour, a day, forth and back, and to 1970, every
 * few milliseconds, under timers of all kinds. In a JVM whose C library is given another clock by a
 * preloaded function: nobody else on the machine sees it.
 */
public final class ClockJumpRow implements Row {
  private static final int MILLIS_BETWEEN_JUMPS = 5;

  /** Only the calendar's clocks are moved: the other one never jumps, on any machine. */
  private static final String SHIM =
      """
      #define _GNU_SOURCE
      #include <time.h>
      #include <sys/time.h>
      #include <sys/syscall.h>
      #include <unistd.h>

      static const long seconds[] = {0, 1, 0, -1, 3600, 0, -3600, 86400, 0, -86400, 31536000};

      static long jump(long now) {
        struct timespec mono;
        syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &mono);
        long millis = mono.tv_sec * 1000 + mono.tv_nsec / 1000000;
        long step = (millis / %d) %% 12;
        return step == 11 ? -now : seconds[step];
      }

      int clock_gettime(clockid_t clock, struct timespec *time) {
        int result = syscall(SYS_clock_gettime, clock, time);
        if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
          time->tv_sec += jump(time->tv_sec);
        return result;
      }

      int gettimeofday(struct timeval *time, void *zone) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        time->tv_sec = now.tv_sec;
        time->tv_usec = now.tv_nsec / 1000;
        return 0;
      }
      """;

  @Override
  public String id() {
    return "F30";
  }

  @Override
  public String what() {
    return "the calendar's clock jumps";
  }

  @Override
  public String run(Trial trial) throws Exception {
    Path folder = Files.createTempDirectory("turnwise-clock-");
    try {
      Path library = compile(folder);
      if (library == null) {
        trial.say("no C compiler here to make a clock that jumps: left out");
        return "left out";
      }
      ChildJvm.Ended ended =
          ChildJvm.run(
              ClockJumpRow.class,
              List.of(),
              trial.asArguments(),
              java.util.Map.of("LD_PRELOAD", library.toString()),
              (int) trial.sized(120, 600));
      ended.output().lines().filter(l -> l.startsWith("jumps ")).forEach(trial::say);
      ended.mustEndWith(0, "F30");
    } finally {
      for (String file : List.of("clock.c", "clock.so")) Files.deleteIfExists(folder.resolve(file));
      Files.deleteIfExists(folder);
    }
    return trial.sized(300, 1_000) + " jumps";
  }

  private static @org.jspecify.annotations.Nullable Path compile(Path folder)
      throws InterruptedException, IOException {
    Path source = folder.resolve("clock.c");
    Path library = folder.resolve("clock.so");
    Files.writeString(source, SHIM.formatted(MILLIS_BETWEEN_JUMPS));
    try {
      Process cc =
          new ProcessBuilder(
                  "cc", "-shared", "-fPIC", "-O", "-o", library.toString(), source.toString())
              .inheritIO()
              .start();
      if (cc.waitFor() != 0) throw new Broken("the clock could not be compiled");
      return library;
    } catch (IOException e) {
      return null;
    }
  }

  /** The child. */
  public static void main(String[] arguments) {
    QuietLog.install();
    Trial trial = Trial.of(arguments);
    try {
      for (int workers : trial.workerCounts()) jump(trial, workers);
    } catch (Throwable e) {
      e.printStackTrace(System.out);
      System.exit(1);
    }
    System.exit(0);
  }

  private static void jump(Trial trial, int workers) throws Exception {
    long jumps = trial.sized(300, 1_000);
    long seen = 0;
    int number = 0;
    int most = 200_000;
    var books = new TimerBooks(most);
    var random = new SplittableRandom(trial.seed());
    try (var system = ActorSystem.open("jumps", c -> c.withWorkers(workers))) {
      TimerService timers = system.timers();
      var ticking = new Ticking(system, Duration.ofMillis(3));
      long before = System.currentTimeMillis();
      long lastMono = System.nanoTime();
      while (seen < jumps && number < most) {
        long delay = random.nextLong(30_000_000);
        long due = System.nanoTime() + delay;
        TimerHandle timer =
            timers.scheduleDelayed(books.callback(number, due), Duration.ofNanos(delay));
        if (random.nextInt(4) == 0 && timer.cancel()) books.cancelled(number);
        number++;
        if (number % 50 == 0) TimeUnit.MILLISECONDS.sleep(1);
        long now = System.currentTimeMillis();
        long mono = System.nanoTime();
        if (Math.abs(now - before - (mono - lastMono) / 1_000_000) > 500) seen++;
        before = now;
        lastMono = mono;
      }
      if (seen < jumps) throw new Broken("the clock jumped " + seen + " times of " + jumps);
      for (; number < most; number++) books.cancelled(number); // never were
      ticking.stopAndCheck(Duration.ZERO);
      awaitBooks(books, timers, ticking);
    }
    System.out.println("jumps on " + workers + " workers: " + seen + ", " + books.sums());
  }

  private static void awaitBooks(TimerBooks books, TimerService timers, Ticking ticking)
      throws InterruptedException {
    var done = new CountDownLatch(1);
    timers.scheduleDelayed(done::countDown, Duration.ofMillis(50));
    if (!done.await(30, TimeUnit.SECONDS)) throw new Broken("a timer is stuck");
    books.checkFates();
  }
}
