package io.turnwise.internal.scheduler;

import io.turnwise.internal.weaving.JdkCallers;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where a slice runs: a fiber of a worker, or a platform thread of the other backends. Keeps the
 * slice's pace and its thread's counters.
 *
 * <p>The pace reads the clock as seldom as it can. A slice of one message does not read it at all,
 * nor does one of up to 64 if the last slice was brief and no tick has passed. A longer one reads
 * it then and after 1, 2, 4, … messages more (from 64 on, if the last slice was brief), and no
 * rarer than about every {@link #CHECK_NANOS} at the rate seen so far. What is not measured is
 * charged by the tick: whoever runs when the tick changes pays for the time since the worker last
 * read the clock. Long turns are hit in proportion to their length, short ones almost never.
 */
public class Seat {
  /** Between two messages, an older slice gives way to an actor that waits with credit. */
  static final int MIN_SLICE_NANOS = 50_000;

  private static final int CHECK_NANOS = 20_000;
  static final int BRIEF_NANOS = 20_000;
  private static final int CHECK_MESSAGES = 64;
  private static final int MANY_SENDS = 50;

  /** After so many messages the clock is read for a task whose slices were brief so far. */
  private static final int BRIEF_MESSAGES = 64;

  /** Messages sent from this seat since the slice began: they count against its throughput. */
  private int sends;

  /**
   * The worker that ran their receivers, if it was one; what a task sends to itself is no stream.
   */
  private int sentTo = NOBODY;

  private static final int NOBODY = -1;
  private static final int SEVERAL = -2;

  /** The counters of the thread that runs the slice now. Read anew after anything that suspends. */
  public Counters counters;

  /**
   * The task whose slice runs or is suspended here. Plain: written on this seat's thread; others
   * read it after the fiber's state told them that it is suspended, or only to show it.
   */
  @Nullable Task task;

  /** Whether the code of a user's handler runs here, or is suspended. Written on this thread. */
  private boolean inHandler;

  /** Until when the handler is not to be cancelled, or 0. Written on this thread; others look. */
  private volatile long maskedUntil;

  /** How long that was to be. On this thread. */
  private long maskNanos;

  private final Tick tick;
  private boolean timed;
  private long startedAt;
  private int startedTick;

  /** The tick at which the turn in hand began, however often it was suspended. Observers look. */
  private int turnTick;

  private int done;
  private int nextCheck;
  private int credit;

  protected Seat(Counters counters, Tick tick) {
    this.counters = counters;
    this.tick = tick;
  }

  /** Where the current thread sits, or null: it is none of ours, or one that a handler started. */
  public static @Nullable Seat current() {
    Fiber fiber = Fiber.current();
    if (fiber != null) return fiber;
    return Thread.currentThread() instanceof SeatThread own ? own.seat : null;
  }

  /** The task in hand, for those who ask which actor is running here. */
  public final @Nullable Task task() {
    return task;
  }

  /** A user's handler begins. */
  public final void enterHandler() {
    inHandler = true;
  }

  /**
   * Lets others run in the middle of a long turn of the runtime's own. It is no place to end the
   * turn, or to go on without it: for whoever wants that it is in no handler meanwhile. Those look
   * at {@code inHandler} after the fiber's state told them that it is suspended, which is written
   * after it. A platform thread of another backend only lets its neighbours run.
   */
  public final void giveWay() {
    boolean was = inHandler;
    inHandler = false;
    letOthersRun();
    inHandler = was;
  }

  /**
   * Yields. A virtual thread needs memory for that; where there is none, it goes on: who wanted it
   * to be suspended must not find an error instead, in the middle of what is to be done as a whole.
   * Returns false then.
   */
  public static boolean letOthersRun() {
    try {
      Thread.yield();
      return true;
    } catch (OutOfMemoryError e) {
      return false;
    }
  }

  /** It has ended. Does not return if its actor has gone on without it. */
  public final void leaveHandler() {
    inHandler = false;
    if (marked) putRight();
    if (abandonment != KEPT) settleAbandonment();
  }

  /** The handler in hand has masked a region, or passed polls while it was to end. */
  private boolean marked;

  private void putRight() {
    marked = false;
    maskedUntil = 0;
    callsPassed = 0;
    callsSpared = 0;
    loopsSpared = 0;
  }

  /**
   * A turn that runs and cannot be stopped is taken from its thread like this:
   *
   * <pre>
   *   who takes it                              the turn's thread, at the end of its handler
   *   1. write ASKED                            1. read; KEPT: nothing happened
   *   2. take the thread's stack, which stops   2. ASKED, under the lock: write KEPT, go on
   *      it for a moment: it will read ASKED       TAKEN: end, without touching anything
   *   3. if the stack ends in the handler:
   *      under the lock, ASKED becomes TAKEN
   * </pre>
   *
   * If the thread had read KEPT before ASKED was written, it is out of its handler when its stack
   * is taken, and the stack shows it.
   */
  private volatile byte abandonment = KEPT;

  private static final byte KEPT = 0;
  private static final byte ASKED = 1;
  private static final byte TAKEN = 2;

  final void settleAbandonment() {
    synchronized (this) {
      if (abandonment == ASKED) abandonment = KEPT;
    }
    if (abandonment == TAKEN) throw Abandonment.OVER;
  }

  /** Whether to leave a turn alone that somebody wanted to take: it is about to be suspended. */
  final void keepTurn() {
    if (abandonment != KEPT)
      synchronized (this) { // also to see what was written with TAKEN
        if (abandonment == ASKED) abandonment = KEPT;
      }
  }

  /**
   * Before its own thread leaves a turn behind. Returns false if somebody else has taken it: its
   * task is let go on once.
   */
  public synchronized boolean claimHere() {
    if (abandonment == TAKEN) return false;
    abandonment = TAKEN;
    return true;
  }

  /** Whether the actor of the handler that runs here went on without it. */
  public final boolean isAbandoned() {
    return abandonment == TAKEN;
  }

  /** For a handler on a platform thread whose actor has gone: it is to end, or to do no harm. */
  final void endAbandoned() {
    if (++thrown <= THROWS) throw Abandonment.OVER;
    abandonHere();
  }

  private static final int THROWS = 3;
  private int thrown;

  /**
   * From any thread. Returns where the turn was, if its task is the caller's now, or null: it was
   * not taken.
   */
  final @Nullable AbandonedTurn abandonRunning(
      Task expected, Thread own, Thread carrier, @Nullable Task rest, BooleanSupplier still) {
    synchronized (this) { // of two who want it, one asks: else the second would undo what was taken
      if (task != expected || !inHandler || abandonment != KEPT) return null;
      abandonment = ASKED;
    }
    AbandonedTurn found = null;
    try {
      if (isRunningFiber(carrier)) {
        StackTraceElement[] stack = own.getStackTrace();
        if (isInHandlerCode(stack)) found = AbandonedTurn.of(own, stack);
      }
    } catch (Throwable e) { // no memory for its stack: who tries again must find it as it was
      keepTurn();
      throw e;
    }
    synchronized (this) {
      if (abandonment != ASKED) return null;
      if (found == null || task != expected || !inHandler || !still.getAsBoolean()) {
        abandonment = KEPT;
        return null;
      }
      task = rest; // before: who reads TAKEN must not find the old one
      abandonment = TAKEN;
    }
    return found;
  }

  /** Whether this platform thread has a fiber mounted: stopped for a moment to see. */
  boolean isRunningFiber(Thread carrier) {
    return true;
  }

  /**
   * Whether the innermost frame of ours is the one that called the handler; or would be, if the
   * handler did not wait for the answer to a call where it can be neither unmounted nor ended. Of
   * that wait nothing is left to do but to read the answer.
   */
  private static boolean isInHandlerCode(StackTraceElement[] stack) {
    boolean waits = false;
    for (int i = 0; i < stack.length; i++) {
      String type = stack[i].getClassName();
      if (!type.startsWith("io.turnwise.internal.")) continue;
      String method = stack[i].getMethodName();
      if (type.equals(YIELDS) && method.equals("letOthersRun")) continue;
      if (type.equals(WAITS) && method.equals("await")
          || type.equals(WAITS_ON_THREAD) && method.equals("awaitOnThread")) {
        waits = true;
      } else if (!waits || !CALL_OF_A_HANDLER.contains(type)) {
        return i > 0 && type.equals(CALLS_HANDLERS) && CALL_HANDLERS.contains(method);
      }
    }
    return stack.length >= DEEP;
  }

  /**
   * Of a stack as deep as that the JDK tells the innermost frames only, a thousand or so. If none
   * of these is ours, all of them are the handler's: no code of ours calls others so deep, and a
   * thread that has not come to ours yet has a few frames.
   */
  private static final int DEEP = 100;

  private static final String YIELDS = "io.turnwise.internal.scheduler.Seat";

  private static final String WAITS = "io.turnwise.internal.scheduler.Fiber";

  private static final String WAITS_ON_THREAD = "io.turnwise.internal.cell.BlockingCall";

  private static final Set<String> CALL_OF_A_HANDLER =
      Set.of(WAITS_ON_THREAD, "io.turnwise.internal.cell.Address");

  private static final Set<String> CALL_HANDLERS =
      Set.of("turn", "turns", "receiveWatched", "open", "start", "inform", "tearDown");

  private static final String CALLS_HANDLERS = "io.turnwise.internal.cell.ActorCell";

  /** The actor of the handler that is suspended here goes on without it. While that is held. */
  final void abandonTurn() {
    abandonment = TAKEN;
  }

  /** Begins a region in which the handler is not cancelled. Returns false inside another one. */
  public final boolean mask(long nanos) {
    if (maskedUntil != 0) return false;
    maskNanos = nanos;
    marked = true;
    maskedUntil = Math.max(1, tick.nanoTime() + nanos);
    return true;
  }

  /** Ends it. One that was too long for its limit is counted, and its task is told. */
  public final void unmask() {
    long until = maskedUntil;
    if (until == 0) return;
    maskedUntil = 0;
    long over = tick.nanoTime() - until;
    Task held = task;
    if (over < 0 || held == null) return;
    counters.masksOverrun++;
    held.maskOverran(maskNanos + over, maskNanos);
  }

  /** Whether the handler is in such a region, and that has not lasted too long. */
  public final boolean isMasked() {
    long until = maskedUntil;
    return until != 0 && tick.nanoTime() - until < 0;
  }

  /** Whether a poll here has anything to do. */
  boolean isToStop() {
    return isToEnd();
  }

  /** Whether the turn in hand is to end, or has been left behind. */
  final boolean isToEnd() {
    Task held = task;
    return isAbandoned() || (held != null && held.isCancelDue(this));
  }

  /**
   * Counts polls before calls in a turn that is to end. So many of them, and none in a loop: there
   * is no other place to end it.
   */
  final boolean hasPassedManyCalls() {
    marked = true;
    return ++callsPassed > MANY_CALLS;
  }

  private static final int MANY_CALLS = 20_000;
  private int callsPassed;

  /**
   * Whether a poll in a turn that is to end must not end it: a collection is being put in order
   * below, and would lose elements. That takes microseconds to find out, and where it is so, a
   * comparator is going to poll very often: the next polls of its kind do not look.
   *
   * @param atCall of calls and of loops by themselves: those of a loop around a sort are to be seen
   */
  final boolean wouldLoseElements(boolean atCall) {
    int spared = atCall ? callsSpared : loopsSpared;
    boolean would = spared > 0 || JdkCallers.arePuttingInOrder();
    if (!would) return false;
    marked = true;
    spared = spared > 0 ? spared - 1 : SPARED;
    if (atCall) callsSpared = spared;
    else loopsSpared = spared;
    return true;
  }

  private static final int SPARED = 64;
  private int callsSpared;
  private int loopsSpared;

  /**
   * Whether a poll before a call is to look for a recursion: one of about eight, as that takes
   * microseconds. Not every eighth: in a round of calls that could always be the same one, and it
   * the wrong one.
   */
  final boolean mayWalk() {
    if (--pollsToWalk > 0) return false;
    dice = dice * 0x343FD + 0x269EC3;
    pollsToWalk = dice >>> 28;
    return true;
  }

  private int pollsToWalk;
  private int dice;

  /** Ends the turn in hand if that was asked for. On its own thread, in a wait of ours. */
  public final void cancelIfDue() {
    Task held = task;
    if (held != null && held.isCancelDue(this) && Preemption.mayThrowHere()) held.cancel(this);
  }

  /**
   * Lets go of the turn for good, for a handler that does not end. On its own thread, which may
   * have been interrupted on the way here: while that shows, it does not park.
   */
  public void abandonHere() {
    for (; ; ) {
      LockSupport.park(ParkReason.ABANDONED);
      Thread.interrupted();
    }
  }

  final boolean isInHandler() {
    return inHandler;
  }

  /** Whether what the slice uses is measured. The ticking thread asks as well. */
  final boolean isTimed() {
    return timed;
  }

  /** When the slice began, if that was measured. */
  final long startedAt() {
    return startedAt;
  }

  /** Begins a slice. */
  final void begin(Task task) {
    goOn(task);
    turnTick = startedTick;
  }

  /** Goes on with a slice after a suspension. */
  final void goOn(Task task) {
    counters.slices++;
    startedTick = tick.now();
    if (startedTick != task.sinceTick) noteWait(task);
    task.sinceTick = startedTick;
    timed = false;
    done = 0;
    nextCheck = task.brief ? BRIEF_MESSAGES : 1;
    sends = 0;
    sentTo = NOBODY;
  }

  /** It was queued at another tick: seldom. */
  private void noteWait(Task task) {
    int ticks = startedTick - tick.sinceResumed(task.sinceTick);
    if (ticks <= 0) return;
    task.waited(ticks);
    counters.waitedTicks += ticks;
  }

  /** Begins a slice that is measured from its start. Where the coarse clock may stand still. */
  final void beginMeasured(Task task) {
    counters.slices++;
    startedTick = tick.fresh();
    turnTick = startedTick;
    task.waited(startedTick - task.sinceTick);
    task.sinceTick = startedTick;
    sends = 0;
    sentTo = NOBODY;
    time(task);
  }

  /** It was charged because it might have ended, and goes on. */
  public void goesOn(Task task) {}

  /**
   * Between two messages of a slice: it is worth timing from here; of a task whose slices were
   * brief so far, only once it has had many, or the tick has changed.
   */
  public final void beginTiming(Task task) {
    if (timed) return;
    int now = tick.now();
    if (++done < nextCheck && now == turnTick) return;
    turnTick = now;
    time(task);
  }

  /**
   * Between two messages of a slice: whether {@link #isOver} and {@link #beginTiming} would let it
   * go on and read no clock. If not, they are to be asked.
   */
  public final boolean mayGoOn() {
    if (done + 1 >= nextCheck || tick.now() != turnTick) return false;
    done++;
    return true;
  }

  /** Measures what the slice uses from here. */
  final void time(Task task) {
    timed = true;
    done = 0;
    nextCheck = task.brief ? BRIEF_MESSAGES : 1;
    startedAt = tick.nanoTime();
    // Brief tasks run on without credit: a slice that was picked is worth its picking.
    credit = Math.max(MIN_SLICE_NANOS, Math.min(task.credit, task.quantum()));
  }

  /** Before or after a turn that is not a message's: these are not counted by {@link #isOver}. */
  public final void beginTurn() {
    turnTick = tick.now();
  }

  /** The tick at which the turn in hand began, to the tick. Any thread; a look, no more. */
  public final int turnTick() {
    return turnTick;
  }

  /** After each message: whether the slice must end although there is more to do. */
  public final boolean isOver() {
    if (!timed || (++done < nextCheck && tick.now() == turnTick)) return false;
    int elapsed = (int) Math.min(Integer.MAX_VALUE, tick.nanoTime() - startedAt);
    if (elapsed >= credit) return true;
    if (elapsed >= MIN_SLICE_NANOS && othersWait()) return true;
    int each = Math.max(1, elapsed / done);
    int step = Math.max(1, Math.min(CHECK_MESSAGES, CHECK_NANOS / each));
    nextCheck = done + Math.min(done, step);
    turnTick = tick.now();
    return false;
  }

  /** A message is about to be sent from this seat's slice. */
  public final void sends(Task receiver) {
    // Most slices send once: to whom is asked from the second on.
    if (++sends > 1 && receiver != task && receiver.home != sentTo) sendsElsewhere(receiver);
  }

  /** The first that counts, or another than before. */
  private void sendsElsewhere(Task receiver) {
    sentTo = sentTo == NOBODY && isHere(receiver) ? receiver.home : SEVERAL;
  }

  /** Whether the workers of this slice run that task as well. */
  boolean isHere(Task receiver) {
    return false;
  }

  /** Messages sent since the slice began. */
  public final int sends() {
    return sends;
  }

  /** Whether this slice does little but send. */
  final boolean isStreaming() {
    return sends >= MANY_SENDS;
  }

  /** The same, or the last one did. */
  final boolean isInStream() {
    Task held = task;
    return isStreaming() || (held != null && held.streams);
  }

  /** The worker that ran all receivers of this slice, or negative: there is no such one. */
  final int sentTo() {
    return sentTo;
  }

  /** Whether to wait a moment for the next message of a stream is better than to go idle. */
  public boolean mayLinger() {
    return false;
  }

  /** Whether an actor with credit waits for this thread. */
  protected boolean othersWait() {
    return false;
  }

  /** Charges what was used since the last charge, before the task leaves this thread's hands. */
  public final void charge(Task task) {
    if (timed) {
      long now = tick.nanoTime();
      int used = (int) Math.min(Integer.MAX_VALUE, now - startedAt);
      task.brief = used < BRIEF_NANOS;
      Account account = task.brief ? task.accountIfAny() : task.accountIfPossible();
      if (account != null) account.ranNanos += now - startedAt;
      book(task, used);
      startedAt = now;
    } else {
      int now = tick.now();
      int ticks = now - startedTick; // may be -1: who wakes the ticker moves the clock as well
      task.brief = ticks <= 0;
      if (task.brief) return;
      book(task, (int) Math.min(Integer.MAX_VALUE, guess((long) ticks * tick.length())));
      startedTick = now;
    }
  }

  /**
   * What a slice has used that was not measured, and in which that much time passed by the tick.
   */
  long guess(long byTicks) {
    return byTicks;
  }

  /** How a worker books it; platform threads of other backends have no credit to keep. */
  protected void book(Task task, int used) {}

  /**
   * The turn in hand has failed, or left something that cannot be taken away: a lock, say, that
   * whoever runs on this thread later would enter as its owner. No other turn is to run here, save
   * the actor's last one. On this thread.
   */
  public void spoil() {
    spoiled = true;
  }

  public final boolean isSpoiled() {
    return spoiled;
  }

  /** For a thread that one actor has for itself: to the others it cannot leave anything. */
  final void unspoil() {
    spoiled = false;
  }

  private boolean spoiled;

  /** Ends what a turn may have left on the thread. On that thread, after each turn. */
  public void scrub() {
    Thread.interrupted();
  }
}
