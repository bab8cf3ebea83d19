package io.turnwise.testkit.planted;

import static io.turnwise.testkit.planted.Defect.require;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.Call;
import io.turnwise.Context;
import io.turnwise.Reply;
import io.turnwise.RequestDroppedException;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.MailboxFullException;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.testkit.simulation.Simulation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Mailboxes that are full, and things of which there are few. */
final class Rooms {
  private static final long A_MOMENT = 1_000_000;

  private Rooms() {}

  static List<Defect> defects() {
    return List.of(
        new Defect(
            "dropped-unseen",
            "a sender does not know that a full mailbox drops what it sends",
            "arrived of 3",
            Rooms::droppedUnseen),
        new Defect(
            "refusal-not-handled",
            "a full mailbox refuses a message, and its sender crashes with the rest undone",
            "arrived of 3",
            Rooms::refusalNotHandled),
        new Defect(
            "full-in-a-circle",
            "two actors wait for room in each other's mailboxes",
            "arrived of 6",
            Rooms::fullInACircle),
        new Defect(
            "forks",
            "three that eat take the left fork first, all of them",
            "have eaten",
            Rooms::forks));
  }

  private record Item(int number) implements Call<Item, String> {}

  private static ActorRef<Item> narrow(
      Simulation simulation, OverflowPolicy policy, List<Integer> arrived) {
    Actor<Item> consumer =
        (item, context) -> {
          arrived.add(item.number());
          context.reply(item, "taken");
        };
    return simulation
        .system()
        .spawn(
            "narrow", ActorSpec.of(() -> consumer).withMailbox(MailboxConfig.bounded(2, policy)));
  }

  private static void droppedUnseen(Simulation simulation, boolean planted) throws Exception {
    List<Integer> arrived = new ArrayList<>();
    ActorRef<Item> narrow = narrow(simulation, OverflowPolicy.DROP_NEWEST, arrived);
    List<Cast.Part> senders = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      var item = new Item(i);
      senders.add(() -> send(narrow, item, planted));
    }
    Cast.all(simulation, senders.toArray(Cast.Part[]::new));
    require(arrived.size() == 3, arrived.size() + " arrived of 3");
  }

  private static void send(ActorRef<Item> narrow, Item item, boolean planted) {
    if (planted) {
      narrow.cast(item);
      return;
    }
    for (; ; )
      try {
        narrow.call(item);
        return;
      } catch (RequestDroppedException full) {
        LockSupport.parkNanos(A_MOMENT);
      }
  }

  private static void refusalNotHandled(Simulation simulation, boolean planted) throws Exception {
    List<Integer> arrived = new ArrayList<>();
    ActorRef<Item> narrow = narrow(simulation, OverflowPolicy.FAIL, arrived);
    Cast.all(
        simulation,
        () -> {
          for (int i = 0; i < 3; ) {
            try {
              narrow.cast(new Item(i));
              i++;
            } catch (MailboxFullException full) {
              if (planted) throw full;
              LockSupport.parkNanos(A_MOMENT);
            }
          }
        });
    require(arrived.size() == 3, arrived.size() + " arrived of 3");
  }

  private record Pass(int number, ActorRef<Pass> to) {}

  private static void fullInACircle(Simulation simulation, boolean planted) throws Exception {
    List<Integer> arrived = new ArrayList<>();
    Actor<Pass> player =
        (ball, context) -> {
          if (ball.number() > 0) arrived.add(ball.number());
          else for (int i = 1; i <= 3; i++) ball.to().cast(new Pass(i, context.self()));
        };
    var room = planted ? MailboxConfig.bounded(1, OverflowPolicy.WAIT) : MailboxConfig.UNBOUNDED;
    ActorSpec<Pass> spec = ActorSpec.of(() -> player);
    ActorRef<Pass> left = simulation.system().spawn("left", spec.withMailbox(room));
    ActorRef<Pass> right = simulation.system().spawn("right", spec.withMailbox(room));
    simulation.mayDeadlock(); // it is told by what is missing
    Cast.all(simulation, () -> left.cast(new Pass(0, right)), () -> right.cast(new Pass(0, left)));
    require(arrived.size() == 6, arrived.size() + " arrived of 6");
  }

  private sealed interface Fork {}

  private record PickUp() implements Fork, Call<Fork, String> {}

  private record PutDown() implements Fork {}

  private static final class OneFork implements Actor<Fork> {
    private final ArrayDeque<Reply<String>> waiting = new ArrayDeque<>();
    private boolean taken;

    @Override
    public void receive(Fork message, Context<Fork> context) {
      switch (message) {
        case PickUp pickUp -> {
          if (taken) waiting.add(context.defer(pickUp));
          else context.reply(pickUp, "yours");
          taken = true;
        }
        case PutDown _ -> {
          Reply<String> next = waiting.poll();
          if (next == null) taken = false;
          else next.send("yours");
        }
      }
    }
  }

  private static void forks(Simulation simulation, boolean planted) throws Exception {
    List<ActorRef<Fork>> forks = new ArrayList<>();
    for (int i = 0; i < 3; i++) forks.add(simulation.spawn("fork" + i, OneFork::new));
    List<Integer> eaten = new ArrayList<>();
    List<Cast.Part> guests = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      int guest = i;
      boolean turned = !planted && guest == 2;
      ActorRef<Fork> first = forks.get(turned ? 0 : guest);
      ActorRef<Fork> second = forks.get(turned ? 2 : (guest + 1) % 3);
      guests.add(
          () -> {
            first.call(new PickUp());
            second.call(new PickUp());
            eaten.add(guest);
            first.cast(new PutDown());
            second.cast(new PutDown());
          });
    }
    Cast.all(simulation, guests.toArray(Cast.Part[]::new));
    require(eaten.size() == 3, eaten + " have eaten");
  }
}
