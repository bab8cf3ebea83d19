package io.turnwise.internal.mailbox;

import io.turnwise.internal.scheduler.StrandedTasks;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * An envelope with room for the messages that follow it: mailboxes that have much to do take them
 * in bundles. A sender claims a place with one atomic step and allocates nothing; the owner reads
 * many messages from one cache line, and writes none.
 *
 * <pre>
 *   sender                                      owner, with nothing left to read at place p
 *   1. p := claimed++                           1. compare-and-set(claimed, p, SEALED)
 *   2. p free: write the place                  2. failed: a sender has claimed p, it will come
 *      else swap the mailbox's tail                succeeded: nobody gets in any more
 * </pre>
 *
 * <p>The owner seals a bundle before it leaves it, be it for the next one or to go idle. So who has
 * claimed a place knows that its message will be read, and that the actor is scheduled.
 *
 * <p>A place holds a bare message, or an envelope where a caller waits.
 */
public final class Bundle extends Envelope {
  /** Of one that does not follow a full one. */
  private static final int FEWEST_PLACES = 32;

  /**
   * One that is read to its end keeps what lay in it until then: so many handled messages are not
   * garbage yet.
   */
  private static final int MOST_PLACES = 128;

  private static final int SEALED = 1 << 20;
  private static final VarHandle CLAIMED;
  private static final VarHandle PLACE = MethodHandles.arrayElementVarHandle(Object[].class);

  static {
    try {
      CLAIMED = MethodHandles.lookup().findVarHandle(Bundle.class, "claimed", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile int claimed;
  private final @Nullable Object[] places;

  private Bundle(Object message, int room) {
    super(message, null);
    places = new Object[room];
  }

  /** One that does not follow a full one. */
  static Bundle first(Object message) {
    return new Bundle(message, FEWEST_PLACES);
  }

  /**
   * For the message that found no place: with twice the room, if this one is full and not sealed.
   * What lies side by side is fetched by the other core before it is asked for; from one bundle to
   * the next it waits.
   */
  Bundle following(Object message) {
    return claimed < SEALED
        ? new Bundle(message, Math.min(MOST_PLACES, 2 * places.length))
        : first(message);
  }

  /** Any thread. Returns false when there is no room; then the message is not in. */
  boolean add(Object item) {
    int place = (int) CLAIMED.getAndAdd(this, 1);
    if (place >= places.length) return false;
    try {
      PLACE.setRelease(places, place, item);
    } catch (Throwable e) { // no stack left for the call: it is claimed, and must come
      StrandedTasks.barrier = 0;
      if (StrandedTasks.barrier == 0) places[place] = item;
    }
    return true;
  }

  /** What lies there, or null when nothing does yet. The owner; observers may look. */
  @Nullable Object at(int place) {
    return at(places, place);
  }

  /** The same for who keeps the places: then it does not read where senders claim theirs. */
  static @Nullable Object at(@Nullable Object[] places, int place) {
    return place < places.length ? PLACE.getAcquire(places, place) : null;
  }

  @Nullable Object[] places() {
    return places;
  }

  /**
   * Lets nobody in any more, if nobody has claimed this place, the first that the owner has not
   * read. The owner. Returns false when somebody has: its message is there or on its way.
   */
  boolean seal(int place) {
    if (place >= places.length) return true;
    int now = claimed;
    return now >= SEALED || (now == place && CLAIMED.compareAndSet(this, place, SEALED));
  }

  /** How many messages wait from this place on. For observers. */
  int countFrom(int place) {
    int count = 0;
    for (int i = place; at(i) != null; i++) count++;
    return count;
  }
}
