import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.Context;
import io.turnwise.supervision.Backoff;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.FailureAction;
import io.turnwise.supervision.Recovery;
import io.turnwise.supervision.RestartType;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorSpec;
import java.io.IOException;
import java.time.Duration;

/** What the Javadoc of supervision shows. */
final class SupervisionSnippets {
  private SupervisionSnippets() {}

  static final class Orders implements Actor<String> {
    @Override
    public void receive(String message, Context<String> context) {}
  }

  record Order(String what) {}

  static final class Mail implements Actor<String> {
    @Override
    public void receive(String message, Context<String> context) {}
  }

  static final class Readme {
    static final class Orders implements Actor<Order> {
      @Override
      public void receive(Order order, Context<Order> context) {}
    }

    static void start(ActorSystem system) {
      // @start region="readme"
      ChildSpec<Order> orders =
          ChildSpec.of("orders", Orders::new)
              .withBackoff(Backoff.exponential(Duration.ofMillis(100)).withJitter(0.2));
      SupervisorSpec spec =
          SupervisorSpec.restForOne()
              .withChild(orders)
              .withChild("mail", Mail::new) // restarted with orders, and after them
              .withLimit(5, Duration.ofSeconds(10));
      Supervisor shop = Supervisor.start(system, "shop", spec);
      shop.child(orders).cast(new Order("twelve apples")); // the address outlives every restart
      // @end
    }
  }

  static Backoff backoff() {
    // @start region="backoff"
    Backoff patient =
        Backoff.exponential(Duration.ofMillis(100)) // 100 ms, 200 ms, 400 ms …
            .withCeiling(Duration.ofSeconds(30))
            .withJitter(0.2)
            .withResetAfter(Duration.ofMinutes(5));
    // @end
    return patient;
  }

  static ChildSpec<String> child() {
    // @start region="child"
    ChildSpec<String> orders =
        ChildSpec.of("orders", Orders::new)
            .withRestart(RestartType.TRANSIENT)
            .withBackoff(Backoff.exponential(Duration.ofMillis(100)))
            .withAction(IOException.class, FailureAction.RESUME)
            .withStopDeadline(Duration.ofSeconds(2));
    // @end
    return orders;
  }

  static SupervisorSpec supervisor() {
    // @start region="supervisor"
    SupervisorSpec shop =
        SupervisorSpec.graph(Recovery.DOWNSTREAM)
            .withChild(ChildSpec.of("database", Orders::new))
            .withChild(ChildSpec.of("orders", Orders::new).withDependsOn("database"))
            .withChild(ChildSpec.of("mail", Orders::new).withDependsOn("orders"))
            .withLimit(5, Duration.ofSeconds(10));
    // @end
    return shop;
  }

  static void start(ActorSystem system) {
    // @start region="start"
    ChildSpec<String> orders = ChildSpec.of("orders", Orders::new);
    Supervisor shop =
        Supervisor.start(system, "shop", SupervisorSpec.oneForOne().withChild(orders));
    ActorRef<String> ref = shop.child(orders); // stays valid, however often it is restarted
    ref.cast("twelve apples");
    // @end
  }
}
