package io.turnwise.testkit.supervision;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.Call;
import io.turnwise.Context;
import io.turnwise.Signal;
import io.turnwise.StopReason;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorSpec;
import io.turnwise.testkit.Testkit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Nothing of one life reaches the next, on threads, which do not wait for each other. */
class LivesApartTest {
  /** To tell so many of an end takes long enough for a whole restart beside it. */
  private static final int WATCHERS = 50_000;

  private final AtomicInteger lives = new AtomicInteger();
  private final List<String> heard = new CopyOnWriteArrayList<>();

  @BeforeAll
  static void quietLog() {
    Family.quietLog(true);
  }

  @AfterAll
  static void loudLog() {
    Family.quietLog(false);
  }

  private record Kid() implements Call<Object, ActorRef<Object>> {}

  /** Has a child that ends badly when it is told to stop. */
  private final class Parent implements Actor<Object> {
    private final int life = lives.incrementAndGet();

    @Override
    public void receive(Object message, Context<Object> context) {
      if (message instanceof Kid call) context.reply(call, context.spawn(Bad::new));
      if (message.equals("crash")) throw new IllegalStateException("crash");
    }

    @Override
    public void info(Signal signal, Context<Object> context) {
      heard.add("life " + life + ": " + signal);
    }
  }

  private static final class Bad implements Actor<Object> {
    @Override
    public void receive(Object message, Context<Object> context) {
      throw new IllegalStateException("by order");
    }

    @Override
    public void teardown(StopReason reason, Context<Object> context) {
      if (reason.orderly()) throw new IllegalStateException("in teardown");
    }
  }

  /** The child leaves its parent before it has told all of its end; the parent comes back first. */
  @Test
  void theCrashOfAPlainChildIsHeardByTheLifeThatHadIt() {
    try (var kit = Testkit.onThreads(c -> c.withWorkers(2))) {
      kit.allowCrashes();
      kit.allowDeadLetters(); // more than are kept for it, on a slow machine
      ChildSpec<Object> spec = ChildSpec.of("parent", () -> (Actor<Object>) new Parent());
      Supervisor supervisor =
          Supervisor.start(kit.system(), "sup", SupervisorSpec.oneForOne().withChild(spec));
      ActorRef<Object> parent = supervisor.child(spec);
      ActorRef<Object> kid = parent.call(new Kid());
      for (int i = 0; i < WATCHERS; i++) kid.whenStopped();
      parent.cast("crash");
      while (lives.get() < 2) parent.cast("look again"); // it looks for children each time
      kit.awaitQuiet();
      assertThat(heard).isEmpty();
      // One of its own is heard.
      parent.call(new Kid()).cast("crash");
      kit.awaitQuiet();
      assertThat(heard).singleElement().asString().startsWith("life 2: ChildCrashed");
    }
  }
}
