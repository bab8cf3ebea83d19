package io.turnwise.internal.cell;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.ActorRef;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The table of an actor's children. */
class ChildrenTest {
  private final ManualSystem kit = new ManualSystem();
  private final Kind kind = ((ActorCell<?>) kit.<String>spawn("any", () -> (_, _) -> {})).kind;

  private ActorCell<String> child(String name) {
    return new ActorCell<>(kind, null, name, new Object());
  }

  @Test
  void namedChildrenAreFoundAndAnonymousOnesAreNot() {
    var children = new Children();
    var named = child("a");
    var anonymous = child(null);
    assertThat(children.isEmpty()).isTrue();
    assertThat(children.add(named)).isEqualTo(Children.Added.YES);
    assertThat(children.add(anonymous)).isEqualTo(Children.Added.YES);
    assertThat(children.get("a")).isSameAs(named);
    assertThat(children.get("b")).isNull();
    assertThat(children.get(anonymous.name())).isNull();
    assertThat(children.count()).isEqualTo(2);
    assertThat(new HashSet<ActorRef<?>>(children.refs())).isEqualTo(Set.of(named, anonymous));
  }

  @Test
  void aNameIsTakenUntilItsBearerIsRemoved() {
    var children = new Children();
    var first = child("a");
    children.add(first);
    assertThat(children.add(child("a"))).isEqualTo(Children.Added.NAME_TAKEN);
    assertThat(children.remove(first)).isFalse();
    assertThat(children.add(child("a"))).isEqualTo(Children.Added.YES);
  }

  @Test
  void afterTheCloseNobodyIsAddedAndTheLastOneOutIsTold() {
    var children = new Children();
    var one = child("one");
    var two = child(null);
    children.add(one);
    children.add(two);
    assertThat(children.close()).hasSize(2);
    assertThat(children.add(child("three"))).isEqualTo(Children.Added.PARENT_STOPPING);
    assertThat(children.remove(one)).isFalse();
    assertThat(children.remove(two)).isTrue();
    assertThat(children.isEmpty()).isTrue();
  }

  @Test
  void namesWithEqualHashesAreKeptApart() {
    var children = new Children();
    Map<String, ActorCell<String>> all = new HashMap<>();
    // "Aa" and "BB" have the same hash, and so has every word made of them.
    List<String> names = List.of("");
    for (int i = 0; i < 10; i++) {
      List<String> longer = new ArrayList<>();
      for (String name : names) {
        longer.add(name + "Aa");
        longer.add(name + "BB");
      }
      names = longer;
    }
    for (String name : names) {
      var cell = child(name);
      all.put(name, cell);
      assertThat(children.add(cell)).isEqualTo(Children.Added.YES);
    }
    all.forEach((name, cell) -> assertThat(children.get(name)).isSameAs(cell));
    all.values().forEach(children::remove);
    assertThat(children.isEmpty()).isTrue();
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void agreesWithAMapForAnySequence(long seed) {
    var random = new Random(seed);
    var children = new Children();
    Map<String, ActorCell<String>> named = new HashMap<>();
    List<ActorCell<String>> anonymous = new ArrayList<>();
    for (int step = 0; step < 5_000; step++) {
      String where = "seed " + seed + ", step " + step;
      String name = "n" + random.nextInt(500);
      switch (random.nextInt(5)) {
        case 0, 1 -> {
          var cell = child(name);
          assertThat(children.add(cell) == Children.Added.YES)
              .as(where)
              .isEqualTo(named.putIfAbsent(name, cell) == null);
        }
        case 2 -> {
          var cell = named.remove(name);
          if (cell != null) children.remove(cell);
        }
        case 3 -> {
          var cell = child(null);
          children.add(cell);
          anonymous.add(cell);
        }
        default -> {
          if (!anonymous.isEmpty())
            children.remove(anonymous.remove(random.nextInt(anonymous.size())));
        }
      }
      assertThat(children.count()).as(where).isEqualTo(named.size() + anonymous.size());
      assertThat(children.get(name)).as(where).isSameAs(named.get(name));
    }
    Set<ActorCell<?>> expected = new HashSet<>(named.values());
    expected.addAll(anonymous);
    assertThat(new HashSet<>(children.snapshot())).isEqualTo(expected);
  }
}
