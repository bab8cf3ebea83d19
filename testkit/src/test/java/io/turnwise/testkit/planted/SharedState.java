package io.turnwise.testkit.planted;

import static io.turnwise.testkit.planted.Defect.require;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.Call;
import io.turnwise.CallOutcome;
import io.turnwise.Context;
import io.turnwise.testkit.simulation.Simulation;
import io.turnwise.weaving.Safepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** What several actors read and write, by messages or behind their backs. */
final class SharedState {
  private SharedState() {}

  static List<Defect> defects() {
    return List.of(
        new Defect(
            "lost-update",
            "a number is read in one call and written in another",
            "an update is lost",
            SharedState::lostUpdate),
        new Defect(
            "checked-then-done",
            "a free seat is seen in one call and booked in the next",
            "booked twice",
            SharedState::checkedThenDone),
        new Defect(
            "update-over-call-to-self",
            "an actor handles others between its question and the answer that it adds to",
            "an update is lost",
            SharedState::updateOverCallToSelf),
        new Defect(
            "shared-static",
            "two actors change a static, and are stopped in the middle",
            "a change is lost",
            SharedState::sharedStatic),
        new Defect(
            "sent-and-changed",
            "a list is sent, and its sender goes on adding to it",
            "more than was sent",
            SharedState::sentAndChanged),
        new Defect(
            "two-steps-by-message",
            "an actor does the second half when its own message comes, and answers in between",
            "half done",
            SharedState::twoStepsByMessage),
        new Defect(
            "leaked-lock",
            "a lock is not given back where a handler is ended in the middle",
            "the lock is held by nobody",
            SharedState::leakedLock),
        new Defect(
            "old-lease",
            "who had a lease writes after it has run out, and nobody looks at its number",
            "an old lease wrote",
            SharedState::oldLease));
  }

  // ---- a number --------------------------------------------------------------------------------

  private sealed interface Number {}

  private record Get() implements Number, Call<Number, Integer> {}

  private record Set(int value) implements Number {}

  private record Add(int amount) implements Number {}

  private record Take() implements Number, Call<Number, Boolean> {}

  private static final class Register implements Actor<Number> {
    private int value;

    Register(int value) {
      this.value = value;
    }

    @Override
    public void receive(Number message, Context<Number> context) {
      switch (message) {
        case Get get -> context.reply(get, value);
        case Set(int next) -> value = next;
        case Add(int amount) -> value += amount;
        case Take take -> {
          boolean free = value > 0;
          if (free) value--;
          context.reply(take, free);
        }
      }
    }
  }

  private static void lostUpdate(Simulation simulation, boolean planted) throws Exception {
    ActorRef<Number> register = simulation.spawn("register", () -> new Register(0));
    Cast.Part addOne =
        () -> register.cast(planted ? new Set(register.call(new Get()) + 1) : new Add(1));
    Cast.all(simulation, addOne, addOne);
    require(register.call(new Get()) == 2, "an update is lost");
  }

  private static void checkedThenDone(Simulation simulation, boolean planted) throws Exception {
    ActorRef<Number> seats = simulation.spawn("seats", () -> new Register(1));
    Cast.Part book =
        () -> {
          if (!planted) seats.call(new Take());
          else if (seats.call(new Get()) > 0) seats.cast(new Set(seats.call(new Get()) - 1));
        };
    Cast.all(simulation, book, book);
    require(seats.call(new Get()) >= 0, "booked twice");
  }

  private sealed interface Sum {}

  private record More(int amount) implements Sum {}

  private record Found(int value, int amount) implements Sum {}

  private static void updateOverCallToSelf(Simulation simulation, boolean planted)
      throws Exception {
    ActorRef<Number> register = simulation.spawn("register", () -> new Register(0));
    ActorRef<Sum> adder =
        simulation.spawn(
            "adder",
            () ->
                (message, context) -> {
                  switch (message) {
                    case More(int amount) when planted ->
                        context.callToSelf(
                            register, new Get(), got -> new Found(valueOf(got), amount));
                    case More(int amount) -> register.cast(new Add(amount));
                    case Found(int value, int amount) -> register.cast(new Set(value + amount));
                  }
                });
    Cast.all(simulation, () -> adder.cast(new More(1)), () -> adder.cast(new More(1)));
    require(register.call(new Get()) == 2, "an update is lost");
  }

  private static int valueOf(CallOutcome<Integer> outcome) {
    return switch (outcome) {
      case CallOutcome.Answered<Integer>(Integer value) -> value;
      case CallOutcome.Failed<Integer>(Throwable cause) -> throw new AssertionError(cause);
    };
  }

  // ---- memory ----------------------------------------------------------------------------------

  private static int shared;

  private static void sharedStatic(Simulation simulation, boolean planted) throws Exception {
    shared = 0;
    var atomic = new AtomicInteger();
    Cast.Part addOne =
        () -> {
          int seen = shared;
          Safepoint.poll();
          if (planted) shared = seen + 1;
          else atomic.incrementAndGet();
        };
    Cast.all(simulation, addOne, addOne);
    require(shared + atomic.get() == 2, "a change is lost");
  }

  private static void sentAndChanged(Simulation simulation, boolean planted) throws Exception {
    List<Integer> sizes = new ArrayList<>();
    ActorRef<List<String>> reader =
        simulation.spawn("reader", () -> (list, _) -> sizes.add(list.size()));
    Cast.all(
        simulation,
        () -> {
          List<String> lines = new ArrayList<>(List.of("first"));
          reader.cast(planted ? lines : List.copyOf(lines));
          Safepoint.poll();
          lines.add("second");
          reader.cast(planted ? lines : List.copyOf(lines));
        });
    require(sizes.equals(List.of(1, 2)), "more than was sent: " + sizes);
  }

  private sealed interface Ledger {}

  private record Move(int amount) implements Ledger {}

  private record Arrive(int amount) implements Ledger {}

  private record Total() implements Ledger, Call<Ledger, Integer> {}

  /** Moves an amount from one account to the other. */
  private static final class Accounts implements Actor<Ledger> {
    private final boolean planted;
    private int left = 10;
    private int right;

    Accounts(boolean planted) {
      this.planted = planted;
    }

    @Override
    public void receive(Ledger message, Context<Ledger> context) {
      switch (message) {
        case Move(int amount) -> {
          left -= amount;
          if (planted) context.self().cast(new Arrive(amount));
          else right += amount;
        }
        case Arrive(int amount) -> right += amount;
        case Total total -> context.reply(total, left + right);
      }
    }
  }

  private static void twoStepsByMessage(Simulation simulation, boolean planted) throws Exception {
    ActorRef<Ledger> accounts = simulation.spawn("accounts", () -> new Accounts(planted));
    List<Integer> totals = new ArrayList<>();
    Cast.all(
        simulation, () -> accounts.cast(new Move(5)), () -> totals.add(accounts.call(new Total())));
    require(totals.equals(List.of(10)), "half done: " + totals);
  }

  // ---- locks and leases ------------------------------------------------------------------------

  private static void leakedLock(Simulation simulation, boolean planted) throws Exception {
    var lock = new ReentrantLock();
    Actor<String> careless =
        (_, _) -> {
          lock.lock();
          Safepoint.poll();
          lock.unlock();
        };
    Actor<String> careful =
        (_, _) -> {
          lock.lock();
          try {
            Safepoint.poll();
          } finally {
            lock.unlock();
          }
        };
    ActorRef<String> left = simulation.spawn("left", () -> planted ? careless : careful);
    simulation.mayCrash(left);
    left.cast("go");
    simulation.sleep(Duration.ofSeconds(1));
    require(!lock.isLocked(), "the lock is held by nobody who lives");
  }

  private record Lease() implements Call<Object, Integer> {}

  private record Write(int lease) {}

  /** Gives a new lease when the last one has run out. */
  private static final class Leases implements Actor<Object> {
    private final Simulation simulation;
    private int number;
    private Duration until = Duration.ZERO;

    Leases(Simulation simulation) {
      this.simulation = simulation;
    }

    @Override
    public void receive(Object message, Context<Object> context) {
      if (!(message instanceof Lease lease)) return;
      boolean free = simulation.time().compareTo(until) >= 0;
      if (free) {
        number++;
        until = simulation.time().plusMillis(10);
      }
      context.reply(lease, free ? number : 0);
    }
  }

  private static void oldLease(Simulation simulation, boolean planted) throws Exception {
    ActorRef<Object> leases = simulation.spawn("leases", () -> new Leases(simulation));
    List<Integer> written = new ArrayList<>();
    ActorRef<Write> file =
        simulation.spawn(
            "file",
            () ->
                (write, _) -> {
                  boolean old = !written.isEmpty() && write.lease() < written.getLast();
                  if (planted || !old) written.add(write.lease());
                });
    simulation.mayDelay(file, Duration.ofMillis(40));
    Cast.Part holder =
        () -> {
          int lease;
          while ((lease = leases.call(new Lease())) == 0) LockSupport.parkNanos(3_000_000);
          file.cast(new Write(lease));
        };
    Cast.all(simulation, holder, holder);
    require(written.equals(written.stream().sorted().toList()), "an old lease wrote: " + written);
  }
}
