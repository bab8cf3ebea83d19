package io.turnwise.woven;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.KillReport;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Vector;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Kills in the middle of what puts a collection in order by moving its elements: while it merges,
 * some of them are nowhere but in a place of its own, and an error thrown through it would lose
 * them. What moves nobody's elements is ended.
 */
class KilledSortTest {
  /** So many that a sort passes more polls before calls than a turn that is to end may. */
  private static final int SIZE = 4_000;

  /**
   * A turn that cannot be ended for long is left behind; by a function that loops they take less.
   */
  private static final int FEW = 500;

  private static final int MANY = 2_000_000;
  private static final int KILLS = 5;

  private record Item(int key) implements Comparable<Item> {
    @Override
    public int compareTo(Item other) {
      return key < other.key ? -1 : key > other.key ? 1 : 0;
    }

    /** By one digit of the key after another: a loop that polls in each round. */
    static int byDigits(Item one, Item other) {
      for (ToIntFunction<Item> digit : DIGITS) {
        int difference = digit.applyAsInt(one) - digit.applyAsInt(other);
        if (difference != 0) return difference;
      }
      return 0;
    }

    private static final List<ToIntFunction<Item>> DIGITS =
        List.of(it -> it.key / 1_000, it -> it.key / 100 % 10, it -> it.key % 100);
  }

  private ActorSystem system;

  @BeforeEach
  void open() {
    system = ActorSystem.open("sorts", it -> it.withWorkers(1).withCloseOnShutdown(false));
  }

  @AfterEach
  void close() {
    system.close();
  }

  /** What a turn does again and again. */
  private abstract static class Rounds {
    volatile boolean inside;

    abstract void once();

    final void within(Runnable action) {
      inside = true;
      action.run();
      inside = false;
    }
  }

  static Stream<Arguments> sortsOfLists() {
    return Stream.of(
        sort("a list, in natural order", ArrayList::new, list -> list.sort(null)),
        sort("a part of a list", ArrayList::new, list -> list.subList(1, SIZE).sort(null)),
        sort("a list, backwards", ArrayList::new, list -> list.reversed().sort(null)),
        sort("a vector", Vector::new, list -> list.sort(Collections.reverseOrder())),
        sort(
            "an array as a list",
            all -> Arrays.asList(all.toArray(Item[]::new)),
            list -> list.sort(Comparator.comparing(Item::key))),
        sort(
            "a synchronized list",
            all -> Collections.synchronizedList(new ArrayList<>(all)),
            Collections::sort),
        sort(
            "a list, by a function that calls",
            ArrayList::new,
            list -> list.sort((one, other) -> Integer.compare(one.key(), other.key()))));
  }

  private static Arguments sort(
      String what, Function<List<Item>, List<Item>> make, Consumer<List<Item>> sort) {
    return arguments(what, make, sort);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("sortsOfLists")
  void noElementIsLost(
      String what, Function<List<Item>, List<Item>> make, Consumer<List<Item>> sort)
      throws Exception {
    for (int i = 0; i < KILLS; i++) assertLosesNone(SIZE, make, sort);
  }

  @Test
  void noElementIsLostWhereAFunctionThatLoopsCompares() throws Exception {
    for (int i = 0; i < KILLS; i++)
      assertLosesNone(FEW, ArrayList::new, list -> list.sort(Item::byDigits));
  }

  private void assertLosesNone(
      int size, Function<List<Item>, List<Item>> make, Consumer<List<Item>> sort) throws Exception {
    var random = new Random(1);
    final class Sorts extends Rounds {
      final List<Item> list = make.apply(items(size));

      @Override
      void once() {
        shuffle(list, random);
        within(() -> sort.accept(list));
      }
    }
    assertWhole(size, ended(Sorts::new).list);
  }

  /**
   * Where each round polls: a turn that is to end and was not in the middle of a sort ends here.
   */
  private static void shuffle(List<Item> list, Random random) {
    for (int i = list.size(); i > 1; i--) Collections.swap(list, i - 1, random.nextInt(i));
  }

  @Test
  void aHeapLosesNoElement() throws Exception {
    final class Replacements extends Rounds {
      final PriorityQueue<Item> heap = new PriorityQueue<>(Item::byDigits);

      Replacements() {
        heap.addAll(items(FEW));
      }

      @Override
      void once() {
        var next = new Item(heap.element().key() + FEW);
        within(() -> heap.add(next));
        heap.remove();
      }
    }
    for (int i = 0; i < KILLS; i++) {
      Replacements replacements = ended(Replacements::new);
      // If it was ended between the two, there is one more.
      assertThat(replacements.heap).doesNotHaveDuplicates().hasSizeBetween(FEW, FEW + 1);
    }
  }

  private static void assertWhole(int size, Collection<Item> items) {
    assertThat(new HashSet<>(items)).hasSize(size);
    assertThat(items).hasSize(size);
  }

  @Test
  void aSortOfAnArrayIsEnded() throws Exception {
    Item[] some = items(MANY).toArray(Item[]::new);
    Collections.shuffle(Arrays.asList(some), new Random(1));
    assertIsEndedInside(
        () -> {
          Item[] array = some.clone();
          return () -> Arrays.sort(array);
        });
  }

  /** Its elements are sorted in an array of their own, and put back afterwards. */
  @Test
  void aSortInACopyIsEnded() throws Exception {
    List<Item> some = items(MANY / 4);
    Collections.shuffle(some, new Random(1));
    assertIsEndedInside(
        () -> {
          var list = new LinkedList<>(some);
          return () -> list.sort(null);
        });
  }

  @Test
  void aSortedStreamIsEnded() throws Exception {
    List<Item> some = items(MANY);
    Collections.shuffle(some, new Random(1));
    // Without a size that is known it is the stream's own list that is sorted.
    assertIsEndedInside(() -> () -> some.stream().filter(Item.class::isInstance).sorted().toList());
  }

  @Test
  void aStreamOverAListIsEnded() throws Exception {
    List<Integer> list = List.of(1);
    assertIsEndedInside(
        () ->
            () ->
                new ArrayList<>(list)
                    .stream()
                        .flatMapToLong(i -> IntStream.range(0, Integer.MAX_VALUE).asLongStream())
                        .sum());
  }

  @Test
  void anExpressionThatAListIsSearchedByIsEnded() throws Exception {
    List<String> list = new ArrayList<>(List.of("x".repeat(60)));
    var forEver = Pattern.compile("(x+x+)+y").asPredicate();
    assertIsEndedInside(() -> () -> list.removeIf(forEver));
  }

  private void assertIsEndedInside(Supplier<Runnable> make) throws Exception {
    final class Once extends Rounds {
      private final Runnable action = make.get();

      @Override
      void once() {
        within(action);
      }
    }
    assertThat(ended(Once::new).inside).isTrue();
  }

  private static List<Item> items(int size) {
    List<Item> items = new ArrayList<>();
    for (int i = 0; i < size; i++) items.add(new Item(i));
    return items;
  }

  /**
   * Lets it go on until it was stopped inside, and kills the turn. If that was left behind instead,
   * as may happen on a machine with far too much to do, once more with others.
   */
  private <R extends Rounds> R ended(Supplier<R> make) throws Exception {
    for (int tries = 0; tries < 20; tries++) {
      R rounds = make.get();
      if (isEnded(rounds)) return rounds;
    }
    throw new AssertionError("always left behind");
  }

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
    // It may be stopped between two rounds as well; then others are let run again.
    while (!isStoppedInside(rounds)) {}
    return hog.kill().toCompletableFuture().get(20, TimeUnit.SECONDS).force()
        == KillReport.Force.CANCELLED;
  }

  /** Asked by another actor's turn, while the only worker does not run the loop. */
  private boolean isStoppedInside(Rounds rounds) throws Exception {
    var answer = new CompletableFuture<Boolean>();
    ActorRef<String> other =
        system.spawn(() -> (message, context) -> answer.complete(rounds.inside));
    other.cast("look");
    return answer.get(20, TimeUnit.SECONDS);
  }
}
