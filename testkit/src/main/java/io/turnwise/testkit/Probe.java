package io.turnwise.testkit;

import io.turnwise.ActorRef;
import io.turnwise.Call;
import io.turnwise.CalleeFailedException;
import io.turnwise.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An actor whose mailbox the test reads. Hand {@link #ref} to the actors under test in place of the
 * one they would talk to; then expect what they send, in its order, and answer what they ask.
 *
 * {@snippet file="io/turnwise/testkit/ExamplesTest.java" region="probe"}
 *
 * <p>Each expectation looks at the oldest message that was not looked at yet, and fails, leaving it
 * where it is, if that is another one. If there is none, it waits: on virtual time it runs what can
 * run now and lets no time pass; on threads it waits for up to three seconds. {@link #within} says
 * otherwise.
 *
 * @param <M> the messages of the actor that it stands in for
 */
public final class Probe<M> {
  private final Testkit kit;
  private final Inbox<M> inbox;
  private final ActorRef<M> ref;
  private final @Nullable Duration patience;

  Probe(Testkit kit, Inbox<M> inbox, ActorRef<M> ref, @Nullable Duration patience) {
    this.kit = kit;
    this.inbox = inbox;
    this.ref = ref;
    this.patience = patience;
  }

  /** Its address. */
  public ActorRef<M> ref() {
    return ref;
  }

  /**
   * The same probe, patient for so long: {@code probe.within(ofSeconds(3)).expect(new Retry())}. On
   * virtual time that is the time it lets pass at most, from deadline to deadline.
   */
  public Probe<M> within(Duration time) {
    Testkit.nanos(time);
    return new Probe<>(kit, inbox, ref, time);
  }

  // ---- expecting -----------------------------------------------------------------------------

  /** The next message, whatever it is. */
  public M receive() {
    return next("a message", _ -> true);
  }

  /** The next message equals this one. Returns the one that came, for {@link #reply}. */
  @SuppressWarnings("unchecked") // it equals one of that type; if it is of another, that is a lie
  public <T extends M> T expect(T message) {
    Objects.requireNonNull(message, "the message to expect is null; expectNothing expects nothing");
    return (T) next(Words.message(message), message::equals);
  }

  /** The next message is of this type. */
  public <T extends M> T expect(Class<T> type) {
    return type.cast(next(Words.one(type), type::isInstance));
  }

  /** The next message is one that the test describes: {@code "an order over 100"}. */
  public M expectWhere(Predicate<? super M> matches, String description) {
    return next(description, matches);
  }

  /** The next messages equal these, in any order. */
  @SafeVarargs
  @SuppressWarnings("varargs") // the array is only read
  public final List<M> expectInAnyOrder(M... messages) {
    List<M> missing = new ArrayList<>(List.of(messages));
    List<M> found = new ArrayList<>();
    while (!missing.isEmpty()) {
      String words = missing.size() == 1 ? Words.message(missing.getFirst()) : "one of " + missing;
      M next = next(words, missing::contains);
      missing.remove(next);
      found.add(next);
    }
    return found;
  }

  private M next(String words, Predicate<? super M> matches) {
    if (!kit.waitUntil(() -> inbox.first() != null, patience)) throw nothingCame(words);
    M message = inbox.first();
    if (message == null) throw nothingCame(words);
    if (!matches.test(message)) throw anotherCame(words, message);
    inbox.read(message);
    return message;
  }

  /**
   * No message is there that was not looked at, once all that can run has run: every actor waits,
   * be it in the middle of a turn. With {@link #within}, none comes until that time has passed.
   */
  public void expectNothing() {
    if (patience == null) kit.awaitStill();
    else kit.waitUntil(() -> inbox.first() != null, patience);
    M message = inbox.first();
    if (message == null) return;
    throw failure("expected nothing, and got " + Words.message(message));
  }

  private AssertionError nothingCame(String words) {
    String alive = kit.system.find(ref.path()).isPresent() ? "" : "; the probe has stopped";
    return new AssertionError(
        failure("expected " + words + ", and nothing came" + alive).getMessage()
            + Words.underWay(kit.system));
  }

  private AssertionError anotherCame(String words, M message) {
    return failure("expected " + words + ", and got " + Words.message(message));
  }

  private AssertionError failure(String what) {
    return new AssertionError(
        "Probe "
            + ref.path()
            + " "
            + what
            + "."
            + kit.where(patience)
            + Words.list("received", inbox.received(), Words::message));
  }

  // ---- ignoring ------------------------------------------------------------------------------

  /**
   * Messages of this type are not to be looked at, neither those to come nor those that are there.
   * A call that is ignored fails, as one that an actor handles and does not answer.
   */
  public Probe<M> ignore(Class<? extends M> type) {
    return ignoreWhere(type::isInstance);
  }

  /** The same for messages that the test describes. */
  public Probe<M> ignoreWhere(Predicate<? super M> matches) {
    inbox.ignore(matches);
    return this;
  }

  /** Every message that came so far, oldest first: looked at, ignored and answered ones as well. */
  public List<M> received() {
    return inbox.received();
  }

  // ---- answering -----------------------------------------------------------------------------

  /**
   * Calls of this type are answered as soon as they come, and need not be expected: {@code
   * probe.answer(Price.class, price -> 3)}. If the function throws, the caller gets a {@link
   * CalleeFailedException}. The newest rule for a type counts.
   */
  public <R extends @Nullable Object, C extends Call<M, R>> Probe<M> answer(
      Class<C> request, Function<? super C, ? extends R> reply) {
    inbox.answer(request, call -> reply.apply(request.cast(call)));
    return this;
  }

  /**
   * Answers a call that was expected before: {@code probe.reply(probe.expect(Price.class), 3)}.
   * Returns false when its caller no longer waits.
   */
  public <R> boolean reply(Call<M, R> call, R value) {
    return open(call).send(value);
  }

  /**
   * Fails a call that was expected before: its caller gets a {@link CalleeFailedException}. Returns
   * false when its caller no longer waits.
   */
  public boolean fail(Call<M, ?> call, Throwable cause) {
    return open(call).fail(cause);
  }

  private Reply<Object> open(Call<?, ?> call) {
    Reply<Object> reply = inbox.takeOpen(call);
    if (reply != null) return reply;
    throw new AssertionError(
        "Probe "
            + ref.path()
            + " has no open call "
            + Words.message(call)
            + ": it did not come, was answered before, or is another object that equals it."
            + Words.list("open", inbox.unanswered(), Words::message));
  }

  List<Object> unanswered() {
    return inbox.unanswered();
  }

  /**
   * From now on each message also goes to this actor, which then answers the calls: the probe
   * listens in. Rules to ignore or to answer come first.
   */
  public Probe<M> forwardTo(ActorRef<M> target) {
    inbox.forwardTo(Objects.requireNonNull(target, "forwardTo: the target is null"));
    return this;
  }

  @Override
  public String toString() {
    return "Probe " + ref.path();
  }
}
