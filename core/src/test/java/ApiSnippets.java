import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.Call;
import io.turnwise.Context;
import io.turnwise.KillReport;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.mailbox.Priority;
import io.turnwise.scheduling.Masked;
import io.turnwise.scheduling.SchedulingConfig;
import io.turnwise.scheduling.ShareGroup;
import io.turnwise.scheduling.TimeoutAction;
import io.turnwise.scheduling.YieldBudget;
import io.turnwise.time.TimerHandle;
import io.turnwise.time.TimerService;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** What the API's Javadoc, the README and docs/starting.md show beside whole programs. */
final class ApiSnippets {
  private ApiSnippets() {}

  sealed interface Message {}

  // @start region="call"
  record Total() implements Message, Call<Message, Integer> {}

  // @end

  static final class Orders implements Actor<Object> {
    record Cancel() {}

    @Override
    public void receive(Object message, Context<Object> context) {}
  }

  static final class Importer implements Actor<String> {
    @Override
    public void receive(String file, Context<String> context) {}
  }

  static final class Account {
    private int balance;

    void put(int amount) {
      balance += amount;
    }

    void take(int amount) {
      balance -= amount;
    }
  }

  static ActorSpec<Object> spec() {
    // @start region="spec"
    var orders =
        ActorSpec.of(Orders::new)
            .withMailbox(MailboxConfig.bounded(1_000, OverflowPolicy.WAIT))
            .withPriority(Orders.Cancel.class, Priority.HIGH);
    // @end
    return orders;
  }

  static void timers(ActorSystem system, Runnable remind, Runnable tidy) {
    // @start region="timers"
    TimerService timers = system.timers();
    TimerHandle reminder = timers.scheduleDelayed(remind, Duration.ofMinutes(5));
    timers.scheduleAtFixedRate(tidy, Duration.ZERO, Duration.ofHours(1), "tidy");
    if (reminder.cancel()) IO.println(reminder.id() + " is never called");
    timers.cancel("tidy");
    // @end
  }

  static void masked(Account from, Account to, int amount) {
    // @start region="masked"
    Masked.run(
        Duration.ofMillis(10),
        () -> {
          from.take(amount);
          to.put(amount);
        });
    // @end
  }

  static ActorSpec<String> share() {
    // @start region="share"
    var batch = new ShareGroup("batch", 25).withCeiling(0.5);
    var spec =
        ActorSpec.of(Importer::new).withScheduling(SchedulingConfig.DEFAULT.withGroup(batch));
    // @end
    return spec;
  }

  static void budget(List<Runnable> items) {
    // @start region="budget"
    var budget = new YieldBudget(1_000);
    for (var item : items) {
      item.run();
      budget.tick();
    }
    // @end
  }

  /** In the README, after the program. */
  static CompletionStage<KillReport> limits(ActorSystem system) {
    // @start region="limits"
    var spec =
        ActorSpec.of(Importer::new).withHandlerTimeout(Duration.ofSeconds(1), TimeoutAction.CANCEL);
    ActorRef<String> importer = system.spawn("importer", spec);
    CompletionStage<KillReport> killed = importer.kill();
    killed.thenAccept(how -> IO.println(how.path() + ": " + how.force() + " after " + how.took()));
    // @end
    return killed;
  }

  /** Stands in for Spring's. */
  @interface Bean {
    String destroyMethod();
  }

  static final class Beans {
    // @start region="bean"
    @Bean(destroyMethod = "close")
    ActorSystem system() {
      return ActorSystem.open("shop", c -> c.withCloseOnShutdown(false));
    }
    // @end
  }
}
