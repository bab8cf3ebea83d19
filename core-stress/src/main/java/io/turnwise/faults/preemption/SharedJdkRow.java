package io.turnwise.faults.preemption;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.Context;
import io.turnwise.KillReport;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Trial;
import io.turnwise.faults.trial.WovenRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.Vector;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * F20: handlers are killed inside the JDK's own code. Where they share a structure they are
 * stopped, never ended, in the middle of it: a concurrent map stays a map, and a list behind a lock
 * has all of a bulk operation or nothing, and after each sort the elements it had before. Sorting
 * an array and matching may be ended: others do the same beside, and their results are right.
 */
public final class SharedJdkRow extends WovenRow {
  private static final int AT_ONCE = 8;
  private static final int KEYS = 512;
  private static final int BULK = 3_000;

  /** Fewer: who waits for the lock while many sort, one after the other, is left behind. */
  private static final int SORTED = 1_000;

  private enum Use {
    MERGE_INTO_MAP,
    GO_OVER_MAP,
    COMPUTE_IN_MAP,
    ADD_ALL,
    REMOVE_ALL,
    PUT_ALL,
    SORT_LIST,
    SORT_LIST_BY_COMPARATOR,
    SORT_LIST_BY_FUNCTION,
    SORT,
    MATCH
  }

  @Override
  public String id() {
    return "F20";
  }

  @Override
  public String what() {
    return "kills inside the JDK's own code";
  }

  @Override
  protected List<List<String>> jvms(Trial trial) {
    return List.of(List.of(), everyPoll("0.5", trial.seed()));
  }

  @Override
  protected String runWoven(Trial trial) throws Exception {
    int kills = (int) trial.sized(160, 25_000);
    for (int workers : trial.workerCounts()) {
      var system =
          ActorSystem.open(
              "shared", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(120)));
      var book = new KillBook(system);
      try (system) {
        new Run(system, trial.random(), book).run(kills);
      }
      trial.say(workers + " workers: " + book.figures());
    }
    return kills + " kills each";
  }

  private static final class Run {
    private final ActorSystem system;
    private final SplittableRandom random;
    private final KillBook kills;
    private final Books books = new Books();
    private final Map<Integer, Long> map = new ConcurrentHashMap<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Integer> list = new ArrayList<>();
    private final List<Integer> sorted = new ArrayList<>();
    private final List<Integer> sortedVector = new Vector<>();
    private final Map<Integer, Integer> plainMap = new HashMap<>();

    Run(ActorSystem system, SplittableRandom random, KillBook kills) {
      this.system = system;
      this.random = random;
      this.kills = kills;
    }

    void run(int count) throws Exception {
      for (int i = 0; i < KEYS; i++) map.put(i, 0L);
      for (int i = 0; i < SORTED; i++) {
        sorted.add(i);
        sortedVector.add(i);
      }
      for (int i = 0; i < count; i += AT_ONCE) killSome();
      check();
      books.checkViolations();
    }

    private void killSome() throws Exception {
      var begun = new CountDownLatch(AT_ONCE);
      List<ActorRef<Use>> actors = new ArrayList<>();
      for (int i = 0; i < AT_ONCE; i++) {
        int n = random.nextInt(1_000);
        ActorRef<Use> actor = system.spawn(() -> new User(begun, n));
        actor.cast(Use.values()[random.nextInt(Use.values().length)]);
        actors.add(actor);
      }
      if (!begun.await(120, TimeUnit.SECONDS)) throw new Broken(system.dump());
      List<CompletableFuture<KillReport>> reports = new ArrayList<>();
      for (ActorRef<Use> actor : actors) {
        LockSupport.parkNanos(1 + random.nextInt(300_000));
        reports.add(actor.kill().toCompletableFuture());
      }
      for (int i = 0; i < AT_ONCE; i++) kills.await(reports.get(i), actors.get(i));
    }

    /** On this plain thread, when all are gone: those left behind let go of the lock later. */
    private void check() throws InterruptedException {
      if (!lock.tryLock(60, TimeUnit.SECONDS)) throw new Broken("a lock has leaked: " + lock);
      try {
        checkWhole();
      } finally {
        lock.unlock();
      }
      if (map.size() != KEYS) books.violation("the map says it has " + map.size());
      Set<Integer> keys = new HashSet<>();
      for (var entry : map.entrySet()) {
        keys.add(entry.getKey());
        if (entry.getValue() < 0) books.violation("a value is " + entry);
      }
      if (keys.size() != KEYS) books.violation("the map has " + keys.size() + " keys");
      for (int i = 0; i < KEYS; i++) // no bin stays locked, or reserved for a value to come
      map.merge(i, 1L, Long::sum);
    }

    private void checkWhole() {
      if (list.size() % BULK != 0) books.violation("a bulk operation ended with " + list.size());
      if (plainMap.size() % BULK != 0) books.violation("putAll ended with " + plainMap.size());
      checkElements(sorted);
      checkElements(sortedVector);
    }

    private void checkElements(List<Integer> numbers) {
      var seen = new BitSet(SORTED);
      for (int i = 0; i < numbers.size(); i++) seen.set(numbers.get(i));
      if (numbers.size() != SORTED || seen.cardinality() != SORTED)
        books.violation("a sort has left " + seen.cardinality() + " of " + SORTED + " elements");
    }

    private final class User implements Actor<Use> {
      private final CountDownLatch begun;
      private final int n;
      private final List<Integer> bulk = IntStream.range(0, BULK).boxed().toList();

      User(CountDownLatch begun, int n) {
        this.begun = begun;
        this.n = n;
      }

      @Override
      public void receive(Use use, Context<Use> context) {
        begun.countDown();
        while (true) {
          switch (use) {
            case MERGE_INTO_MAP -> map.merge(n % KEYS, 1L, (a, b) -> a + b + loop() * 0);
            case GO_OVER_MAP -> map.forEach((key, value) -> Loop.sink += value);
            case COMPUTE_IN_MAP ->
                map.compute(n % KEYS, (key, old) -> (old == null ? -1 : old) + loop() * 0);
            case ADD_ALL -> locked(() -> list.addAll(new HashSet<>(bulk)));
            case REMOVE_ALL -> locked(() -> list.removeAll(new HashSet<>(bulk)));
            case PUT_ALL ->
                locked(
                    () -> {
                      Map<Integer, Integer> more = HashMap.newHashMap(BULK);
                      for (int each : bulk) more.put(each, n);
                      plainMap.putAll(more);
                    });
            case SORT_LIST -> resort(sorted, null);
            case SORT_LIST_BY_COMPARATOR -> resort(sortedVector, Collections.reverseOrder());
            case SORT_LIST_BY_FUNCTION ->
                resort(sorted, (a, b) -> Integer.compare(placeOf(a), placeOf(b)));
            case SORT -> sort();
            case MATCH -> match();
          }
        }
      }

      private void resort(List<Integer> shared, @Nullable Comparator<Integer> order) {
        locked(
            () -> {
              Collections.shuffle(shared, new Random(n));
              shared.sort(order);
            });
      }

      /** A function of ours: what calls it polls before. */
      private int placeOf(int number) {
        return (number * 7_919 + n) % SORTED;
      }

      private long loop() {
        long x = n;
        for (int i = 0; i < 20; i++) x = Work.step(x, i);
        return x;
      }

      private void locked(Runnable change) {
        lock.lock();
        try {
          if (list.size() > 20 * BULK) list.clear();
          checkWhole();
          change.run();
        } finally {
          lock.unlock();
        }
      }

      private void sort() {
        Integer[] numbers = new Integer[5_000];
        for (int i = 0; i < numbers.length; i++) numbers[i] = (i * 7_919 + n) % numbers.length;
        Arrays.sort(numbers, Comparator.reverseOrder());
        for (int i = 0; i < numbers.length; i++)
          if (numbers[i] != numbers.length - 1 - i) {
            books.violation("sorted wrongly at " + i + ": " + numbers[i]);
            return;
          }
      }

      private void match() {
        if (!PATTERN.matcher("x".repeat(18) + "y").matches()) books.violation("did not match");
        if (PATTERN.matcher("x".repeat(16)).matches()) books.violation("matched");
      }
    }
  }

  /** Shared, as patterns are. */
  private static final Pattern PATTERN = Pattern.compile("(x+x+)+y");
}
