package io.turnwise.internal.cell;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.Context;
import io.turnwise.Reply;
import io.turnwise.StopReason;
import io.turnwise.internal.scheduler.Seat;
import io.turnwise.internal.supervisor.Child;
import io.turnwise.internal.supervisor.Nursery;
import io.turnwise.internal.supervisor.SupervisorLoop;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.ChildState;
import io.turnwise.supervision.ChildStatus;
import io.turnwise.supervision.PendingRestart;
import io.turnwise.supervision.SupervisorRequest;
import io.turnwise.supervision.SupervisorSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A supervisor as an actor: brings what its children have come to before the {@link
 * SupervisorLoop}, and the orders of that to the children. Orders and news travel in the system
 * lanes, so that neither waits behind messages, and nothing here blocks.
 *
 * <p>Order and news of one child cannot pass each other: each is put into the other's lane by one
 * owner after another and taken out in order. So a child that is told to start has been told all
 * before, and news of an earlier life is heard before news of a later one.
 */
final class Household implements Actor<SupervisorRequest>, Nursery {
  private final ActorCell<SupervisorRequest> cell;
  private final SupervisorSpec spec;
  private final SupervisorLoop loop;
  private final SplittableRandom random;
  private final List<Reply<Boolean>> waitingForUp = new ArrayList<>();
  private final Map<Child, List<Reply<Boolean>>> waitingForEnd = new HashMap<>();

  /** As many as a slice holds messages, by default. */
  private static final int STEPS = 100;

  /** Steps of this event since others could run last. */
  private int steps;

  private @Nullable Throwable failure;

  /**
   * An error has ended an event in the middle: memory was missing, as a rule. What the rules have
   * noted by then may not be what the children were told, so they are not asked any more.
   */
  private boolean broken;

  /** That all are to end, since it is broken. */
  private boolean allTold;

  private boolean finished;
  private boolean hurried;
  private boolean killed;
  private boolean strangersTold;

  Household(ActorCell<SupervisorRequest> cell, SupervisorSpec spec) {
    this.cell = cell;
    this.spec = spec;
    this.loop = new SupervisorLoop(spec, this);
    this.random = cell.kind.system.newRandom();
  }

  // ---- turns -----------------------------------------------------------------------------------

  @Override
  public void init(Context<SupervisorRequest> context) {
    try {
      begin();
    } catch (Error e) {
      broken = true;
      throw e;
    }
  }

  private void begin() {
    loop.startAll();
    if (isFirstLife()) return;
    // Whoever an earlier life of this supervisor had and this one does not know is nobody's child.
    for (ActorCell<?> left : cell.childCells()) {
      Supervised own = left.supervised();
      breathe();
      if (own != null && own.child.body() == left && isMine(own.child)) continue;
      left.order(Notice.Order.END, null);
    }
  }

  private boolean isMine(Child child) {
    return loop.has(child);
  }

  /** Nobody is left of an earlier one. */
  private boolean isFirstLife() {
    return cell.incarnation() <= 1;
  }

  @Override
  public void receive(SupervisorRequest request, Context<SupervisorRequest> context) {
    try {
      answer(request, context);
    } catch (Error e) {
      broken = true;
      throw e;
    }
  }

  private void answer(SupervisorRequest request, Context<SupervisorRequest> context) {
    steps = 0;
    switch (request) {
      case SupervisorRequest.Find find ->
          context.reply(find, Optional.ofNullable(loop.child(find.name())).map(Household::refOf));
      case SupervisorRequest.Start start -> start(start, context);
      case SupervisorRequest.Restart restart -> restart(restart, context);
      case SupervisorRequest.Renew renew -> {
        Child child = childOf(renew.child());
        boolean live =
            child != null
                && child.state() != ChildState.ENDING
                && child.state() != ChildState.ENDED;
        if (live) loop.restart(Objects.requireNonNull(child));
        context.reply(renew, live);
      }
      case SupervisorRequest.Stop stop -> {
        Child child = childOf(stop.child());
        if (child == null || !loop.stop(child, stop.forget())) context.reply(stop, false);
        else waitingForEnd.computeIfAbsent(child, _ -> new ArrayList<>()).add(context.defer(stop));
      }
      case SupervisorRequest.CancelRestarts cancel -> {
        Child child = childOf(cancel.child());
        context.reply(cancel, child == null ? 0 : loop.cancelRestarts(child));
      }
      case SupervisorRequest.Children all ->
          context.reply(all, loop.children().stream().map(Household::status).toList());
      case SupervisorRequest.Pending pending -> context.reply(pending, pendingRestarts());
      case SupervisorRequest.AwaitUp await -> waitingForUp.add(context.defer(await));
    }
    afterEvent();
  }

  private void start(SupervisorRequest.Start start, Context<SupervisorRequest> context) {
    Child added;
    try {
      added = loop.add(start.spec());
    } catch (IllegalArgumentException | NullPointerException | IllegalStateException e) {
      context.fail(start, e);
      return;
    }
    context.reply(start, refOf(added));
  }

  private void restart(SupervisorRequest.Restart restart, Context<SupervisorRequest> context) {
    Child child = loop.child(restart.name());
    if (child == null) {
      context.fail(
          restart,
          new IllegalArgumentException(
              "Supervisor " + cell.path() + " has no child '" + restart.name() + "'. [NO-CHILD]"));
      return;
    }
    if (child.state() == ChildState.ENDING) {
      context.fail(
          restart,
          new IllegalStateException(
              "Child '"
                  + restart.name()
                  + "' of "
                  + cell.path()
                  + " is about to end. [CHILD-ENDING]\n"
                  + "  next:  wait for its end, which Supervisor.stop does, and restart it then"));
      return;
    }
    try {
      loop.restart(child);
    } catch (IllegalArgumentException | IllegalStateException e) {
      context.fail(restart, e);
      return;
    }
    context.reply(restart, refOf(child));
  }

  private @Nullable Child childOf(ActorRef<?> actor) {
    Supervised own = actor instanceof ActorCell<?> child ? child.supervised() : null;
    return own != null && own.child.body() == actor && isMine(own.child) ? own.child : null;
  }

  private static ActorCell<?> cellOf(Child child) {
    return (ActorCell<?>) Objects.requireNonNull(child.body());
  }

  private static ActorRef<?> refOf(Child child) {
    return cellOf(child);
  }

  private static ChildStatus status(Child child) {
    int restarts = Math.max(0, supervised(child).starts - 1);
    return new ChildStatus(refOf(child), child.state(), restarts, child.lastReason());
  }

  private List<PendingRestart> pendingRestarts() {
    List<PendingRestart> all = new ArrayList<>();
    long now = nanoTime();
    for (Child child : loop.children())
      if (child.state() == ChildState.WAITING && child.wasStarted()
          || child.state() == ChildState.STOPPING)
        all.add(
            new PendingRestart(
                refOf(child),
                Duration.ofNanos(child.isTimed() ? Math.max(0, child.dueAt() - now) : 0)));
    return all;
  }

  // ---- events ----------------------------------------------------------------------------------

  /**
   * An event that fails in the middle is not tried again, as other notices are: the rules may have
   * moved by then, so that a failure would count twice, or a start stay out. It fails the
   * supervisor, as a request would. To make room first costs little, and then that is seldom so:
   * while there is none, the event has not begun, and comes again.
   */
  void handle(Notice notice) {
    if (broken) {
      handleBroken(notice);
      return;
    }
    room = new byte[ROOM];
    room = null;
    try {
      if (notice instanceof Notice.OfChild news) hear(news);
      else if (notice instanceof Notice.Due due) hear(due);
    } catch (Error e) {
      broken = true;
      failure = e;
    }
  }

  /** What one event about a few children takes. */
  private static final int ROOM = 2_000;

  /** Volatile: else compiled code leaves out what nobody looks at. */
  private volatile byte @Nullable [] room;

  private void hear(Notice.OfChild news) {
    Child child = news.child().child;
    steps = 0;
    if (child.body() != news.child().cell || !isMine(child)) return;
    switch (news.event()) {
      case UP -> loop.up(child);
      case ASKS -> loop.asks(child, Objects.requireNonNull(news.reason()), news.resumable());
      case ASKS_WHILE_DOWN -> loop.asksWhileDown(child, Objects.requireNonNull(news.reason()));
      case DOWN -> loop.down(child, Objects.requireNonNull(news.reason()));
      case ENDED -> {
        loop.ended(child, Objects.requireNonNull(news.reason()));
        List<Reply<Boolean>> waiting = waitingForEnd.remove(child);
        if (waiting != null) waiting.forEach(reply -> reply.send(true));
      }
    }
    afterEvent();
  }

  private void hear(Notice.Due due) {
    steps = 0;
    if (!isMine(due.child())) return;
    supervised(due.child()).takeTimer(due.ticket());
    loop.due(due.child(), due.ticket());
    afterEvent();
  }

  private void afterEvent() {
    if (waitingForUp.isEmpty() || !loop.isUp()) return;
    waitingForUp.forEach(reply -> reply.send(true));
    waitingForUp.clear();
  }

  /** What it is to fail with. */
  @Nullable Throwable failure() {
    return failure;
  }

  /** Whether it is to stop in good order. */
  boolean isFinished() {
    return finished;
  }

  /**
   * Goes as far as it can.
   *
   * @return whether all children are down: ended, if it is for good
   */
  boolean stopAll(boolean forGood, boolean kill) {
    if (broken) return endAll(kill || hurried);
    try {
      return stopInOrder(forGood, kill);
    } catch (Error e) {
      broken = true;
      throw e; // this is tried again
    }
  }

  private boolean stopInOrder(boolean forGood, boolean kill) {
    boolean done = loop.stopAll(forGood);
    if ((kill || hurried) && !killed) {
      for (Child child : loop.children()) {
        if (child.state() != ChildState.WAITING && child.state() != ChildState.ENDED) kill(child);
        breathe();
      }
      killed = true;
    }
    return done && (!forGood || endStrangers());
  }

  /**
   * Ends those of an earlier life that this one has not come to know, because its start failed in
   * the middle. They are down, and stay so for the next life, unless there is none.
   *
   * @return whether nobody is left
   */
  private boolean endStrangers() {
    if (cell.children().isEmpty()) return true;
    if (!strangersTold) {
      strangersTold = true;
      for (ActorCell<?> left : cell.childCells()) left.order(Notice.Order.END, null);
    }
    return false;
  }

  /**
   * Without the rules: all children end, for good, at once and not in their order, each killed
   * after its deadline. Safe to be tried again from the start.
   *
   * @return whether nobody is left
   */
  private boolean endAll(boolean kill) {
    if (cell.children().isEmpty()) return true;
    if (!allTold) {
      for (ActorCell<?> left : cell.childCells()) {
        left.order(Notice.Order.END, null);
        Supervised own = left.supervised();
        if (own == null) continue;
        Duration deadline = own.spec.stopDeadline();
        if (deadline.isZero()) kill(left, own);
        else if (deadline.compareTo(ChildSpec.FOREVER) < 0)
          cell.kind.system.ticker.schedule(
              new SupervisionTimer(cell, own.child, deadline.toNanos(), WHILE_BROKEN));
      }
      allTold = true; // last, and what follows as well
    }
    if (kill && !killed) {
      for (ActorCell<?> left : cell.childCells()) {
        Supervised own = left.supervised();
        if (own != null) kill(left, own);
      }
      killed = true;
    }
    return false;
  }

  /** A ticket that the rules never give. */
  private static final int WHILE_BROKEN = -1;

  private void handleBroken(Notice notice) {
    if (notice instanceof Notice.Due(Child child, int ticket)
        && ticket == WHILE_BROKEN
        && child.body() instanceof ActorCell<?> late
        && late.supervised() instanceof Supervised own
        && own.child == child) kill(late, own);
  }

  /** Its children are not waited for: who is told to stop is killed. */
  void hurry() {
    hurried = true;
  }

  // ---- orders ----------------------------------------------------------------------------------

  @Override
  public void create(Child child) {
    String name = child.spec().name();
    ActorCell<?> there = name == null || isFirstLife() ? null : cell.child(name);
    Supervised own = there == null ? null : there.supervised();
    if (there != null && own != null && !own.forGood) { // from an earlier life, and down
      own.child = child;
      child.setBody(there);
    } else {
      try {
        child.setBody(cell.kind.system.adopt(cell, child.spec(), spec.poisonListener(), child));
      } catch (IllegalArgumentException e) { // its actor does not fit into this system
        throw new IllegalArgumentException(
            "ChildSpec "
                + (name == null ? "(without a name)" : "'" + name + "'")
                + ": actor: "
                + e.getMessage(),
            e);
      }
    }
  }

  private static void order(Child child, Notice.Order order, @Nullable StopReason reason) {
    cellOf(child).order(order, reason);
  }

  @Override
  public void start(Child child) {
    Supervised of = supervised(child);
    of.dueAt = 0;
    of.starts++;
    order(child, Notice.Order.START, null);
  }

  @Override
  public void resume(Child child) {
    order(child, Notice.Order.RESUME, null);
  }

  @Override
  public void takeDown(Child child, boolean toRestart) {
    supervised(child).dueAt = child.isTimed() ? child.dueAt() : 0;
    order(child, toRestart ? Notice.Order.RESTART : Notice.Order.TAKE_DOWN, null);
  }

  @Override
  public void end(Child child, @Nullable StopReason reason) {
    supervised(child).dueAt = 0;
    order(child, Notice.Order.END, reason);
  }

  @Override
  public void leaveOutEnd(Child child) {
    order(child, Notice.Order.AT_ONCE, null);
  }

  @Override
  public void kill(Child child) {
    kill(cellOf(child), supervised(child));
  }

  private void kill(ActorCell<?> child, Supervised of) {
    // The life that it was told to begin last, which it may not have heard of yet.
    Cancellation.kill(child, cell.path(), of.starts);
  }

  private static Supervised supervised(Child child) {
    return Objects.requireNonNull(cellOf(child).supervised());
  }

  @Override
  public void schedule(Child child, Duration delay, int ticket) {
    var timer = new SupervisionTimer(cell, child, Math.max(1, delay.toNanos()), ticket);
    supervised(child).add(timer);
    cell.kind.system.ticker.schedule(timer);
  }

  @Override
  public void unschedule(Child child, int ticket) {
    SupervisionTimer timer = supervised(child).takeTimer(ticket);
    if (timer != null) cell.kind.system.ticker.cancel(timer);
  }

  /**
   * One event may be about a hundred thousand children. It gives way now and then; its turn is not
   * over, and who calls it waits.
   */
  @Override
  public void breathe() {
    if (++steps < STEPS) return;
    steps = 0;
    Seat seat = Seat.current();
    if (seat != null) seat.giveWay();
  }

  @Override
  public void fail(RuntimeException cause) {
    failure = cause;
  }

  @Override
  public void finish() {
    finished = true;
  }

  @Override
  public long nanoTime() {
    return cell.kind.system.tick.nanoTime();
  }

  @Override
  public double chance() {
    return random.nextDouble();
  }
}
