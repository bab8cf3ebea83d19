package io.turnwise.testkit.simulation;

import io.turnwise.ActorRef;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.OverflowPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What may go wrong in a run, because its test says so, and what is about to. Whether it does is
 * asked where it matters; nobody is asked for what the test does not allow.
 */
final class Faults {
  private static final int RARE = 16;
  private static final int RARER = 64;

  /** A time that is drawn is none, or so many parts of the longest. */
  private static final int PARTS = 8;

  /** A crash in the middle comes at one of the first polls. */
  private static final int POLLS = 8;

  /** So many times as much room as the least, one doubling each. */
  private static final int ROOMS = 4;

  private static final int BEFORE = 1;
  private static final int WITHIN = 2;
  private static final int AFTER = 3;

  /** By how much the clock on the wall jumps; the last way is to 1970. */
  private static final List<Duration> JUMPS =
      List.of(
          Duration.ofSeconds(1),
          Duration.ofSeconds(-1),
          Duration.ofHours(1),
          Duration.ofHours(-1),
          Duration.ofDays(1),
          Duration.ofDays(-1));

  /** Chooses one of so many ways; the first is that nothing goes wrong. */
  private final IntUnaryOperator choose;

  /** How many of its turns may still crash. */
  private final Map<ActorRef<?>, Integer> crashing = new HashMap<>();

  private final List<ActorRef<?>> mortal = new ArrayList<>();
  private final Set<ActorRef<?>> lossy = new HashSet<>();
  private final Map<ActorRef<?>, Long> delayed = new HashMap<>();
  private final Map<ActorRef<?>, Long> slow = new HashMap<>();
  private final Map<Object, Long> stalling = new HashMap<>();
  private long longestStall;
  private int leastRoom = Integer.MAX_VALUE;
  private boolean clockJumps;

  /** Turns that are to crash, and at how many more polls; after the handler if it has fewer. */
  private final Map<Object, Integer> crashes = new HashMap<>();

  /** How much longer turns take when their handlers have returned. */
  private final Map<ActorRef<?>, Long> lingering = new HashMap<>();

  /** Whether something may go wrong between two turns, and not only in one. */
  boolean mayStrikeBetweenTurns() {
    return !mortal.isEmpty() || longestStall != 0 || !stalling.isEmpty();
  }

  Faults(IntUnaryOperator choose) {
    this.choose = choose;
  }

  // ---- crashes and kills ---------------------------------------------------------------------

  void mayCrash(ActorRef<?> actor, int times) {
    crashing.put(actor, times);
  }

  void mayBeKilled(ActorRef<?> actor) {
    mortal.add(actor);
  }

  /** Somebody to be killed now, or null. */
  @Nullable ActorRef<?> victim() {
    if (mortal.isEmpty() || choose.applyAsInt(RARER) != 1) return null;
    return mortal.remove(mortal.size() == 1 ? 0 : choose.applyAsInt(mortal.size()));
  }

  void turnBegins(ActorRef<?> actor) {
    if (crashing.isEmpty()) return;
    crashes.remove(actor);
    int left = crashing.getOrDefault(actor, 0);
    if (left == 0) return;
    int crash = choose.applyAsInt(RARE);
    if (crash < BEFORE || crash > AFTER) return;
    crashing.put(actor, left - 1);
    if (crash == BEFORE) throw new InjectedCrash("before its handler runs");
    crashes.put(actor, crash == WITHIN ? choose.applyAsInt(POLLS) : Integer.MAX_VALUE);
  }

  void turnPolls(Object task) {
    Integer left = crashes.isEmpty() ? null : crashes.get(task);
    if (left == null) return;
    if (left > 0) {
      crashes.put(task, left - 1);
      return;
    }
    crashes.remove(task);
    throw new InjectedCrash("in the middle");
  }

  void turnEnds(ActorRef<?> actor) {
    if (!crashes.isEmpty() && crashes.remove(actor) != null)
      throw new InjectedCrash("after its handler has returned");
  }

  // ---- messages ------------------------------------------------------------------------------

  void mayLose(ActorRef<?> to) {
    lossy.add(to);
  }

  void mayDelay(ActorRef<?> to, long nanos) {
    delayed.put(to, nanos);
  }

  /** Whether a message never arrives. */
  boolean loses(ActorRef<?> to) {
    return !lossy.isEmpty() && lossy.contains(to) && choose.applyAsInt(RARE) == 1;
  }

  /** How long a message is under way. */
  long delay(ActorRef<?> to) {
    Long most = delayed.isEmpty() ? null : delayed.get(to);
    return most == null ? 0 : part(most, choose.applyAsInt(PARTS + 1));
  }

  /** The whole is exact. */
  private static long part(long most, int parts) {
    return parts == PARTS ? most : most / PARTS * parts;
  }

  void mayShrinkMailboxes(int least) {
    leastRoom = least;
  }

  /** The bounds of a mailbox that is to have these. A sender that finds it full waits. */
  MailboxConfig roomOf(MailboxConfig specified) {
    if (specified.capacity() <= leastRoom) return specified;
    int doublings = choose.applyAsInt(ROOMS) - 1;
    if (doublings < 0) return specified;
    int room = (int) Math.min((long) leastRoom << doublings, specified.capacity());
    return MailboxConfig.bounded(
        room, specified.isBounded() ? specified.overflow() : OverflowPolicy.WAIT);
  }

  // ---- time ----------------------------------------------------------------------------------

  void mayStall(long nanos) {
    longestStall = nanos;
  }

  void mayStall(ActorRef<?> actor, long nanos) {
    stalling.put(actor, nanos);
  }

  void mayBeSlow(ActorRef<?> actor, long nanos) {
    slow.put(actor, nanos);
  }

  void mayJumpClock() {
    clockJumps = true;
  }

  /**
   * How long the machine stands still now: not at all, until the next deadline, if that is not too
   * far, or for a part of the longest time.
   *
   * @param untilDeadline negative if there is none
   */
  long stall(LongSupplier untilDeadline) {
    if (longestStall == 0) return 0;
    int way = choose.applyAsInt(RARER);
    if (way == 0 || way > PARTS + 1) return 0;
    if (way > 1) return part(longestStall, way - 1);
    long left = untilDeadline.getAsLong();
    return left > 0 && left <= longestStall ? left : 0;
  }

  /** How long a task that is chosen is left waiting all the same. */
  long stall(Object task) {
    Long most = stalling.isEmpty() ? null : stalling.get(task);
    int parts = most == null ? 0 : choose.applyAsInt(RARER);
    return most == null || parts > PARTS ? 0 : part(most, parts);
  }

  /** How much longer a turn takes before its handler runs; what it takes after is kept. */
  long slowness(ActorRef<?> actor) {
    Long most = slow.isEmpty() ? null : slow.get(actor);
    if (most == null) return 0;
    lingering.remove(actor); // of a turn that was ended before
    int parts = choose.applyAsInt(2 * PARTS + 1);
    if (parts <= PARTS) return part(most, parts);
    lingering.put(actor, part(most, parts - PARTS));
    return 0;
  }

  long slownessAfter(ActorRef<?> actor) {
    Long left = lingering.isEmpty() ? null : lingering.remove(actor);
    return left == null ? 0 : left;
  }

  /**
   * By how much the clock on the wall jumps before it is read next, in milliseconds.
   *
   * @param now what it shows
   */
  long clockJump(long now) {
    int way = clockJumps ? choose.applyAsInt(RARE) : 0;
    if (way == 0 || way > JUMPS.size() + 1) return 0;
    return way > JUMPS.size() ? -now : JUMPS.get(way - 1).toMillis();
  }
}
