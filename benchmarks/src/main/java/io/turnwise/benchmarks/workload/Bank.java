package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.Behavior;
import io.turnwise.benchmarks.peer.Next;
import io.turnwise.benchmarks.peer.Request;
import io.turnwise.benchmarks.peer.Self;
import io.turnwise.benchmarks.result.Measurement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;

/**
 * A teller orders transfers between accounts. The source takes the amount, has the destination add
 * it, handles nothing else until that is confirmed, and then tells the teller. The destination
 * always has the higher number, so that no two accounts wait for each other.
 */
final class Bank implements Workload {
  private static final int ACCOUNTS = 1_000;
  private static final int TRANSFERS = 200_000;
  private static final long OPENING_BALANCE = 1_000_000_000_000L;
  private static final int LARGEST_AMOUNT = 1_000;
  private static final int SEED = 123_456;

  /** How a source holds back what arrives before the confirmation. */
  enum Style {
    /** It puts other messages aside and takes them up again later. */
    STASH,
    /** It waits for the confirmation in the middle of the transfer. */
    BLOCKING
  }

  private final Style style;

  Bank(Style style) {
    this.style = style;
  }

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    int transfers = stage.scaled(TRANSFERS, ACCOUNTS);
    Finish finish = stage.finish(1);
    Finish closed = stage.finish(ACCOUNTS);
    LongAdder money = new LongAdder();
    List<A> accounts = new ArrayList<>();
    A teller = stage.runtime().spawn(new Teller<>(accounts, transfers, finish));
    for (int i = 0; i < ACCOUNTS; i++) {
      Ledger ledger = new Ledger(money, closed);
      accounts.add(
          stage
              .runtime()
              .spawn(
                  style == Style.STASH
                      ? new StashingAccount<>(teller, ledger)
                      : new WaitingAccount<>(teller, ledger)));
    }

    long start = System.nanoTime();
    stage.runtime().send(teller, Cue.GO);
    finish.await();
    long nanos = System.nanoTime() - start;

    accounts.forEach(account -> stage.runtime().send(account, CLOSE));
    closed.await();
    WrongResultException.unlessEqual(
        "money in all accounts", ACCOUNTS * OPENING_BALANCE, money.sum());
    return Measurement.perSecond(transfers, transfers, nanos);
  }

  private record Transfer<A>(long amount, A destination) {}

  private record Deposit<A>(long amount, A source) {}

  /** The last message to an account. */
  private record Closing() {}

  private static final Closing CLOSE = new Closing();

  /** To the source: the deposit was made. To the teller: the transfer was made. */
  private enum Done {
    DEPOSIT,
    TRANSFER
  }

  /** One account's money, counted in whole cents so that none can hide in a rounding. */
  private static final class Ledger {
    private final LongAdder total;
    private final Finish closed;
    private long balance = OPENING_BALANCE;

    Ledger(LongAdder total, Finish closed) {
      this.total = total;
      this.closed = closed;
    }

    Next close() {
      total.add(balance);
      closed.crossed();
      return Next.STOP;
    }
  }

  private static final class Teller<A> implements Behavior<A> {
    private final List<A> accounts;
    private final int transfers;
    private final Finish finish;
    private int left;

    Teller(List<A> accounts, int transfers, Finish finish) {
      this.accounts = accounts;
      this.transfers = transfers;
      this.left = transfers;
      this.finish = finish;
    }

    @Override
    public Next receive(Object message, Self<A> self) {
      if (message == Cue.GO) {
        orderAll(self);
        return Next.CONTINUE;
      }
      if (--left > 0) {
        return Next.CONTINUE;
      }
      finish.crossed();
      return Next.STOP;
    }

    private void orderAll(Self<A> self) {
      SplittableRandom random = new SplittableRandom(SEED);
      for (int i = 0; i < transfers; i++) {
        int source = random.nextInt(ACCOUNTS * 8 / 10);
        int destination = source + Math.max(1, random.nextInt(ACCOUNTS - source));
        long amount = random.nextLong(LARGEST_AMOUNT);
        self.send(accounts.get(source), new Transfer<>(amount, accounts.get(destination)));
      }
    }
  }

  private static final class StashingAccount<A> implements Behavior<A> {
    private final A teller;
    private final Ledger ledger;
    private final Deque<Object> stash = new ArrayDeque<>();
    private boolean awaitsDeposit;

    StashingAccount(A teller, Ledger ledger) {
      this.teller = teller;
      this.ledger = ledger;
    }

    @Override
    public Next receive(Object message, Self<A> self) {
      if (message == CLOSE) {
        return ledger.close();
      }
      if (message == Done.DEPOSIT) {
        awaitsDeposit = false;
        self.send(teller, Done.TRANSFER);
        while (!awaitsDeposit && !stash.isEmpty()) {
          handle(stash.remove(), self);
        }
      } else if (awaitsDeposit) {
        stash.add(message);
      } else {
        handle(message, self);
      }
      return Next.CONTINUE;
    }

    @SuppressWarnings("unchecked") // addresses of this very runtime
    private void handle(Object message, Self<A> self) {
      switch (message) {
        case Transfer<?>(long amount, Object destination) -> {
          ledger.balance -= amount;
          awaitsDeposit = true;
          self.send((A) destination, new Deposit<>(amount, self.address()));
        }
        case Deposit<?>(long amount, Object source) -> {
          ledger.balance += amount;
          self.send((A) source, Done.DEPOSIT);
        }
        default -> throw new IllegalArgumentException("not for an account: " + message);
      }
    }
  }

  private static final class WaitingAccount<A> implements Behavior<A> {
    private final A teller;
    private final Ledger ledger;

    WaitingAccount(A teller, Ledger ledger) {
      this.teller = teller;
      this.ledger = ledger;
    }

    @Override
    @SuppressWarnings("unchecked") // addresses of this very runtime
    public Next receive(Object message, Self<A> self) throws Exception {
      switch (message) {
        case Transfer<?>(long amount, Object destination) -> {
          ledger.balance -= amount;
          if (self.askAndWait((A) destination, amount) != Done.DEPOSIT) {
            throw new WrongResultException("a deposit was not confirmed");
          }
          self.send(teller, Done.TRANSFER);
        }
        case Request deposit -> {
          ledger.balance += (Long) deposit.payload();
          self.reply(deposit, Done.DEPOSIT);
        }
        case Closing _ -> {
          return ledger.close();
        }
        default -> throw new IllegalArgumentException("not for an account: " + message);
      }
      return Next.CONTINUE;
    }
  }
}
