package io.turnwise.testkit.supervision;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.Call;
import io.turnwise.Context;
import io.turnwise.Reply;
import io.turnwise.StopReason;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.testkit.VirtualTestkit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Children for the tests of supervisors: each does as it is told, and all keep one diary. */
final class Family {
  sealed interface Order {}

  /** Throw this. */
  record Crash(RuntimeException cause) implements Order {}

  /** Stop by yourself. */
  record Finish() implements Order {}

  /** Wait in the handler until the gate opens. */
  record Hang() implements Order {}

  /** Ask to be stopped from outside, and throw in the same turn. */
  record StopAndCrash(RuntimeException cause) implements Order {}

  /** Which life is it? */
  record Life() implements Order, Call<Order, Integer> {}

  /** Waits behind a gate for as long as it is closed. */
  private record Enter() implements Call<Object, Boolean> {}

  private record Open() {}

  static final class Gate implements Actor<Object> {
    private final List<Reply<Boolean>> waiting = new ArrayList<>();
    private boolean open;

    @Override
    public void receive(Object message, Context<Object> context) {
      switch (message) {
        case Enter enter when !open -> waiting.add(context.defer(enter));
        case Enter enter -> context.reply(enter, true);
        default -> {
          open = true;
          waiting.forEach(reply -> reply.send(true));
        }
      }
    }
  }

  private static final Duration VERY_LONG = Duration.ofDays(100);

  final List<String> diary = new ArrayList<>();

  /** Those whose next lives crash when they start, and how often. */
  final Map<String, Integer> crashInInit = new HashMap<>();

  /** Those that hang when they start. */
  final Set<String> hangInInit = new HashSet<>();

  /** Those that hang when they are taken down. */
  final Set<String> hangInTeardown = new HashSet<>();

  private final Map<String, Integer> lives = new HashMap<>();
  private final ActorRef<Object> gate;

  Family(VirtualTestkit kit) {
    gate = kit.system().spawn("gate", Gate::new);
  }

  static void quietLog(boolean quiet) {
    LOG.setLevel(quiet ? Level.OFF : null);
  }

  private static final Logger LOG = Logger.getLogger("io.turnwise");

  ChildSpec<Order> child(String name) {
    return ChildSpec.of(name, () -> new Member(name));
  }

  void openGate() {
    gate.cast(new Open());
  }

  static Crash crash() {
    return new Crash(new IllegalStateException("crash"));
  }

  /** What the diary says from now on. */
  List<String> fresh() {
    diary.clear();
    return diary;
  }

  int livesOf(String name) {
    return lives.getOrDefault(name, 0);
  }

  private final class Member implements Actor<Order> {
    private final String name;
    private final int life;

    Member(String name) {
      this.name = name;
      this.life = lives.merge(name, 1, Integer::sum);
    }

    @Override
    public void init(Context<Order> context) {
      if (hangInInit.contains(name)) {
        diary.add(name + " hangs");
        gate.call(new Enter(), VERY_LONG);
      }
      if (crashInInit.merge(name, -1, Integer::sum) >= 0) {
        diary.add(name + " fails");
        throw new IllegalStateException("in init");
      }
      diary.add(name + " starts");
    }

    @Override
    public void receive(Order message, Context<Order> context) {
      switch (message) {
        case Crash(RuntimeException cause) -> throw cause;
        case Finish _ -> context.stop();
        case Hang _ -> gate.call(new Enter(), VERY_LONG);
        case StopAndCrash(RuntimeException cause) -> {
          context.self().stop();
          throw cause;
        }
        case Life call -> context.reply(call, life);
      }
    }

    @Override
    public void teardown(StopReason reason, Context<Order> context) {
      if (hangInTeardown.contains(name)) {
        diary.add(name + " lingers");
        gate.call(new Enter(), VERY_LONG);
      }
      diary.add(name + " stops");
    }
  }
}
