package io.turnwise.supervision;

import io.turnwise.Actor;
import io.turnwise.ActorSpec;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Who is supervised, and what happens when one of them fails. A value, checked when it is made;
 * only what a later step may still bring, a child that another depends on or the {@link
 * AutoShutdown} for a significant one, is checked by {@link #asActor}, before anything is started.
 *
 * {@snippet file="SupervisionSnippets.java" region="supervisor"}
 *
 * @param shape how the children stand to each other
 * @param recovery who is started again together with a child that failed
 * @param children in the order in which they start; they stop the other way round
 * @param limit how many restarts there may be before the supervisor itself fails
 * @param autoShutdown whether it stops when significant children have ended
 * @param poisonListener told of each message that failed as often as it may be tried, or null
 */
public record SupervisorSpec(
    Shape shape,
    Recovery recovery,
    List<ChildSpec<?>> children,
    RestartLimit limit,
    AutoShutdown autoShutdown,
    @Nullable Consumer<? super PoisonMessage> poisonListener) {

  /** How children stand to each other. */
  public enum Shape {
    /** In a row: each starts when the one before it is up. */
    ROW,
    /** Each names those it depends on. Those that do not depend on each other start together. */
    GRAPH,
    /** Alike and many: they come and go while the supervisor runs, and have no order. */
    DYNAMIC
  }

  public SupervisorSpec {
    Objects.requireNonNull(shape, "SupervisorSpec.shape is null; use SupervisorSpec.oneForOne()");
    Objects.requireNonNull(recovery, "SupervisorSpec.recovery is null; use Recovery.ONE");
    Objects.requireNonNull(limit, "SupervisorSpec.limit is null; use RestartLimit.DEFAULT");
    Objects.requireNonNull(autoShutdown, "SupervisorSpec.autoShutdown is null; use NEVER");
    Objects.requireNonNull(children, "SupervisorSpec.children is null; use List.of()");
    for (int i = 0; i < children.size(); i++)
      if (children.get(i) == null)
        throw new NullPointerException(
            "SupervisorSpec.children[" + i + "] is null; use ChildSpec.of");
    children = List.copyOf(children);
    if (shape == Shape.DYNAMIC && recovery != Recovery.ONE)
      throw new IllegalArgumentException(
          "SupervisorSpec.recovery is "
              + recovery
              + ", but children of a dynamic supervisor know nothing of each other; use ONE");
    checkChildren(shape, children);
    if (shape == Shape.GRAPH) checkGraph(children);
  }

  private static void checkChildren(Shape shape, List<ChildSpec<?>> children) {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < children.size(); i++) {
      ChildSpec<?> child = children.get(i);
      check(shape, child, i);
      if (child.name() != null && !names.add(child.name()))
        throw new IllegalArgumentException(
            "SupervisorSpec.children["
                + i
                + "]: name '"
                + child.name()
                + "' is taken by an earlier child; choose another");
    }
  }

  /** Whether a child fits; the same for those that come while the supervisor runs. */
  public void check(ChildSpec<?> child) {
    Objects.requireNonNull(child, "The spec of a child is null; use ChildSpec.of");
    check(shape, child, null);
    checkSignificant(child);
  }

  /**
   * @param place which of the children it is, or null for one that comes later
   */
  private static void check(Shape shape, ChildSpec<?> child, @Nullable Integer place) {
    String where = place == null ? "ChildSpec" : "SupervisorSpec.children[" + place + "]";
    if (child.name() == null && shape != Shape.DYNAMIC)
      throw new IllegalArgumentException(
          where + ": name is null; only children of a dynamic supervisor need none");
    String who = (place == null ? "" : where + ": ") + ChildSpec.titleOf(child.name()) + ": ";
    if (!child.dependsOn().isEmpty() && shape != Shape.GRAPH)
      throw new IllegalArgumentException(
          who
              + "dependsOn is "
              + firstOf(child.dependsOn())
              + ", which only children of SupervisorSpec.graph can have");
  }

  /** Whether nothing is missing. */
  private void checkComplete() {
    Set<@Nullable String> names = new LinkedHashSet<>();
    for (ChildSpec<?> child : children) names.add(child.name());
    for (ChildSpec<?> child : children) {
      checkSignificant(child);
      for (String other : child.dependsOn())
        if (!names.contains(other))
          throw new IllegalArgumentException(
              "ChildSpec '"
                  + child.name()
                  + "': dependsOn has '"
                  + other
                  + "', which is none of "
                  + firstOf(names));
    }
  }

  private static final int NAMES_SHOWN = 20;

  /** For people: there may be a hundred thousand of them. */
  private static String firstOf(Collection<?> names) {
    if (names.size() <= NAMES_SHOWN) return names.toString();
    String first = names.stream().limit(NAMES_SHOWN).toList().toString();
    return first.substring(0, first.length() - 1)
        + ", … and "
        + (names.size() - NAMES_SHOWN)
        + " more]";
  }

  private void checkSignificant(ChildSpec<?> child) {
    if (child.significant() && autoShutdown == AutoShutdown.NEVER)
      throw new IllegalArgumentException(
          ChildSpec.titleOf(child.name())
              + ": significant is true, but the supervisor's autoShutdown is NEVER;"
              + " use withAutoShutdown");
  }

  private static void checkGraph(List<ChildSpec<?>> children) {
    Map<String, ChildSpec<?>> byName = new LinkedHashMap<>();
    for (ChildSpec<?> child : children) byName.put(Objects.requireNonNull(child.name()), child);
    List<String> sorted = sort(byName);
    if (sorted.size() == byName.size()) return;
    List<String> circle = circle(byName, new HashSet<>(sorted));
    throw new IllegalArgumentException(
        "The children depend on each other in a circle: "
            + (circle.size() <= NAMES_SHOWN
                ? String.join(" -> ", circle)
                : String.join(" -> ", circle.subList(0, NAMES_SHOWN))
                    + " -> … and "
                    + (circle.size() - NAMES_SHOWN)
                    + " more")
            + ". [DEPENDENCY-CIRCLE]\n  next:  take one of these out of its dependsOn");
  }

  /**
   * Each after all that it depends on and that are there; those on a circle, or behind one, are
   * left out.
   */
  private static List<String> sort(Map<String, ChildSpec<?>> byName) {
    Map<String, Integer> unmet = new LinkedHashMap<>();
    Map<String, List<String>> dependents = new LinkedHashMap<>();
    var ready = new ArrayDeque<String>();
    byName.forEach(
        (name, child) -> {
          List<String> there = child.dependsOn().stream().filter(byName::containsKey).toList();
          unmet.put(name, there.size());
          if (there.isEmpty()) ready.add(name);
          for (String other : there)
            dependents.computeIfAbsent(other, _ -> new ArrayList<>()).add(name);
        });
    List<String> sorted = new ArrayList<>();
    for (String name; (name = ready.poll()) != null; ) {
      sorted.add(name);
      for (String next : dependents.getOrDefault(name, List.of()))
        if (unmet.merge(next, -1, Integer::sum) == 0) ready.add(next);
    }
    return sorted;
  }

  private static List<String> circle(Map<String, ChildSpec<?>> byName, Set<String> sorted) {
    String at = byName.keySet().stream().filter(n -> !sorted.contains(n)).findFirst().orElseThrow();
    Set<String> path = new LinkedHashSet<>();
    while (path.add(at)) {
      at =
          Objects.requireNonNull(byName.get(at)).dependsOn().stream()
              .filter(n -> byName.containsKey(n) && !sorted.contains(n))
              .findFirst()
              .orElseThrow();
    }
    List<String> all = new ArrayList<>(path);
    List<String> circle = new ArrayList<>(all.subList(all.indexOf(at), all.size()));
    circle.add(at);
    return circle;
  }

  /** A failure concerns the child alone. */
  public static SupervisorSpec oneForOne() {
    return of(Shape.ROW, Recovery.ONE);
  }

  /** All children live and die together. */
  public static SupervisorSpec oneForAll() {
    return of(Shape.ROW, Recovery.ALL);
  }

  /** A failure concerns the child and those after it. */
  public static SupervisorSpec restForOne() {
    return of(Shape.ROW, Recovery.DOWNSTREAM);
  }

  /** Children name what they depend on. */
  public static SupervisorSpec graph(Recovery recovery) {
    return of(Shape.GRAPH, recovery);
  }

  /** For many alike children, started and stopped through {@link Supervisor}. */
  public static SupervisorSpec dynamic() {
    return of(Shape.DYNAMIC, Recovery.ONE);
  }

  private static SupervisorSpec of(Shape shape, Recovery recovery) {
    return new SupervisorSpec(
        shape, recovery, List.of(), RestartLimit.DEFAULT, AutoShutdown.NEVER, null);
  }

  /** One more child, a permanent one without backoff. */
  public <M> SupervisorSpec withChild(String name, Supplier<? extends Actor<M>> factory) {
    return withChild(ChildSpec.of(name, factory));
  }

  /** One more child. */
  public SupervisorSpec withChild(ChildSpec<?> child) {
    var all = new ArrayList<>(children);
    all.add(
        Objects.requireNonNull(
            child, "SupervisorSpec.withChild: the child is null; use ChildSpec.of"));
    return withChildren(all);
  }

  /** These children, instead of those so far. */
  public SupervisorSpec withChildren(List<? extends ChildSpec<?>> children) {
    Objects.requireNonNull(children, "SupervisorSpec.children is null; use List.of()");
    return new SupervisorSpec(
        shape, recovery, new ArrayList<>(children), limit, autoShutdown, poisonListener);
  }

  public SupervisorSpec withLimit(RestartLimit limit) {
    return new SupervisorSpec(shape, recovery, children, limit, autoShutdown, poisonListener);
  }

  /** So many restarts within this time. */
  public SupervisorSpec withLimit(int restarts, Duration window) {
    return withLimit(new RestartLimit(restarts, window));
  }

  public SupervisorSpec withAutoShutdown(AutoShutdown autoShutdown) {
    return new SupervisorSpec(shape, recovery, children, limit, autoShutdown, poisonListener);
  }

  public SupervisorSpec withPoisonListener(Consumer<? super PoisonMessage> listener) {
    return new SupervisorSpec(shape, recovery, children, limit, autoShutdown, listener);
  }

  /**
   * The supervisor as an actor to spawn; {@link Supervisor#start} does.
   *
   * @throws IllegalArgumentException when a child depends on one that is not there, or is
   *     significant where that has no meaning
   */
  public ActorSpec<SupervisorRequest> asActor() {
    checkComplete();
    return ActorSpec.of(SupervisorBlueprint.factory(this));
  }
}
