package io.turnwise.supervision;

import io.turnwise.ActorRef;
import io.turnwise.Call;
import java.util.List;
import java.util.Optional;

/** What a supervisor can be asked. {@link Supervisor} has a method for each. */
public sealed interface SupervisorRequest {
  /** One more child. */
  record Start(ChildSpec<?> spec)
      implements SupervisorRequest, Call<SupervisorRequest, ActorRef<?>> {}

  /** The child of this name. */
  record Find(String name)
      implements SupervisorRequest, Call<SupervisorRequest, Optional<ActorRef<?>>> {}

  /** End a child for good; answered when it has ended. */
  record Stop(ActorRef<?> child, boolean forget)
      implements SupervisorRequest, Call<SupervisorRequest, Boolean> {}

  /** Start a child again: one that has ended, or one that runs. */
  record Restart(String name) implements SupervisorRequest, Call<SupervisorRequest, ActorRef<?>> {}

  /** Start a child again that has not ended; false if it has. */
  record Renew(ActorRef<?> child) implements SupervisorRequest, Call<SupervisorRequest, Boolean> {}

  /** All children. */
  record Children() implements SupervisorRequest, Call<SupervisorRequest, List<ChildStatus>> {}

  /** The restarts that wait for their time. */
  record Pending() implements SupervisorRequest, Call<SupervisorRequest, List<PendingRestart>> {}

  /** Do not start this child again. */
  record CancelRestarts(ActorRef<?> child)
      implements SupervisorRequest, Call<SupervisorRequest, Integer> {}

  /** Answered when no child is to be started, or waits to be, any more. */
  record AwaitUp() implements SupervisorRequest, Call<SupervisorRequest, Boolean> {}
}
