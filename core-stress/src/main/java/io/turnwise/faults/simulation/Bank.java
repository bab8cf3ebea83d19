package io.turnwise.faults.simulation;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.Call;
import io.turnwise.CallException;
import io.turnwise.Context;
import io.turnwise.testkit.simulation.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Transfers over ways that lose and delay: each step is asked for until it is confirmed, and done
 * once, because it has a number. In the end no money is missing and none was made.
 */
final class Bank {
  private static final int ACCOUNTS = 3;
  private static final int CLERKS = 3;
  private static final int TRANSFERS = 3;
  private static final int RICH = 100;

  private sealed interface Message {}

  /** Takes or gives; answers whether there was enough. */
  private record Book(int number, int amount) implements Message, Call<Message, Boolean> {}

  private record Balance() implements Message, Call<Message, Integer> {}

  private Bank() {}

  static void live(Simulation simulation) throws Exception {
    var random = new SplittableRandom(simulation.seed());
    List<ActorRef<Message>> accounts = new ArrayList<>();
    for (int i = 0; i < ACCOUNTS; i++) {
      ActorRef<Message> account = simulation.spawn("account" + i, Account::new);
      accounts.add(account);
      if (random.nextBoolean()) simulation.mayLose(account);
      if (random.nextBoolean()) simulation.mayDelay(account, Duration.ofMillis(50));
    }
    List<Integer> done = new ArrayList<>();
    for (int i = 0; i < CLERKS; i++) {
      int clerk = i;
      SplittableRandom own = random.split();
      simulation
          .<String>spawn(
              "clerk" + i,
              () ->
                  (_, _) -> {
                    for (int t = 0; t < TRANSFERS; t++)
                      transfer(accounts, own, 2 * (clerk * TRANSFERS + t));
                    done.add(clerk);
                  })
          .cast("begin");
    }
    simulation.sleep(Duration.ofHours(1));
    int total = 0;
    for (ActorRef<Message> account : accounts) total += ask(account, new Balance());
    if (done.size() != CLERKS) throw new AssertionError("only " + done + " are done");
    if (total != ACCOUNTS * RICH) throw new AssertionError("the bank has " + total);
  }

  private static void transfer(
      List<ActorRef<Message>> accounts, SplittableRandom random, int number) {
    int amount = 1 + random.nextInt(RICH);
    int from = random.nextInt(ACCOUNTS);
    int to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
    if (ask(accounts.get(from), new Book(number, -amount)))
      ask(accounts.get(to), new Book(number + 1, amount));
  }

  private static <R> R ask(ActorRef<Message> account, Call<Message, R> request) {
    for (; ; )
      try {
        return account.call(request, Duration.ofMillis(30));
      } catch (CallException lost) {
        // The request or its answer; it is asked again with the same number.
      }
  }

  private static final class Account implements Actor<Message> {
    private final Set<Integer> booked = new HashSet<>();
    private int balance = RICH;

    @Override
    public void receive(Message message, Context<Message> context) {
      switch (message) {
        case Balance balanceOf -> context.reply(balanceOf, balance);
        case Book book -> {
          boolean again = booked.contains(book.number());
          boolean enough = again || balance + book.amount() >= 0;
          if (!again && enough) {
            booked.add(book.number());
            balance += book.amount();
          }
          context.reply(book, enough);
        }
      }
    }
  }
}
