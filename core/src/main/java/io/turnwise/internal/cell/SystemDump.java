package io.turnwise.internal.cell;

import io.turnwise.internal.scheduler.ShownStack;
import io.turnwise.observation.SystemSnapshot;
import io.turnwise.observation.WorkerLoad;
import java.util.Collection;
import java.util.List;

/** A whole system as text, for people. Takes no lock that a stuck actor could hold. */
final class SystemDump {
  private static final int ACTORS_SHOWN = 10_000;
  private static final int LEVELS_SHOWN = 100;

  private final LocalActorSystem system;
  private final Collection<WorkerDispatcher> dispatchers;
  private final Children top;
  private final StringBuilder text = new StringBuilder(4096);
  private int shown;

  SystemDump(LocalActorSystem system, Collection<WorkerDispatcher> dispatchers, Children top) {
    this.system = system;
    this.dispatchers = dispatchers;
    this.top = top;
  }

  String text() {
    SystemSnapshot now = system.snapshot();
    text.append("system ").append(system.name()).append(system.isClosed() ? " (closed)" : "");
    text.append("\n  actors ").append(now.actorsLive()).append(" live, ");
    text.append(now.actorsSpawned()).append(" ever, ").append(now.crashes()).append(" crashed");
    text.append("\n  messages ").append(now.messagesHandled()).append(" handled, ");
    text.append(now.messagesFailed()).append(" failed, dead letters ").append(now.deadLetters());
    text.append("\n  slices ")
        .append(now.slices())
        .append(", suspensions ")
        .append(now.suspensions());
    text.append(", steals ").append(now.steals()).append(", parks ").append(now.parks());
    for (WorkerDispatcher dispatcher : dispatchers) {
      text.append("\ndispatcher ")
          .append(dispatcher.name())
          .append(' ')
          .append(dispatcher.scheduling());
      for (WorkerLoad load : dispatcher.loads())
        text.append("\n  worker ")
            .append(load.worker())
            .append(load.parked() ? " asleep" : " awake")
            .append(", ")
            .append(load.queued())
            .append(" queued, wheel turns in ")
            .append(load.wheelTurn().toNanos() / 1000)
            .append(" us");
    }
    text.append("\nactors\n");
    tree(top.snapshot(), "  ");
    if (shown >= ACTORS_SHOWN) text.append("  … and more\n");
    return text.toString();
  }

  private void tree(List<ActorCell<?>> cells, String indent) {
    if (indent.length() > 2 * LEVELS_SHOWN) {
      if (!cells.isEmpty()) text.append(indent).append("… and deeper\n");
      return;
    }
    for (ActorCell<?> cell : cells) {
      if (shown++ >= ACTORS_SHOWN) return;
      List<StackTraceElement> stack = cell.stack();
      text.append(indent).append(cell.snapshot(stack).describe());
      ShownStack.appendTo(text, "\n" + indent + "    ", stack);
      text.append('\n');
      tree(cell.childCells(), indent + "  ");
    }
  }
}
