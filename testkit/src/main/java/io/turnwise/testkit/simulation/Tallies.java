package io.turnwise.testkit.simulation;

import io.turnwise.internal.scheduler.Task;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Who had how many slices, and when the last of them. */
final class Tallies {
  private static final int SHOWN = 10;

  /** Of one actor, or of one thread that an actor has started. */
  static final class Tally {
    private final Object who;
    private long slices;
    private long lastTurn;
    private long lastTime;

    /** What it handled last, or is handling. */
    @Nullable Class<?> handles;

    /** A number for what it is called. To put a path together takes long: once is enough. */
    private final int name;

    /** How often the turn in hand was stopped because it is long. */
    int longStops;

    Tally(Object who) {
      this.who = who;
      this.name = who.toString().hashCode();
    }

    int name() {
      return name;
    }

    long lastTurn() {
      return lastTurn;
    }

    @Override
    public String toString() {
      String type = handles == null ? "" : ", the last with " + Story.nameOf(handles);
      return who + ": " + slices + " slices" + type;
    }
  }

  private final Map<Object, Tally> all = new IdentityHashMap<>();

  /** The last turn, and its time, of one that is not among these any more. */
  private long lastTurnOfOthers;

  private long lastTimeOfOthers;

  Tallies(long begin) {
    lastTimeOfOthers = begin;
  }

  /**
   * A slice begins.
   *
   * @param thread null where it is an actor's that has none yet
   */
  Tally begins(Task task, @Nullable Thread thread, long turn, long time) {
    Object key = task instanceof io.turnwise.ActorRef<?> || thread == null ? task : thread;
    Tally own = all.get(key);
    if (own == null) all.put(key, own = new Tally(task));
    own.slices++;
    own.lastTurn = turn;
    own.lastTime = time;
    return own;
  }

  /** It does not come back. */
  void forget(Object key) {
    Tally gone = all.remove(key);
    if (gone == null) return;
    lastTurnOfOthers = Math.max(lastTurnOfOthers, gone.lastTurn);
    lastTimeOfOthers = Math.max(lastTimeOfOthers, gone.lastTime);
  }

  @Nullable Tally of(Object key) {
    return all.get(key);
  }

  /** Who has run lately, and since when nobody else has. */
  String busySince(long turn, long time) {
    long lately = turn - Math.max(100, turn / 10);
    long since = lastTurnOfOthers;
    long sinceTime = lastTimeOfOthers;
    List<Tally> busy = new ArrayList<>();
    for (Tally each : all.values()) {
      if (each.lastTurn > lately) {
        busy.add(each);
      } else {
        since = Math.max(since, each.lastTurn);
        sinceTime = Math.max(sinceTime, each.lastTime);
      }
    }
    busy.sort(Comparator.comparingLong((Tally each) -> each.slices).reversed());
    var text =
        new StringBuilder(
            "since turn "
                + (since + 1)
                + ", for "
                + Story.seconds(time - sinceTime)
                + " s of its time, only these have run");
    for (Tally each : busy.subList(0, Math.min(SHOWN, busy.size())))
      text.append("\n         ").append(each);
    if (busy.size() > SHOWN)
      text.append("\n         and ").append(busy.size() - SHOWN).append(" others");
    return text.toString();
  }
}
