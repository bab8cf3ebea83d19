package io.turnwise.internal.supervisor;

import io.turnwise.StopReason;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.ChildState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a supervisor knows of one child. Belongs to the supervisor's turns. */
public final class Child {
  final ChildSpec<?> spec;

  /** Whose child it is; null once it is forgotten. */
  @Nullable SupervisorLoop of;

  /** Links of {@link Siblings}. */
  @Nullable Child previous;

  @Nullable Child next;

  List<Child> dependsOn = List.of();
  List<Child> dependents = List.of();

  /** The nursery's: whatever it needs to find the child. */
  private @Nullable Object body;

  ChildState state = ChildState.WAITING;

  /** Failures in a row. */
  int failures;

  /** It is one of those that its supervisor begins with. */
  boolean listed;

  /** It has been started: the next start is a restart. */
  boolean started;

  /** Its life is over by itself, and it waits for a verdict: nothing of it runs until then. */
  boolean asked;

  boolean wasUp;
  long upSince;
  @Nullable StopReason lastReason;

  /** It waits for its delay, until {@link #dueAt}. */
  boolean timed;

  long dueAt;

  /** The timers that count, of its delay and of its stop; those with other tickets are late. */
  int delayTicket;

  int stopTicket;
  int tickets;

  /** It is to be started together with others, when all of them are down. */
  boolean inWave;

  /** It is to be stopped, in the order of those that are. */
  boolean inStop;

  /** It has been told to. */
  boolean told;

  /** How many that depend on it are to be stopped before it. */
  int before;

  /** How many it depends on are not there yet. */
  int unmet;

  /** Whether those that depend on it may start. */
  boolean met;

  /** Its end is its own doing, and may concern the whole supervisor. */
  boolean endedByItself;

  /** To be forgotten when it has ended. */
  boolean forget;

  Child(ChildSpec<?> spec, SupervisorLoop of) {
    this.spec = spec;
    this.of = of;
  }

  public ChildSpec<?> spec() {
    return spec;
  }

  public ChildState state() {
    return state;
  }

  public @Nullable StopReason lastReason() {
    return lastReason;
  }

  /** Whether its next start is not the first. */
  public boolean wasStarted() {
    return started;
  }

  /** Whether its restart waits for its time. */
  public boolean isTimed() {
    return timed;
  }

  public long dueAt() {
    return dueAt;
  }

  public @Nullable Object body() {
    return body;
  }

  public void setBody(@Nullable Object body) {
    this.body = body;
  }

  void dependOn(Child other) {
    if (dependsOn.isEmpty()) dependsOn = new ArrayList<>(1);
    dependsOn.add(other);
    if (other.dependents.isEmpty()) other.dependents = new ArrayList<>(1);
    other.dependents.add(this);
  }

  /** Whether something of it runs, or may. */
  boolean isLive() {
    return switch (state) {
      case STARTING, UP, STOPPING, ENDING -> true;
      case WAITING, ENDED -> false;
    };
  }

  @Override
  public String toString() {
    return spec.name() + " " + state;
  }
}
