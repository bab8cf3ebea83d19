package io.turnwise.testkit.simulation;

import io.turnwise.ActorRef;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/** What may go wrong in a run, because its test says so, and what is about to. */
final class Faults {
  private static final int RARE = 16;
  private static final int RARER = 64;
  private static final int DELAYS = 9;
  private static final int BEFORE = 1;
  private static final int WITHIN = 2;
  private static final int AFTER = 3;

  /** Chooses one of so many ways; the first is that nothing goes wrong. */
  private final IntUnaryOperator choose;

  private final Set<ActorRef<?>> crashing = new HashSet<>();
  private final List<ActorRef<?>> mortal = new ArrayList<>();
  private final Set<ActorRef<?>> lossy = new HashSet<>();
  private final Map<ActorRef<?>, Long> slow = new HashMap<>();
  private long longestStall;
  private int crashesLeft = 3;

  /** How the turn in hand is to end. Turns in the middle of which others run have none. */
  private int crash;

  private @Nullable ActorRef<?> crashes;

  Faults(IntUnaryOperator choose) {
    this.choose = choose;
  }

  void mayCrash(ActorRef<?> actor) {
    crashing.add(actor);
  }

  void mayBeKilled(ActorRef<?> actor) {
    mortal.add(actor);
  }

  void mayLose(ActorRef<?> to) {
    lossy.add(to);
  }

  void mayDelay(ActorRef<?> to, long nanos) {
    slow.put(to, nanos);
  }

  /** Whether a message never arrives. */
  boolean loses(ActorRef<?> to) {
    return lossy.contains(to) && choose.applyAsInt(RARE) == 1;
  }

  /** How long a message is under way. */
  long delay(ActorRef<?> to) {
    Long most = slow.get(to);
    return most == null ? 0 : most / (DELAYS - 1) * choose.applyAsInt(DELAYS);
  }

  void mayStall(long nanos) {
    longestStall = nanos;
  }

  /** The longest time that may pass although somebody could run, or 0. */
  long stall() {
    return longestStall > 0 && choose.applyAsInt(RARE) == 1 ? longestStall : 0;
  }

  /** Somebody to be killed now, or null. */
  @Nullable ActorRef<?> victim() {
    if (mortal.isEmpty() || choose.applyAsInt(RARER) != 1) return null;
    return mortal.remove(mortal.size() == 1 ? 0 : choose.applyAsInt(mortal.size()));
  }

  void turnBegins(ActorRef<?> actor) {
    crash = 0;
    crashes = null;
    if (crashesLeft == 0 || !crashing.contains(actor)) return;
    crash = choose.applyAsInt(RARE);
    if (crash == 0 || crash > AFTER) return;
    crashesLeft--;
    crashes = actor;
    if (crash == BEFORE) throw new InjectedCrash("before its handler runs");
  }

  void turnPolls(Object task) {
    if (crash == WITHIN && crashes == task) {
      crash = 0;
      throw new InjectedCrash("in the middle");
    }
  }

  void turnEnds(ActorRef<?> actor) {
    if ((crash == WITHIN || crash == AFTER) && crashes == actor) {
      crash = 0;
      throw new InjectedCrash("after its handler has returned");
    }
  }
}
