package io.turnwise.faults.simulation;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.Call;
import io.turnwise.CallException;
import io.turnwise.Context;
import io.turnwise.HandlerCancelled;
import io.turnwise.StopReason;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.MailboxDeadlockException;
import io.turnwise.mailbox.MailboxFullException;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.mailbox.Priority;
import io.turnwise.scheduling.TimeoutAction;
import io.turnwise.testkit.simulation.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Actors that send, call, wait, put aside, forward, spawn, stop, crash and are killed, at random.
 * Every message has a name; each that was accepted begins to be handled once or is a dead letter
 * once, and those of one sender in one lane come in order.
 */
final class Citizens {
  private static final int ACTORS = 5;
  private static final int LETTERS = 10;

  private sealed interface Message {}

  /**
   * @param place its number among those of the same sender, receiver and lane
   */
  private record Letter(int name, int from, Priority lane, int place, int left)
      implements Message {}

  private record Ask(int left) implements Message, Call<Message, Integer> {}

  private record Heard(boolean answered) implements Message {}

  private record Turn() implements Message {}

  private final SplittableRandom random;
  private final List<ActorRef<Message>> actors = new ArrayList<>();
  private final Map<Integer, String> fates = new HashMap<>();
  private final Map<List<Object>, Integer> sent = new HashMap<>();
  private final Map<List<Object>, Integer> came = new HashMap<>();
  private final List<String> wrong = new ArrayList<>();
  private int names;

  private Citizens(long seed) {
    random = new SplittableRandom(seed);
  }

  static void live(Simulation simulation) throws Exception {
    new Citizens(simulation.seed()).play(simulation);
  }

  private boolean draws(int oneOf) {
    return random.nextInt(oneOf) == 0;
  }

  private ActorRef<Message> any() {
    return actors.get(random.nextInt(actors.size()));
  }

  private void play(Simulation simulation) throws Exception {
    simulation.mayDeadlock(); // calls in a circle end by their timeouts
    simulation
        .system()
        .onDeadLetter(
            letter -> {
              if (letter.message() instanceof Letter own) meets(own.name(), "a dead letter");
            });
    OverflowPolicy[] policies = OverflowPolicy.values();
    for (int i = 0; i < ACTORS; i++) {
      int own = i;
      ActorSpec<Message> spec = ActorSpec.of(() -> new Citizen(own));
      if (draws(3)) {
        int room = 1 + random.nextInt(3);
        OverflowPolicy policy = policies[random.nextInt(policies.length)];
        spec = spec.withMailbox(MailboxConfig.bounded(room, policy));
      }
      if (draws(4)) spec = spec.withHandlerTimeout(Duration.ofMillis(5), TimeoutAction.CANCEL);
      actors.add(simulation.system().spawn("citizen" + i, spec));
    }
    if (draws(2)) simulation.mayBeKilled(any());
    if (draws(3)) simulation.mayStall(Duration.ofMillis(20));
    for (int i = 0; i < LETTERS; i++) send(ACTORS, 4);
    simulation.sleep(Duration.ofSeconds(10));
    for (ActorRef<Message> actor : actors) actor.stop();
    simulation.sleep(Duration.ofSeconds(10));
    for (int name = 0; name < names; name++)
      if (!fates.containsKey(name)) wrong.add("letter " + name + " has no fate");
    if (!wrong.isEmpty()) throw new AssertionError(wrong);
  }

  private void send(int from, int left) {
    int to = random.nextInt(actors.size());
    Priority lane = Priority.values()[random.nextInt(3)];
    int place = sent.merge(List.of(from, to, lane), 1, Integer::sum);
    var letter = new Letter(names++, from, lane, place, left);
    try {
      actors.get(to).cast(letter, lane);
    } catch (MailboxFullException | MailboxDeadlockException full) {
      meets(letter.name(), "refused");
    } catch (HandlerCancelled ended) {
      meets(letter.name(), "withdrawn"); // its sender was ended while it waited for room
      throw ended;
    }
  }

  private void meets(int name, String fate) {
    String before = fates.put(name, fate);
    if (before != null) wrong.add("letter " + name + " is " + fate + ", and was " + before);
  }

  private final class Citizen implements Actor<Message> {
    private final int own;

    /** Whether anything was ever put aside here: what comes out of there comes late. */
    private boolean mixed;

    private boolean open = true;

    Citizen(int own) {
      this.own = own;
    }

    @Override
    public void receive(Message message, Context<Message> context) {
      try {
        take(message, context);
      } catch (HandlerCancelled ended) {
        // Killed, or out of time, before it came to that.
        if (message instanceof Letter letter && !fates.containsKey(letter.name()))
          meets(letter.name(), "in the hands of one that was ended");
        throw ended;
      }
    }

    private void take(Message message, Context<Message> context) {
      switch (message) {
        case Letter letter -> {
          if (open) {
            handle(letter, context);
          } else {
            mixed = true;
            context.stash();
          }
        }
        case Ask ask -> answer(ask, context);
        case Heard _ -> {
          if (draws(2)) send(own, 0);
        }
        case Turn _ -> turn(context);
      }
    }

    private void turn(Context<Message> context) {
      open = !open;
      if (open) context.unstashAll();
    }

    @Override
    public void teardown(StopReason reason, Context<Message> context) {
      if (draws(4)) send(own, 0);
    }

    private void handle(Letter letter, Context<Message> context) {
      meets(letter.name(), "handled");
      Integer last = came.put(List.of(letter.from(), own, letter.lane()), letter.place());
      if (!mixed && last != null && last >= letter.place())
        wrong.add(letter + " came after place " + last);
      if (letter.left() > 0) act(letter.left() - 1, context);
    }

    private void act(int left, Context<Message> context) {
      switch (random.nextInt(12)) {
        case 0, 1, 2 -> send(own, left);
        case 3 -> {
          send(own, left);
          send(own, left);
        }
        case 4 -> call(left);
        case 5 ->
            context.callToSelf(any(), new Ask(left), Duration.ofMillis(10), _ -> new Heard(true));
        case 6 -> LockSupport.parkNanos(1_000_000L * random.nextInt(10));
        case 7 -> turn(context);
        case 8 -> context.<Message>spawn(() -> new Child()).cast(new Turn());
        case 9 -> {
          if (draws(3)) any().stopAfterDrain();
        }
        case 10 -> {
          if (draws(3)) throw new IllegalStateException("drawn");
        }
        default -> context.watch(actors.get((own + 1) % ACTORS));
      }
    }

    private void call(int left) {
      ActorRef<Message> other = any();
      if (other == actors.get(own)) return;
      try {
        other.call(new Ask(left), Duration.ofMillis(10));
      } catch (CallException | MailboxFullException | MailboxDeadlockException none) {
        // Stopped, busy, silent or full.
      }
    }

    private void answer(Ask ask, Context<Message> context) {
      switch (random.nextInt(6)) {
        case 0 -> LockSupport.parkNanos(1_000_000L * random.nextInt(20));
        case 1 -> context.defer(ask).send(ask.left());
        case 2 -> {
          if (ask.left() > 0) context.forward(ask, any(), new Ask(ask.left() - 1));
        }
        case 3 -> {
          // No answer: the caller is told so.
        }
        default -> context.reply(ask, ask.left());
      }
    }

    /** Does one thing and is stopped, crashes, or ends with its parent. */
    private final class Child implements Actor<Message> {
      @Override
      public void receive(Message message, Context<Message> context) {
        send(ACTORS + 1 + names, 0); // a sender of its own
        if (draws(2)) context.stop();
        else if (draws(2)) throw new IllegalStateException("drawn");
      }
    }
  }
}
