package io.turnwise.testkit;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.Call;
import io.turnwise.Context;
import io.turnwise.Reply;
import io.turnwise.internal.cell.PendingCall;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The actor behind a probe. Its turns put messages in, the test takes them out; everything is
 * guarded by this object.
 */
final class Inbox<M> implements Actor<M> {
  private final Bell bell;
  private final List<M> received = new ArrayList<>();
  private final ArrayDeque<M> unread = new ArrayDeque<>();
  private final List<Predicate<? super M>> ignored = new ArrayList<>();
  private final List<Answer> answers = new ArrayList<>();
  private final List<OpenCall> open = new ArrayList<>();
  private @Nullable ActorRef<M> next;

  /** What calls of a type are answered with. */
  private record Answer(Class<?> request, Function<Object, @Nullable Object> reply) {}

  /** A call that the test may answer. */
  private record OpenCall(Object request, Reply<Object> reply) {
    boolean isAwaited() {
      return switch (reply) {
        case PendingCall<Object> call -> call.isAwaited();
      };
    }
  }

  Inbox(Bell bell) {
    this.bell = bell;
  }

  // ---- the actor -----------------------------------------------------------------------------

  @Override
  public void receive(M message, Context<M> context) {
    if (isIgnored(message)) return;
    if (message instanceof Call<?, ?> call) take(message, cast(call), context);
    else take(message);
    bell.ring();
  }

  /** A request belongs to the protocol of who got it: the sender's compiler has seen to it. */
  @SuppressWarnings("unchecked")
  private static <M> Call<M, Object> cast(Call<?, ?> call) {
    return (Call<M, Object>) call;
  }

  private synchronized boolean isIgnored(M message) {
    received.add(message);
    return ignored.stream().anyMatch(rule -> rule.test(message));
  }

  private void take(M message) {
    ActorRef<M> target = keep(message);
    if (target != null) target.cast(message);
  }

  private void take(M message, Call<M, Object> call, Context<M> context) {
    Answer answer = answerTo(message);
    if (answer != null) {
      answer(answer, call, context);
      return;
    }
    ActorRef<M> target = keep(message);
    if (target != null) context.forward(call, target, call);
    else keepOpen(call, context.defer(call));
  }

  @SuppressWarnings("NullAway") // an answer may be null for the user
  private void answer(Answer answer, Call<M, Object> call, Context<M> context) {
    Object value;
    try {
      value = answer.reply.apply(call);
    } catch (RuntimeException e) { // what the test wants the caller to see
      context.fail(call, e);
      return;
    }
    context.reply(call, value);
  }

  private synchronized @Nullable Answer answerTo(M message) {
    // The newest first, so that a test can change its mind.
    return answers.reversed().stream()
        .filter(answer -> answer.request.isInstance(message))
        .findFirst()
        .orElse(null);
  }

  private synchronized @Nullable ActorRef<M> keep(M message) {
    unread.add(message);
    return next;
  }

  private synchronized void keepOpen(Call<M, Object> call, Reply<Object> reply) {
    open.add(new OpenCall(call, reply));
  }

  // ---- the test ------------------------------------------------------------------------------

  synchronized void ignore(Predicate<? super M> rule) {
    ignored.add(rule);
    unread.removeIf(rule);
  }

  synchronized void answer(Class<?> request, Function<Object, @Nullable Object> reply) {
    answers.add(new Answer(request, reply));
  }

  synchronized void forwardTo(ActorRef<M> target) {
    next = target;
  }

  synchronized @Nullable M first() {
    return unread.peek();
  }

  synchronized List<M> unread() {
    return List.copyOf(unread);
  }

  /** By identity: another thread may have put more in, equal ones among them. */
  synchronized void read(M message) {
    for (Iterator<M> each = unread.iterator(); each.hasNext(); ) {
      if (each.next() != message) continue;
      each.remove();
      return;
    }
  }

  synchronized List<M> received() {
    return List.copyOf(received);
  }

  /** The oldest open call with this very request, no longer open; or null. */
  synchronized @Nullable Reply<Object> takeOpen(Object request) {
    for (Iterator<OpenCall> each = open.iterator(); each.hasNext(); ) {
      OpenCall call = each.next();
      if (call.request != request) continue;
      each.remove();
      return call.reply;
    }
    return null;
  }

  /** Requests whose callers still wait for an answer. */
  synchronized List<Object> unanswered() {
    return open.stream().filter(OpenCall::isAwaited).map(OpenCall::request).toList();
  }
}
