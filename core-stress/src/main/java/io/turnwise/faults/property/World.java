package io.turnwise.faults.property;

import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.Context;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Broken;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.mailbox.Priority;
import io.turnwise.observation.DeadLetter;
import io.turnwise.observation.DeadLetterReason;
import io.turnwise.observation.SystemSnapshot;
import io.turnwise.scheduling.Backend;
import io.turnwise.scheduling.Placement;
import io.turnwise.scheduling.SchedulingConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A small random world, made from a seed: actors of every kind of mailbox, backend and placement,
 * threads that send to them, and handlers that send on, call, block, stash, spawn, stop and crash.
 *
 * <p>The law: every message that a send accepted is handled once, in order per sender and lane, or
 * is a counted dead letter; a message whose send threw is never seen; and the runtime's counters
 * say the same as ours. A seed fixes the world and the dice of every message, not the interleaving:
 * a failing seed may have to be run a few times.
 */
final class World {
  private static final Duration CLOSE = Duration.ofSeconds(120);
  private static final int HANG_SECONDS = 60;

  /** Enough that there are always some who live. */
  private static final int SPAWNS = 200;

  private static final int MESSAGES_A_SPAWN = 50;

  final Books books = new Books();
  final LongAdder signals = new LongAdder();

  /** As the actors counted them in plain fields. */
  final LongAdder turns = new LongAdder();

  final Mood mood;

  private final SplittableRandom random;
  private final ActorSystem system;
  private final AtomicReferenceArray<Sender.Address> slots;
  private final AtomicInteger names = new AtomicInteger();
  private final AtomicInteger senders = new AtomicInteger();
  private final AtomicLong budget;
  private final AtomicInteger spawnsLeft;
  private final LongAdder spawned = new LongAdder();
  private final LongAdder born = new LongAdder();
  private final LongAdder gone = new LongAdder();
  private final LongAdder shown = new LongAdder();

  /** Threads and callbacks that are still to come. */
  final AtomicInteger strangers = new AtomicInteger();

  private final ReentrantLock lock = new ReentrantLock();
  private final Object monitor = new Object();
  private final int messages;
  private final boolean keepsAll;
  private final ConcurrentLinkedQueue<Note> all = new ConcurrentLinkedQueue<>();

  /**
   * @param messages about how many are sent
   * @param workers of the default dispatcher
   * @param keepsAll whether to remember each message, to check the fate of each by name
   */
  World(long seed, int messages, int workers, boolean calm, boolean keepsAll) {
    this.random = new SplittableRandom(seed);
    this.messages = messages;
    this.keepsAll = keepsAll;
    this.mood = calm ? Mood.calm() : Mood.any(random);
    this.budget = new AtomicLong(messages);
    this.spawnsLeft = new AtomicInteger(SPAWNS + messages / MESSAGES_A_SPAWN);
    int throughput = List.of(1, 5, 100).get(random.nextInt(3));
    this.system =
        ActorSystem.open(
            "world-" + seed,
            c ->
                c.withWorkers(workers)
                    .withThroughput(throughput)
                    .withCallTimeout(Duration.ofMillis(20))
                    .withCloseOnShutdown(false));
    this.slots = new AtomicReferenceArray<>(2 + random.nextInt(12));
  }

  /** Lives through it, or throws. */
  void run() throws InterruptedException {
    system.onDeadLetter(this::dead); // until the end
    try {
      for (int i = 0; i < slots.length(); i++) spawnInto(i, random.split());
      List<Thread> threads = startSenders();
      boolean closeEarly = random.nextInt(4) == 0;
      disturb(random.split(), threads);
      if (closeEarly) {
        awaitShare(random.split());
      } else {
        join(threads);
        books.awaitQuiet(system, HANG_SECONDS);
      }
      if (!system.close(CLOSE).complete())
        throw new Broken("actors were left at close: " + system.dump());
      join(threads);
      awaitStrangers();
    } finally {
      system.close(Duration.ofMillis(1));
    }
    audit();
  }

  private List<Thread> startSenders() {
    List<Thread> threads = new ArrayList<>();
    int count = 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      SplittableRandom own = random.split();
      int share = Math.max(1, messages / 4 / count);
      threads.add(
          Thread.ofPlatform()
              .daemon()
              .name("sender-" + i)
              .start(() -> sendFromOutside(own, share)));
    }
    return threads;
  }

  private void sendFromOutside(SplittableRandom own, int share) {
    var sender = new Sender(this);
    for (int i = 0; i < share; i++) {
      if (own.nextInt(500) == 0) sender.call(own, 2);
      else sender.castAnywhere(own, own.nextInt(8));
    }
  }

  private void join(List<Thread> threads) throws InterruptedException {
    for (Thread thread : threads)
      if (!thread.join(Duration.ofSeconds(HANG_SECONDS))) {
        var stack = new StringBuilder();
        for (StackTraceElement frame : thread.getStackTrace())
          stack.append("\n  at ").append(frame);
        throw new Broken(thread.getName() + " hangs" + stack + "\n" + system.dump());
      }
  }

  /** Looks at the system, and changes the number of workers, while it runs. */
  private void disturb(SplittableRandom own, List<Thread> senders) {
    int times = own.nextInt(4);
    for (int i = 0; i < times && senders.stream().anyMatch(Thread::isAlive); i++) {
      LockSupport.parkNanos(own.nextInt(2_000_000));
      switch (own.nextInt(3)) {
        case 0 -> system.dispatcher().resize(1 + own.nextInt(4));
        case 1 -> system.dump();
        default -> system.snapshot();
      }
    }
  }

  /** Waits on the ledger until a random share of the messages is through, or all is quiet. */
  private void awaitShare(SplittableRandom own) {
    long share = own.nextLong(messages);
    long deadline = System.nanoTime() + HANG_SECONDS * 1_000_000_000L;
    while (books.handled.sum() < share && !(budgetGone() && books.isQuiet(system))) {
      if (System.nanoTime() - deadline > 0) break; // close tells what hangs
      LockSupport.parkNanos(100_000);
      if (own.nextInt(200) == 0) break;
    }
  }

  private boolean budgetGone() {
    return budget.get() <= 0;
  }

  private void awaitStrangers() {
    long deadline = System.nanoTime() + HANG_SECONDS * 1_000_000_000L;
    while (strangers.get() > 0) {
      if (System.nanoTime() - deadline > 0)
        throw new Broken(strangers + " threads or callbacks did not end after close");
      LockSupport.parkNanos(100_000);
    }
  }

  /** How many were sent to an actor that had ended. After it was lived through. */
  long tooLate() {
    return system.snapshot().deadLetters().getOrDefault(DeadLetterReason.RECIPIENT_STOPPED, 0L);
  }

  // ---- what citizens use ---------------------------------------------------------------------

  int newSender() {
    return senders.incrementAndGet();
  }

  boolean spend() {
    return budget.decrementAndGet() >= 0;
  }

  int size() {
    return slots.length();
  }

  Sender.Address anyone(SplittableRandom random) {
    return slots.get(random.nextInt(slots.length()));
  }

  void offer(Note note) {
    if (keepsAll) all.add(note);
    books.offered.increment();
  }

  void refuse(Note note, Sender.Address to, RuntimeException why) {
    books.refused.increment();
    if (to.policy() == null) books.violation("an unbounded mailbox refused: " + why);
    if (!note.move(Note.Fate.SENT, Note.Fate.REFUSED))
      books.violation("its send threw, and yet it was seen: " + note);
  }

  /** It drew itself: nobody else's call may end like this. */
  void refuseSelfCall(Note note, IllegalStateException why) {
    if (!String.valueOf(why.getMessage()).contains("[SELF-CALL]")) throw why;
    books.refused.increment();
    if (!note.move(Note.Fate.SENT, Note.Fate.REFUSED))
      books.violation("its call was refused, and yet it was seen: " + note);
  }

  /** Withdrawn, as far as its caller knows. Should it turn up after all, that is taken back. */
  void unsure(Note note) {
    if (note.move(Note.Fate.SENT, Note.Fate.UNSURE)) books.refused.increment();
  }

  /** Whether it had been booked as withdrawn. */
  boolean turnsUp(Note note, Note.Fate fate) {
    if (!note.move(Note.Fate.UNSURE, fate)) return false;
    books.refused.decrement();
    return true;
  }

  boolean keepsAll() {
    return keepsAll;
  }

  void answered(Note.Ask ask, @Nullable Long answer) {
    if (answer == null || answer != ask.number)
      books.violation(ask + " was answered " + answer + ", which is another one's answer");
  }

  void born() {
    born.increment();
  }

  void gone() {
    gone.increment();
  }

  void holdLock(long nanos) {
    lock.lock();
    try {
      LockSupport.parkNanos(nanos);
    } finally {
      lock.unlock();
    }
  }

  void holdMonitor(long nanos) {
    synchronized (monitor) {
      LockSupport.parkNanos(nanos);
    }
  }

  /** A virtual thread started by a handler runs on our workers, and sends as a plain thread. */
  void castFromVirtualThread(SplittableRandom own, int hops) {
    strangers.incrementAndGet();
    Thread.startVirtualThread(
        () -> {
          try {
            var sender = new Sender(this);
            sender.castAnywhere(own, hops);
            Thread.yield();
            sender.castAnywhere(own, hops);
          } finally {
            strangers.decrementAndGet();
          }
        });
  }

  // ---- spawning and stopping -----------------------------------------------------------------

  void spawnInto(int slot, SplittableRandom random) {
    if (slot < 0 || spawnsLeft.decrementAndGet() < 0) return;
    Shape shape = Shape.any(random);
    try {
      ActorRef<Note> ref =
          system.spawn(
              shape.name() + "-" + names.incrementAndGet(),
              shape.spec(() -> shape.citizen(this, slot)));
      spawned.increment();
      slots.set(slot, shape.address(ref));
    } catch (IllegalStateException closing) {
      if (!system.isClosed()) throw closing;
    }
  }

  Sender.@Nullable Address spawnChild(Context<Note> context, SplittableRandom random) {
    if (spawnsLeft.decrementAndGet() < 0) return null;
    Shape shape = Shape.any(random);
    ActorSpec<Note> spec = shape.spec(() -> shape.citizen(this, -1));
    ActorRef<Note> ref;
    try {
      ref = random.nextBoolean() ? context.spawn(spec) : context.spawn("twin", spec);
    } catch (IllegalArgumentException taken) {
      return null;
    }
    spawned.increment();
    return shape.address(ref);
  }

  void replace(int slot, SplittableRandom random) {
    ActorRef<Note> old = slots.get(slot).ref();
    spawnInto(slot, random);
    if (random.nextBoolean()) old.stop();
    else old.stopAfterDrain();
  }

  /** How an actor is to be made. */
  private record Shape(
      MailboxConfig mailbox,
      Backend backend,
      Placement placement,
      boolean looksAtTypes,
      @Nullable SchedulingConfig scheduling) {

    static Shape any(SplittableRandom random) {
      MailboxConfig mailbox =
          random.nextInt(5) < 3
              ? MailboxConfig.UNBOUNDED
              : MailboxConfig.bounded(
                  1 + random.nextInt(40),
                  OverflowPolicy.values()[random.nextInt(OverflowPolicy.values().length)]);
      Backend backend =
          switch (random.nextInt(12)) {
            case 0 -> Backend.BLOCKING;
            case 1 -> Backend.THREAD;
            default -> Backend.ASYNC;
          };
      Placement placement =
          switch (random.nextInt(6)) {
            case 0 -> Placement.pinnedTo(random.nextInt(4));
            case 1 -> Placement.groupedAs("group-" + random.nextInt(2));
            default -> Placement.ANYWHERE;
          };
      SchedulingConfig scheduling =
          random.nextInt(6) == 0
              ? new SchedulingConfig(1 + random.nextInt(10), Duration.ofNanos(100_000))
              : null;
      return new Shape(mailbox, backend, placement, random.nextInt(3) == 0, scheduling);
    }

    /** Seen in a dump of what went wrong. */
    String name() {
      return (mailbox.isBounded() ? mailbox.overflow() + "-" + mailbox.capacity() : "unbounded")
          + "-"
          + backend
          + (looksAtTypes ? "-types" : "")
          + switch (placement) {
            case Placement.Anywhere _ -> "";
            case Placement.Pinned(int worker) -> "-pinned" + worker;
            case Placement.Grouped(String group) -> "-" + group;
          };
    }

    ActorSpec<Note> spec(java.util.function.Supplier<Citizen> factory) {
      ActorSpec<Note> spec =
          ActorSpec.<Note>of(factory)
              .withMailbox(mailbox)
              .withBackend(backend)
              .withPlacement(placement);
      if (scheduling != null) spec = spec.withScheduling(scheduling);
      if (looksAtTypes)
        spec =
            spec.withPriority(Note.Urgent.class, Priority.HIGH)
                .withPriority(Note.Lazy.class, Priority.LOW);
      return spec;
    }

    Citizen citizen(World world, int slot) {
      return new Citizen(world, slot, mailbox.isBounded(), backend);
    }

    Sender.Address address(ActorRef<Note> ref) {
      return new Sender.Address(ref, mailbox.isBounded() ? mailbox.overflow() : null, looksAtTypes);
    }
  }

  // ---- the end -------------------------------------------------------------------------------

  private void dead(DeadLetter letter) {
    shown.increment();
    if (!(letter.message() instanceof Note note)) {
      books.violation("a dead letter that nobody sent: " + letter);
      return;
    }
    if (!note.move(Note.Fate.SENT, Note.Fate.DEAD)
        && !note.move(Note.Fate.STASHED, Note.Fate.DEAD)
        && !turnsUp(note, Note.Fate.DEAD))
      books.violation("a dead letter that has another fate: " + note);
  }

  /** After close: nothing moves any more, and all must add up. */
  private void audit() {
    SystemSnapshot runtime = system.snapshot();
    if (keepsAll) auditEach(runtime);
    books.check(runtime, 0);
    if (runtime.signalsHandled() != signals.sum())
      throw new Broken("signals: runtime " + runtime.signalsHandled() + ", books " + signals);
    if (runtime.actorsSpawned() != spawned.sum() || runtime.actorsLive() != 0)
      throw new Broken("spawned " + spawned + ", runtime: " + runtime);
    if (born.sum() != gone.sum()) throw new Broken("born " + born + ", torn down " + gone);
    if (turns.sum() != books.handled.sum() + books.failed.sum())
      throw new Broken("actors counted " + turns + " turns of their own, " + books);
    if (runtime.deadLetters().getOrDefault(DeadLetterReason.WRONG_TYPE, 0L) != 0)
      throw new Broken("messages of a wrong type: " + runtime.deadLetters());
  }

  /**
   * By name: who has no fate must be among the dead letters that the listener was not shown. The
   * listener may still be at it.
   */
  private void auditEach(SystemSnapshot runtime) {
    long deadline = System.nanoTime() + 120_000_000_000L;
    String problem;
    while ((problem = fatesMissing(runtime)) != null) {
      if (System.nanoTime() - deadline > 0) throw new Broken(problem);
      LockSupport.parkNanos(1_000_000);
    }
  }

  private @Nullable String fatesMissing(SystemSnapshot runtime) {
    long silent = 0;
    Note one = null;
    for (Note note : all) {
      switch (note.fate()) {
        case HANDLED, FAILED, DEAD, REFUSED, UNSURE -> {}
        case SENT, STASHED -> {
          silent++;
          one = note;
        }
        case IN_HAND -> throw new Broken("still in hand after close: " + note);
      }
    }
    long notShown = runtime.deadLettersTotal() - shown.sum();
    return silent == notShown
        ? null
        : silent + " messages without a fate, such as " + one + "; letters not shown " + notShown;
  }
}
