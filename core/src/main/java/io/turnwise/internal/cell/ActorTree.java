package io.turnwise.internal.cell;

import io.turnwise.observation.ActorState;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tree of actors, drawn. */
final class ActorTree {
  private static final int ACTORS_SHOWN = 1_000;
  private static final int INDENT_SHOWN = 3 * 64;
  private static final long SECOND_NANOS = 1_000_000_000;
  private static final long MILLI_NANOS = 1_000_000;

  private final LocalActorSystem system;
  private final Children top;
  private final StringBuilder text = new StringBuilder();
  private int shown;
  private int left;

  ActorTree(LocalActorSystem system, Children top) {
    this.system = system;
    this.top = top;
  }

  String text() {
    text.append(system.name()).append(system.isClosed() ? "  (closed)" : "").append('\n');
    append(top.snapshot(), "");
    if (left > 0) text.append("… and ").append(left).append(" more\n");
    return text.toString();
  }

  private void append(List<ActorCell<?>> cells, String indent) {
    if (indent.length() > INDENT_SHOWN) {
      if (!cells.isEmpty()) text.append(indent).append("… and deeper\n");
      return;
    }
    List<ActorCell<?>> inOrder = cells.stream().sorted(ORDER).toList();
    for (int i = 0; i < inOrder.size(); i++) {
      if (shown++ >= ACTORS_SHOWN) {
        left += inOrder.size() - i;
        return;
      }
      ActorCell<?> cell = inOrder.get(i);
      boolean last = i == inOrder.size() - 1;
      text.append(indent).append(last ? "└─ " : "├─ ").append(cell.name());
      text.append("  ").append(cell.isUnborn() ? ActorState.STARTING : cell.state());
      describe(cell.supervised());
      text.append('\n');
      append(cell.childCells(), indent + (last ? "   " : "│  "));
    }
  }

  /** Children of a supervisor in the order in which they start, others by name. */
  private static final Comparator<ActorCell<?>> ORDER =
      Comparator.<ActorCell<?>>comparingLong(
              cell -> {
                Supervised of = cell.supervised();
                return of == null ? 0 : of.place;
              })
          .thenComparing(ActorCell::name);

  private void describe(@Nullable Supervised of) {
    if (of == null) return;
    int restarts = of.incarnation - 1;
    if (restarts == 1) text.append(", 1 restart");
    if (restarts > 1) text.append(", ").append(restarts).append(" restarts");
    long dueAt = of.dueAt;
    if (dueAt == 0) return;
    long nanos = Math.max(0, dueAt - system.tick.nanoTime());
    text.append(", next in ");
    if (nanos < SECOND_NANOS) text.append(nanos / MILLI_NANOS).append(" ms");
    else text.append(nanos / (SECOND_NANOS / 10) / 10.0).append(" s");
  }
}
