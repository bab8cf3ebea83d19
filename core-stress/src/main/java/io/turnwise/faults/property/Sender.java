package io.turnwise.faults.property;

import io.turnwise.ActorRef;
import io.turnwise.CallException;
import io.turnwise.CallTimeoutException;
import io.turnwise.Context;
import io.turnwise.mailbox.MailboxDeadlockException;
import io.turnwise.mailbox.MailboxFullException;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.mailbox.Priority;
import java.time.Duration;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Whoever sends, one message after another: an actor's life or a plain thread. Numbers its own.
 *
 * <p>A call that times out while it waits for room is withdrawn, and its caller cannot tell that
 * from one that waits in the mailbox; so calls to such mailboxes are few, and booked as unsure.
 */
final class Sender {
  private final World world;
  private final int id;
  private long number;

  Sender(World world) {
    this.world = world;
    this.id = world.newSender();
  }

  /** Sends to a random citizen: cast in some lane. */
  void castAnywhere(SplittableRandom random, int hops) {
    cast(world.anyone(random), random, hops);
  }

  void cast(Address to, SplittableRandom random, int hops) {
    if (!world.spend()) return;
    Priority explicit = random.nextInt(3) == 0 ? Priority.values()[random.nextInt(3)] : null;
    Note note = note(to, explicit, random, hops);
    world.offer(note);
    try {
      if (explicit != null) to.ref().cast(note, explicit);
      else to.ref().cast(note);
    } catch (MailboxFullException | MailboxDeadlockException e) {
      world.refuse(note, to, e);
    }
  }

  private Note note(Address to, @Nullable Priority explicit, SplittableRandom random, int hops) {
    Priority byType = to.looksAtTypes() ? Priority.values()[random.nextInt(3)] : Priority.NORMAL;
    Priority lane = explicit != null ? explicit : byType;
    long dice = random.nextLong();
    return switch (byType) {
      case HIGH -> new Note.Urgent(id, number++, lane, hops, dice);
      case NORMAL -> new Note(id, number++, lane, hops, dice);
      case LOW -> new Note.Lazy(id, number++, lane, hops, dice);
    };
  }

  private Note.Ask ask(SplittableRandom random, int hops) {
    return new Note.Ask(id, number++, Priority.NORMAL, hops, random.nextLong());
  }

  /** Calls and waits. */
  void call(SplittableRandom random, int hops) {
    Address to = world.anyone(random);
    if (to.policy() == OverflowPolicy.WAIT && !world.keepsAll()) return;
    if (!world.spend()) return;
    Note.Ask ask = ask(random, hops);
    world.offer(ask);
    try {
      Long answer = to.ref().call(ask, Duration.ofMillis(1 + random.nextInt(20)));
      world.answered(ask, answer);
    } catch (MailboxFullException | MailboxDeadlockException e) {
      world.refuse(ask, to, e);
    } catch (CallTimeoutException e) {
      if (mayRefuse(to)) world.unsure(ask);
    } catch (CallException e) {
      // Stopped, failed or not answered: the request has a fate of its own.
    } catch (IllegalStateException e) {
      world.refuseSelfCall(ask, e);
    }
  }

  /** Calls; a callback looks at the answer. */
  void callAsync(SplittableRandom random, int hops) {
    Address to = world.anyone(random);
    if (to.policy() == OverflowPolicy.WAIT || !world.spend()) return;
    Note.Ask ask = ask(random, hops);
    world.offer(ask);
    world.strangers.incrementAndGet();
    to.ref()
        .callAsync(ask, Duration.ofMillis(1 + random.nextInt(20)))
        .whenComplete(
            (answer, failure) -> {
              if (failure == null) world.answered(ask, answer);
              else if (isRefusal(failure)) world.refuse(ask, to, (RuntimeException) failure);
              else if (failure instanceof CallTimeoutException && mayRefuse(to)) world.unsure(ask);
              world.strangers.decrementAndGet();
            });
  }

  /**
   * A mailbox to which it was forwarded fails the call with this as a cause; one that drops, with
   * an error of its own.
   */
  private static boolean isRefusal(Throwable failure) {
    return failure instanceof MailboxFullException || failure instanceof MailboxDeadlockException;
  }

  /** Calls; the outcome comes back as a message. */
  void callToSelf(Context<Note> context, SplittableRandom random, int hops) {
    Address to = world.anyone(random);
    if (mayRefuse(to) || !world.spend()) return;
    Note.Ask ask = ask(random, hops);
    var outcome = new Note.Answer(world.newSender(), 0, hops, random.nextLong());
    world.offer(ask);
    context.callToSelf(
        to.ref(),
        ask,
        Duration.ofMillis(1 + random.nextInt(20)),
        ignored -> {
          world.offer(outcome); // becomes a message only in the caller's own turn
          return outcome;
        });
  }

  /** Hands a request in hand on, as a new one of its own. */
  boolean forward(Context<Note> context, Note.Ask inHand, SplittableRandom random) {
    Address to = world.anyone(random);
    if (mayRefuse(to) || !world.spend()) return false;
    // The number stays: it is what the caller wants to hear.
    var request =
        new Note.Ask(world.newSender(), inHand.number, Priority.NORMAL, 0, random.nextLong());
    world.offer(request);
    context.forward(inHand, to.ref(), request);
    return true;
  }

  /**
   * Whether a request may be refused there when its sender has gone or no longer waits: a call that
   * timed out before it was refused has timed out.
   */
  private static boolean mayRefuse(Address to) {
    return to.policy() == OverflowPolicy.WAIT || to.policy() == OverflowPolicy.FAIL;
  }

  /** A citizen as its senders know it. */
  record Address(ActorRef<Note> ref, @Nullable OverflowPolicy policy, boolean looksAtTypes) {}
}
