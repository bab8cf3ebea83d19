package io.turnwise.testkit.planted;

import static io.turnwise.testkit.planted.Defect.require;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.Call;
import io.turnwise.CallTimeoutException;
import io.turnwise.Context;
import io.turnwise.Reply;
import io.turnwise.testkit.simulation.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Questions, answers, and what comes late, twice or never. */
final class Conversations {
  private static final long TEN_MILLIS = 10_000_000;

  private Conversations() {}

  static List<Defect> defects() {
    return List.of(
        new Defect(
            "crossed-calls",
            "two actors call each other at the same time",
            "[SIMULATION-DEADLOCK]",
            Conversations::crossedCalls),
        new Defect(
            "order-of-two-senders",
            "work of one sender is taken to come after the settings of another",
            "work without settings",
            Conversations::orderOfTwoSenders),
        new Defect(
            "messages-counted-for-senders",
            "a barrier for two opens at the second message, which may be the first sender's",
            "opened for one",
            Conversations::messagesCountedForSenders),
        new Defect(
            "answered-twice",
            "an answer after the refusal is booked, although nobody waits for it any more",
            "booked twice",
            Conversations::answeredTwice),
        new Defect(
            "answer-forgotten",
            "of those that wait for the same thing, one is answered and all are forgotten",
            "no answer",
            Conversations::answerForgotten),
        new Defect(
            "late-timeout",
            "a timeout does not say of which question, and strikes the next",
            "an answer and a timeout",
            Conversations::lateTimeout),
        new Defect(
            "late-answer",
            "an answer does not say to which question, and is taken for that to the next",
            "the wrong answer",
            Conversations::lateAnswer),
        new Defect(
            "late-cancel",
            "a cancel does not say of what, and hits what came after",
            "cancelled: [second]",
            Conversations::lateCancel),
        new Defect(
            "paid-twice",
            "a call that timed out is made again, and both are done",
            "paid twice",
            Conversations::paidTwice),
        new Defect(
            "handled-again",
            "what was not confirmed is sent again, and the confirmation was lost",
            "handled again",
            Conversations::handledAgain),
        new Defect(
            "lost-on-the-way",
            "a message over a way that loses some is sent once, and not confirmed",
            "never came",
            Conversations::lostOnTheWay));
  }

  // ---- calls that cross -------------------------------------------------------------------------

  private sealed interface Talk {}

  private record Ask() implements Talk, Call<Talk, String> {}

  private record Meet(ActorRef<Talk> other) implements Talk {}

  private record Met() implements Talk {}

  private static void crossedCalls(Simulation simulation, boolean planted) throws Exception {
    Actor<Talk> partner =
        (message, context) -> {
          switch (message) {
            case Ask ask -> context.reply(ask, "here");
            case Meet(ActorRef<Talk> other) when planted -> other.call(new Ask());
            case Meet(ActorRef<Talk> other) -> context.callToSelf(other, new Ask(), _ -> new Met());
            case Met _ -> {}
          }
        };
    ActorRef<Talk> left = simulation.spawn("left", () -> partner);
    ActorRef<Talk> right = simulation.spawn("right", () -> partner);
    left.cast(new Meet(right));
    right.cast(new Meet(left));
    simulation.sleep(Duration.ofMinutes(1));
  }

  // ---- who comes first --------------------------------------------------------------------------

  private static void orderOfTwoSenders(Simulation simulation, boolean planted) throws Exception {
    List<String> seen = new ArrayList<>();
    ActorRef<String> worker =
        simulation.spawn(
            "worker",
            () ->
                (message, context) -> {
                  boolean early = message.equals("work") && !seen.contains("settings");
                  if (early && !planted) {
                    context.stash();
                    return;
                  }
                  seen.add(message);
                  if (message.equals("settings")) context.unstashAll();
                });
    Cast.all(simulation, () -> worker.cast("settings"), () -> worker.cast("work"));
    require(seen.getFirst().equals("settings"), "work without settings: " + seen);
  }

  private record Here(String who) {}

  private static void messagesCountedForSenders(Simulation simulation, boolean planted)
      throws Exception {
    List<Here> came = new ArrayList<>();
    List<String> openedFor = new ArrayList<>();
    ActorRef<Here> barrier =
        simulation.spawn(
            "barrier",
            () ->
                (here, _) -> {
                  if (planted || !came.contains(here)) came.add(here);
                  if (came.size() == 2) came.forEach(each -> openedFor.add(each.who()));
                });
    Cast.all(
        simulation,
        () -> {
          barrier.cast(new Here("ann"));
          barrier.cast(new Here("ann"));
        },
        () -> barrier.cast(new Here("bob")));
    require(new HashSet<>(openedFor).size() == 2, "opened for one: " + openedFor);
  }

  // ---- deferred answers -------------------------------------------------------------------------

  private sealed interface Till {}

  private record Pay() implements Till, Call<Till, String> {}

  private record Paid() implements Till {}

  private record TooLate() implements Till {}

  /** Asks the bank, and refuses when that takes too long. */
  private static final class Cashier implements Actor<Till> {
    private final boolean planted;
    private final List<String> book;
    private final ActorRef<Till> bank;
    private final List<Reply<String>> waiting = new ArrayList<>();

    Cashier(boolean planted, List<String> book, ActorRef<Till> bank) {
      this.planted = planted;
      this.book = book;
      this.bank = bank;
    }

    @Override
    public void receive(Till message, Context<Till> context) {
      switch (message) {
        case Pay pay -> {
          waiting.add(context.defer(pay));
          bank.cast(pay);
        }
        case Paid _ -> {
          boolean told = waiting.getFirst().send("paid");
          if (told || planted) book.add("paid");
        }
        case TooLate _ -> {
          if (waiting.getFirst().send("refused")) book.add("refused");
        }
      }
    }
  }

  private static void answeredTwice(Simulation simulation, boolean planted) throws Exception {
    List<String> book = new ArrayList<>();
    List<ActorRef<Till>> cashier = new ArrayList<>();
    ActorRef<Till> bank =
        simulation.spawn("bank", () -> (_, _) -> cashier.getFirst().cast(new Paid()));
    simulation.mayDelay(bank, Duration.ofMillis(20));
    cashier.add(simulation.spawn("cashier", () -> new Cashier(planted, book, bank)));
    Cast.all(
        simulation,
        () -> cashier.getFirst().call(new Pay()),
        () -> {
          LockSupport.parkNanos(TEN_MILLIS);
          cashier.getFirst().cast(new TooLate());
        });
    require(book.size() <= 1, "booked twice: " + book);
  }

  private sealed interface Page {}

  private record Fetch() implements Page, Call<Page, String> {}

  private record Loaded(String text) implements Page {}

  private static void answerForgotten(Simulation simulation, boolean planted) throws Exception {
    List<Reply<String>> waiting = new ArrayList<>();
    List<String> page = new ArrayList<>();
    ActorRef<Page> cache =
        simulation.spawn(
            "cache",
            () ->
                (message, context) -> {
                  switch (message) {
                    case Fetch fetch -> {
                      if (page.isEmpty()) waiting.add(context.defer(fetch));
                      else context.reply(fetch, page.getFirst());
                    }
                    case Loaded(String text) -> {
                      page.add(text);
                      if (!planted) waiting.forEach(reply -> reply.send(text));
                      else if (!waiting.isEmpty()) waiting.getFirst().send(text);
                      waiting.clear();
                    }
                  }
                });
    List<String> answers = new ArrayList<>();
    Cast.Part reader = () -> answers.add(cache.call(new Fetch(), Duration.ofMillis(100)));
    Cast.all(simulation, reader, reader, () -> cache.cast(new Loaded("text")));
    require(answers.size() == 2, "no answer for " + (2 - answers.size()));
  }

  // ---- what comes late --------------------------------------------------------------------------

  private sealed interface Event {}

  private record Question(int number) implements Event {}

  private record Answer(int number) implements Event {}

  private record Timeout(int number) implements Event {}

  /** Has one open question, and a clock that tells when it has waited long enough. */
  private static final class Asker implements Actor<Event> {
    private final ActorRef<Integer> server;
    private final List<String> log;
    private final boolean namesTimeouts;
    private final boolean namesAnswers;
    private int open;

    Asker(ActorRef<Integer> server, List<String> log, boolean namesTimeouts, boolean namesAnswers) {
      this.server = server;
      this.log = log;
      this.namesTimeouts = namesTimeouts;
      this.namesAnswers = namesAnswers;
    }

    @Override
    public void receive(Event event, Context<Event> context) {
      switch (event) {
        case Question(int number) -> {
          open = number;
          server.cast(number);
          ActorRef<Event> self = context.self();
          Thread.startVirtualThread(() -> self.cast(new Timeout(number)));
        }
        case Answer(int number) -> {
          if (open == 0 || (namesAnswers && number != open)) return;
          log.add("answer " + number + " to " + open);
          open = 0;
        }
        case Timeout(int number) -> {
          if (open == 0 || (namesTimeouts && number != open)) return;
          log.add("timeout " + number + " of " + open);
          open = 0;
        }
      }
    }
  }

  private static List<String> askTwice(
      Simulation simulation, boolean namesTimeouts, boolean namesAnswers) throws Exception {
    List<String> log = new ArrayList<>();
    List<ActorRef<Event>> asker = new ArrayList<>();
    ActorRef<Integer> server =
        simulation.spawn("server", () -> (number, _) -> asker.getFirst().cast(new Answer(number)));
    asker.add(simulation.spawn("asker", () -> new Asker(server, log, namesTimeouts, namesAnswers)));
    asker.getFirst().cast(new Question(1));
    asker.getFirst().cast(new Question(2));
    simulation.sleep(Duration.ofSeconds(1));
    return log;
  }

  private static void lateTimeout(Simulation simulation, boolean planted) throws Exception {
    List<String> log = askTwice(simulation, !planted, true);
    require(!log.contains("timeout 1 of 2"), "an answer and a timeout of another: " + log);
  }

  private static void lateAnswer(Simulation simulation, boolean planted) throws Exception {
    List<String> log = askTwice(simulation, true, !planted);
    require(!log.contains("answer 1 to 2"), "the wrong answer: " + log);
  }

  private record Order(String name, boolean cancels) {}

  private static void lateCancel(Simulation simulation, boolean planted) throws Exception {
    List<String> cancelled = new ArrayList<>();
    List<String> current = new ArrayList<>();
    ActorRef<Order> runner =
        simulation.spawn(
            "runner",
            () ->
                (order, _) -> {
                  if (!order.cancels()) current.addFirst(order.name());
                  else if (planted || order.name().equals(current.getFirst()))
                    cancelled.add(current.getFirst());
                });
    runner.cast(new Order("first", false));
    Cast.all(
        simulation,
        () -> runner.cast(new Order("first", true)),
        () -> runner.cast(new Order("second", false)));
    require(!cancelled.contains("second"), "cancelled: " + cancelled);
  }

  // ---- done again -------------------------------------------------------------------------------

  private record Debit(int number) implements Call<Debit, String> {}

  private static void paidTwice(Simulation simulation, boolean planted) throws Exception {
    List<Integer> done = new ArrayList<>();
    ActorRef<Debit> account =
        simulation.spawn(
            "account",
            () ->
                (debit, context) -> {
                  if (planted || !done.contains(debit.number())) done.add(debit.number());
                  context.reply(debit, "paid");
                });
    simulation.mayDelay(account, Duration.ofMillis(40));
    Cast.all(
        simulation,
        () -> {
          for (int tries = 0; tries < 3; tries++)
            try {
              account.call(new Debit(1), Duration.ofMillis(10));
              return;
            } catch (CallTimeoutException again) {
              // It may have been done all the same.
            }
        });
    require(done.size() == 1, "paid twice: " + done);
  }

  private static void handledAgain(Simulation simulation, boolean planted) throws Exception {
    List<Integer> done = new ArrayList<>();
    List<Integer> confirmed = new ArrayList<>();
    ActorRef<Integer> desk = simulation.spawn("desk", () -> (number, _) -> confirmed.add(number));
    ActorRef<Integer> worker =
        simulation.spawn(
            "worker",
            () ->
                (number, _) -> {
                  if (planted || !done.contains(number)) done.add(number);
                  desk.cast(number);
                });
    simulation.mayLose(desk);
    Cast.all(
        simulation,
        () -> {
          for (int tries = 0; tries < 3 && confirmed.isEmpty(); tries++) {
            worker.cast(1);
            LockSupport.parkNanos(TEN_MILLIS);
          }
        });
    require(done.size() == 1, "handled again: " + done);
  }

  private record Store(String what) implements Call<Store, String> {}

  private static void lostOnTheWay(Simulation simulation, boolean planted) throws Exception {
    List<String> stored = new ArrayList<>();
    ActorRef<Store> store =
        simulation.spawn(
            "store",
            () ->
                (message, context) -> {
                  stored.add(message.what());
                  context.reply(message, "stored");
                });
    simulation.mayLose(store);
    Cast.all(
        simulation,
        () -> {
          if (planted) {
            store.cast(new Store("letter"));
            return;
          }
          while (stored.isEmpty())
            try {
              store.call(new Store("letter"), Duration.ofMillis(10));
            } catch (CallTimeoutException again) {
              // Lost: once more.
            }
        });
    require(!stored.isEmpty(), "it never came");
  }
}
