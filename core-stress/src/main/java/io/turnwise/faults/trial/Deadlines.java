package io.turnwise.faults.trial;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.Call;
import io.turnwise.CallTimeoutException;
import io.turnwise.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Whether deadlines still come. */
public final class Deadlines {
  private Deadlines() {}

  private record Question() implements Call<Object, String> {}

  /** Deadlines still come: who watches them lives, or has begun anew. */
  public static void check(ActorSystem system) throws Exception {
    List<Reply<String>> never = new ArrayList<>();
    ActorRef<Object> silent =
        system.spawn(
            () ->
                (message, context) -> {
                  if (message instanceof Question question) never.add(context.defer(question));
                });
    try {
      silent
          .callAsync(new Question(), Duration.ofMillis(20))
          .toCompletableFuture()
          .get(120, TimeUnit.SECONDS);
      throw new Broken("who answered?");
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof CallTimeoutException)) throw e;
    } catch (TimeoutException e) {
      throw new Broken("no deadline comes any more: " + system.dump());
    }
  }
}
