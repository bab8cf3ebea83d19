package io.turnwise.faults.property;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.Context;
import io.turnwise.Reply;
import io.turnwise.Signal;
import io.turnwise.StopReason;
import io.turnwise.scheduling.Backend;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** An actor that does what the dice in each message say, and watches that it is treated right. */
final class Citizen implements Actor<Note> {
  private static final ThreadLocal<String> LEFT_ON_THREAD = new ThreadLocal<>();
  private static final int LONGEST_STASH = 20;

  private final World world;
  private final int slot;
  private final boolean bounded;

  /** With a thread of its own its thread-locals are its own business. */
  private final boolean ownsThread;

  private final Sender sender;

  /** The last number seen of each sender and lane. */
  private final Map<Long, Long> lastSeen = new HashMap<>();

  private final Set<ActorRef<?>> watching = new HashSet<>();
  private final List<ActorRef<Note>> children = new ArrayList<>();
  private final List<Deferred> deferred = new ArrayList<>();

  /** Plain on purpose: what one turn writes the next must see, on whatever thread. */
  private boolean inTurn;

  private long turns;

  /** What its handler threw last. */
  private @Nullable Throwable thrown;

  /** So many more are put aside before all come back. */
  private int stashLeft;

  private int stashed;

  /** So many of those that came back have not been seen again. */
  private int replayLeft;

  /** A call answered in a later turn. */
  private record Deferred(Reply<Long> reply, long number) {}

  Citizen(World world, int slot, boolean bounded, Backend backend) {
    this.world = world;
    this.slot = slot;
    this.bounded = bounded;
    this.ownsThread = backend == Backend.THREAD;
    this.sender = new Sender(world);
  }

  @Override
  public void init(Context<Note> context) {
    checkIsolation("init");
    world.born();
  }

  @Override
  public void receive(Note note, Context<Note> context) throws Exception {
    if (inTurn) world.books.violation("two turns at once, at " + note);
    inTurn = true;
    checkIsolation("receive");
    var random = new SplittableRandom(note.dice);
    begin(note);
    if (putAside(note, random, context)) {
      inTurn = false;
      return;
    }
    checkOrder(note);
    turns++;
    try {
      act(note, random, context);
    } catch (Throwable e) {
      end(note, Note.Fate.FAILED);
      inTurn = false;
      thrown = e;
      world.books.failed.increment();
      throw e;
    }
    end(note, Note.Fate.HANDLED);
    inTurn = false;
    world.books.handled.increment();
  }

  private void checkIsolation(String where) {
    if (Thread.currentThread().isInterrupted())
      world.books.violation("an interrupt leaked into " + where);
    if (LEFT_ON_THREAD.get() != null && !ownsThread)
      world.books.violation("a thread-local leaked into " + where);
    LEFT_ON_THREAD.remove();
  }

  private void begin(Note note) {
    if (!note.move(Note.Fate.SENT, Note.Fate.IN_HAND)
        && !note.move(Note.Fate.STASHED, Note.Fate.IN_HAND)
        && !world.turnsUp(note, Note.Fate.IN_HAND))
      world.books.violation("handled, but already fated: " + note);
  }

  private void end(Note note, Note.Fate fate) {
    if (!note.move(Note.Fate.IN_HAND, fate))
      world.books.violation("a second fate while in hand: " + note);
  }

  private void checkOrder(Note note) {
    long stream = note.sender * 4L + note.lane.ordinal();
    Long last = lastSeen.put(stream, note.number);
    if (last != null && last >= note.number)
      world.books.violation(note + " came after " + last + " in lane " + note.lane);
  }

  /**
   * A stash that keeps the order: everything is put aside until so many are there, then all come
   * back. Returns whether the message in hand is among them.
   */
  private boolean putAside(Note note, SplittableRandom random, Context<Note> context) {
    if (note instanceof Note.Answer) return false; // of a lane of its own
    if (replayLeft > 0) {
      replayLeft--;
      world.books.putAside.decrement();
      return false;
    }
    if (stashLeft == 0) {
      if (random.nextInt(1000) >= world.mood.stash()) return false;
      stashLeft = 1 + random.nextInt(LONGEST_STASH);
    }
    end(note, Note.Fate.STASHED);
    context.stash();
    stashed++;
    world.books.putAside.increment();
    if (--stashLeft == 0) {
      context.unstashAll();
      replayLeft = stashed;
      stashed = 0;
    }
    return true;
  }

  private void act(Note note, SplittableRandom random, Context<Note> context) throws Exception {
    if (note instanceof Note.Ask ask) answer(ask, random, context);
    if (note.hops > 0) {
      int copies = random.nextInt(3);
      for (int i = 0; i < copies; i++) sender.castAnywhere(random, note.hops - 1);
    }
    if (random.nextInt(1000) < world.mood.block()) block(note, random, context);
    if (random.nextInt(1000) < world.mood.grow()) family(random, context);
    if (random.nextInt(1000) < world.mood.die()) die(random, context);
  }

  private void answer(Note.Ask ask, SplittableRandom random, Context<Note> context) {
    switch (random.nextInt(8)) {
      case 0 -> {
        // No reply: the caller is told so.
      }
      case 1 -> context.fail(ask, new IllegalStateException("fails on purpose"));
      case 2 -> deferred.add(new Deferred(context.defer(ask), ask.number));
      case 3 -> {
        if (!sender.forward(context, ask, random)) context.reply(ask, ask.number);
      }
      default -> context.reply(ask, ask.number);
    }
    if (deferred.size() > 3) deferred.forEach(d -> d.reply.send(d.number));
    if (deferred.size() > 3) deferred.clear();
  }

  private void block(Note note, SplittableRandom random, Context<Note> context)
      throws InterruptedException {
    int hops = Math.max(0, note.hops - 1);
    switch (random.nextInt(11)) {
      case 0 -> sender.call(random, hops);
      case 1 -> sender.callAsync(random, hops);
      case 2 -> {
        if (!bounded) sender.callToSelf(context, random, hops);
      }
      case 3 -> LockSupport.parkNanos(random.nextInt(300_000));
      case 4 -> Thread.sleep(0, random.nextInt(500_000));
      case 5 -> world.holdLock(random.nextInt(100_000));
      case 6 -> world.holdMonitor(random.nextInt(100_000));
      case 7 -> Thread.yield();
      case 8 -> Thread.currentThread().interrupt();
      case 9 -> LEFT_ON_THREAD.set("left behind by " + note);
      default -> world.castFromVirtualThread(random.split(), hops);
    }
  }

  private void family(SplittableRandom random, Context<Note> context) {
    switch (random.nextInt(6)) {
      case 0, 1 -> {
        if (children.size() >= 3) children.removeFirst().stop();
        Sender.Address child = world.spawnChild(context, random);
        if (child == null) return;
        children.add(child.ref());
        for (int i = 0; i < 3; i++) sender.cast(child, random, 0);
      }
      case 2 -> {
        ActorRef<Note> other = world.anyone(random).ref();
        if (other == context.self() || !watching.add(other)) return;
        context.watch(other);
      }
      case 3 -> {
        if (watching.isEmpty()) return;
        ActorRef<?> other = watching.iterator().next();
        watching.remove(other);
        context.unwatch(other);
      }
      case 4 -> world.replace(random.nextInt(world.size()), random);
      default -> {
        if (!children.isEmpty()) children.removeFirst().stopAfterDrain();
      }
    }
  }

  private void die(SplittableRandom random, Context<Note> context) throws Exception {
    world.spawnInto(slot, random);
    switch (random.nextInt(6)) {
      case 0 -> context.stop();
      case 1 -> context.stopAfterDrain();
      case 2 -> throw new Exception("a checked one");
      case 3 -> throw new AssertionError("an error");
      case 4 -> overflow(0);
      default -> throw new IllegalStateException("crashes on purpose");
    }
  }

  @SuppressWarnings("InfiniteRecursion") // on purpose
  private static int overflow(int depth) {
    return overflow(depth + 1) + 1;
  }

  @Override
  public void info(Signal signal, Context<Note> context) {
    if (inTurn) world.books.violation("a signal in the middle of a turn");
    checkIsolation("info");
    switch (signal) {
      case Signal.Terminated gone -> {
        if (!watching.remove(gone.actor()))
          world.books.violation("a notice for who did not watch: " + gone);
      }
      case Signal.ChildCrashed _ -> {
        // Told without having asked.
      }
    }
    world.signals.increment();
  }

  @Override
  public void teardown(StopReason reason, Context<Note> context) {
    checkIsolation("teardown");
    if (reason instanceof StopReason.Crashed(Throwable cause) && cause != thrown)
      world.books.violation("crashed of what it did not throw: " + trace(cause));
    world.turns.add(turns);
    world.books.putAside.add(-stashed - replayLeft);
    world.gone();
  }

  private static String trace(Throwable cause) {
    var text = new StringWriter();
    cause.printStackTrace(new PrintWriter(text));
    return text.toString();
  }
}
