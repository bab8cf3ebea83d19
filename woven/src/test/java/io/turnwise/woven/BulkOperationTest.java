package io.turnwise.woven;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.KillReport;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;

/**
 * An operation over a whole collection, in a turn on the only worker, with a function that does not
 * poll. Others run in the middle of it; but who kills the turn still finds the collection whole.
 */
class BulkOperationTest {
  /** A turn that cannot be ended for long is left behind; one operation takes far less. */
  private static final int SIZE = 20_000;

  /** One element after another is counted up; when all were, the next round begins. */
  private abstract static class Rounds {
    private volatile long steps;

    abstract void once();

    abstract Collection<Integer> values();

    // These call no method of ours: they would poll, and could be ended there.

    Integer up(Integer value) {
      steps++;
      return value + 1;
    }

    Integer up(Integer key, Integer value) {
      steps++;
      return value + 1;
    }

    boolean isInTheMiddle() {
      return steps % SIZE != 0;
    }
  }

  private static final class OverList extends Rounds {
    private final List<Integer> list = new ArrayList<>(Collections.nCopies(SIZE, 0));

    @Override
    void once() {
      list.replaceAll(this::up);
    }

    @Override
    Collection<Integer> values() {
      return list;
    }
  }

  private static final class OverMap extends Rounds {
    private final Map<Integer, Integer> map = new HashMap<>();

    OverMap() {
      for (int i = 0; i < SIZE; i++) map.put(i, 0);
    }

    @Override
    void once() {
      map.replaceAll(this::up);
    }

    @Override
    Collection<Integer> values() {
      return map.values();
    }
  }

  private ActorSystem system;

  @BeforeEach
  void open() {
    system = ActorSystem.open("bulk", it -> it.withWorkers(1).withCloseOnShutdown(false));
  }

  @AfterEach
  void close() {
    system.close();
  }

  @RepeatedTest(3)
  void aListIsLeftWhole() throws Exception {
    OverList rounds;
    do rounds = new OverList();
    while (!isEnded(rounds));
    assertWhole(rounds);
  }

  @RepeatedTest(3)
  void aMapIsLeftWhole() throws Exception {
    OverMap rounds;
    do rounds = new OverMap();
    while (!isEnded(rounds));
    assertWhole(rounds);
  }

  private static void assertWhole(Rounds rounds) {
    assertThat(rounds.isInTheMiddle()).isFalse();
    assertThat(rounds.values()).hasSize(SIZE).containsOnly((int) (rounds.steps / SIZE));
  }

  /**
   * Lets it go on until it was stopped in the middle, and kills the turn. False if the turn was
   * left behind instead, as may happen on a machine with far too much to do.
   */
  private boolean isEnded(Rounds rounds) throws Exception {
    var begun = new CountDownLatch(1);
    ActorRef<String> hog =
        system.spawn(
            () ->
                (message, context) -> {
                  begun.countDown();
                  while (true) rounds.once();
                });
    hog.cast("begin");
    assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
    // It may be stopped between two operations as well; then others are let run again.
    while (!isStoppedInTheMiddle(rounds)) {}
    return hog.kill().toCompletableFuture().get(20, TimeUnit.SECONDS).force()
        == KillReport.Force.CANCELLED;
  }

  /** Asked by another actor's turn: has an operation begun, and does it stand still meanwhile? */
  private boolean isStoppedInTheMiddle(Rounds rounds) throws Exception {
    var answer = new CompletableFuture<Boolean>();
    ActorRef<String> other =
        system.spawn(
            () ->
                (message, context) -> {
                  long before = rounds.steps;
                  long until = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(500);
                  while (System.nanoTime() < until) Thread.onSpinWait();
                  answer.complete(rounds.steps == before && rounds.isInTheMiddle());
                });
    other.cast("look");
    return answer.get(20, TimeUnit.SECONDS);
  }
}
