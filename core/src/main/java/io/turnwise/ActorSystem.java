package io.turnwise;

import io.turnwise.observation.CloseReport;
import io.turnwise.observation.DeadLetter;
import io.turnwise.observation.MailboxGrowth;
import io.turnwise.observation.SystemSnapshot;
import io.turnwise.time.TimerService;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * A tree of actors and the workers that run them. Several systems may live in one JVM. Each has its
 * own workers, timers, names and counters; what happens to actors of one does not happen to those
 * of another. They share what any two parts of a JVM do, its processors and its heap, and one flag:
 * while an actor of one is asked to give way, the polls in woven code of all look whether they are
 * meant.
 *
 * {@snippet file="CounterSnippet.java" region="counter"}
 */
public sealed interface ActorSystem extends AutoCloseable
    permits io.turnwise.internal.cell.LocalActorSystem {

  /** Opens a system with as many workers as the machine has processors. */
  static ActorSystem open(String name) {
    return open(name, UnaryOperator.identity());
  }

  /** Opens a system with settings of its own: {@code open("shop", c -> c.withWorkers(4))}. */
  static ActorSystem open(String name, UnaryOperator<SystemConfig> settings) {
    if (settings == null)
      throw new NullPointerException(
          "ActorSystem.open: the settings are null; leave them out, or change the given ones");
    return EngineLink.open(name, settings.apply(SystemConfig.DEFAULT));
  }

  /** The name it was opened with: the first part of every path. */
  String name();

  /** Starts an anonymous actor at the top of the tree. */
  <M> ActorRef<M> spawn(Supplier<? extends Actor<M>> factory);

  /**
   * Starts a named actor at the top of the tree; the name is unique among the living there.
   *
   * @throws IllegalArgumentException when the name is taken, or is none: 1 to 128 letters, digits
   *     or marks of {@code -_.~+=@:,}
   * @throws IllegalStateException when the system is closed; so do the other ways to spawn
   */
  <M> ActorRef<M> spawn(String name, Supplier<? extends Actor<M>> factory);

  /** Starts an anonymous actor as the spec says. */
  <M> ActorRef<M> spawn(ActorSpec<M> spec);

  /** Starts a named actor as the spec says. */
  <M> ActorRef<M> spawn(String name, ActorSpec<M> spec);

  /**
   * The living actor at a path such as {@code /shop/orders}, or {@code orders} for short; empty
   * where there is none. Anonymous actors cannot be found: their names are for people to read.
   */
  Optional<ActorRef<?>> find(String path);

  /**
   * Gives an actor a name that can be found without its path. It holds through restarts, and is
   * free again when the actor has ended for good, before its watchers are told. An actor may have
   * several.
   *
   * @throws IllegalArgumentException when another actor has that name
   * @throws IllegalStateException when the actor has ended
   */
  void register(String name, ActorRef<?> actor);

  /** Takes a registered name back. Returns whether anybody had it. */
  boolean unregister(String name);

  /** Who has this registered name. */
  Optional<ActorRef<?>> registered(String name);

  /** The dispatcher that runs actors whose spec names none. */
  Dispatcher dispatcher();

  /**
   * A dispatcher that the configuration named.
   *
   * @throws IllegalArgumentException when it named none such
   */
  Dispatcher dispatcher(String name);

  /** Callbacks at a later time. Actors have timers of their own: {@link Context#timers()}. */
  TimerService timers();

  /** Counters of the whole system. Exact once the system is quiet. */
  SystemSnapshot snapshot();

  /** The whole system as text: workers, counters, and the tree of actors with what each does. */
  String dump();

  /** The tree of actors as text: their states, how often they were restarted, and what is due. */
  String tree();

  /**
   * Hands each dead letter to a listener, one after another, on a thread of the system that no
   * actor uses. In a flood some letters may be counted without being shown. Close the result to
   * stop.
   *
   * @throws IllegalStateException when the system is closed
   */
  Registration onDeadLetter(Consumer<? super DeadLetter> listener);

  /**
   * Tells a listener of unbounded mailboxes that grow while the heap fills: of each that holds ten
   * thousand messages or more once two fifths of the heap are in use, and again when it holds four
   * times as many. On a thread of the system that no actor uses. Close the result to stop.
   *
   * @throws IllegalStateException when the system is closed
   */
  Registration onMailboxGrowth(Consumer<? super MailboxGrowth> listener);

  /**
   * Closes within the configured deadline (5 s unless configured); logs what was left undone. In an
   * actor of this system it returns at once, and the system closes behind it.
   */
  @Override
  void close();

  /**
   * Drains and stops the tree from the top: every actor handles what is queued and runs its
   * teardown, children first. After four fifths of the deadline, what is still queued is left:
   * everybody stops after the message in hand. What is not done at the deadline is counted in the
   * report, and killed. A second close waits for the end of the first, by that one's deadline, and
   * returns its report. Not for actors of this system, which would wait for their own end: they
   * call {@link #close()}.
   *
   * @throws IllegalStateException when an actor of this system calls it, or the first close failed
   */
  CloseReport close(Duration deadline);

  /** Done when the system is closed, whoever closed it; fails if the close did. */
  CompletionStage<CloseReport> whenClosed();

  /** Whether close has begun. */
  boolean isClosed();

  /** Something that can be taken back. */
  @FunctionalInterface
  interface Registration extends AutoCloseable {
    @Override
    void close();
  }
}
