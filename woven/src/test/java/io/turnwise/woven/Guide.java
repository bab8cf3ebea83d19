package io.turnwise.woven;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.Call;
import io.turnwise.CallOutcome;
import io.turnwise.CallTimeoutException;
import io.turnwise.CalleeFailedException;
import io.turnwise.Context;
import io.turnwise.Dispatcher;
import io.turnwise.KillReport;
import io.turnwise.Reply;
import io.turnwise.Signal;
import io.turnwise.StopReason;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.MailboxFullException;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.mailbox.Priority;
import io.turnwise.observation.ActorSnapshot;
import io.turnwise.observation.ActorState;
import io.turnwise.observation.CloseReport;
import io.turnwise.observation.DeadLetterReason;
import io.turnwise.observation.SystemSnapshot;
import io.turnwise.observation.WorkerLoad;
import io.turnwise.scheduling.Backend;
import io.turnwise.scheduling.HandlerKind;
import io.turnwise.scheduling.Masked;
import io.turnwise.scheduling.Placement;
import io.turnwise.scheduling.SchedulingConfig;
import io.turnwise.scheduling.ShareGroup;
import io.turnwise.scheduling.TimeoutAction;
import io.turnwise.scheduling.YieldBudget;
import io.turnwise.supervision.Backoff;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.ChildStatus;
import io.turnwise.supervision.FailureAction;
import io.turnwise.supervision.PoisonMessage;
import io.turnwise.supervision.Recovery;
import io.turnwise.supervision.RestartType;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorRequest;
import io.turnwise.supervision.SupervisorSpec;
import io.turnwise.testkit.Probe;
import io.turnwise.testkit.Testkit;
import io.turnwise.time.TimerHandle;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;

/**
 * The examples of docs/guide.md, in its order. Each region is shown there as it stands here; a
 * method whose name is a region's prints what the guide says it prints. {@link GuideTest} holds
 * both.
 */
final class Guide {
  private Guide() {}

  // @start region="protocol"
  sealed interface CartMessage {}

  record Add(String item, int count) implements CartMessage {}

  record Count() implements CartMessage, Call<CartMessage, Integer> {}

  // @end

  // @start region="cart"
  static class Cart implements Actor<CartMessage> {
    private final Map<String, Integer> items = new TreeMap<>();

    @Override
    public void receive(CartMessage message, Context<CartMessage> context) {
      switch (message) {
        case Add(String item, int count) -> items.merge(item, count, Integer::sum);
        case Count call -> context.reply(call, items.values().stream().mapToInt(n -> n).sum());
      }
    }
  }

  // @end

  static void castAndCall(ActorSystem system) {
    // @start region="castAndCall"
    ActorRef<CartMessage> cart = system.spawn("cart", Cart::new);
    cart.cast(new Add("apple", 2));
    cart.cast(new Add("pear", 1));
    int count = cart.call(new Count());
    IO.println(cart.path() + " holds " + count);
    // @end
  }

  // @start region="door"
  static class Door implements Actor<String> {
    @Override
    public void init(Context<String> context) {
      IO.println("opens");
    }

    @Override
    public void receive(String guest, Context<String> context) {
      IO.println("greets " + guest);
    }

    @Override
    public void teardown(StopReason reason, Context<String> context) {
      IO.println("closes: " + reason);
    }
  }

  // @end

  static void life(ActorSystem system) {
    // @start region="life"
    ActorRef<String> door = system.spawn("door", Door::new);
    door.cast("Ann");
    door.stopAfterDrain();
    door.whenStopped().toCompletableFuture().join();
    // @end
  }

  static void callTimeout(ActorSystem system) {
    // @start region="callTimeout"
    record Question() implements Call<Question, String> {}

    Actor<Question> oracle =
        (question, context) -> {
          Thread.sleep(1_000); // holds no worker: only this actor waits
          context.reply(question, "42");
        };
    ActorRef<Question> slow = system.spawn("slow", () -> oracle);
    try {
      slow.call(new Question(), Duration.ofMillis(200));
    } catch (CallTimeoutException e) {
      e.getMessage().lines().limit(2).forEach(IO::println);
    }
    // @end
  }

  static void callFails(ActorSystem system) {
    // @start region="callFails"
    record Divide(int by) implements Call<Divide, Integer> {}

    Actor<Divide> divides =
        (divide, context) -> {
          if (divide.by() == 0)
            context.fail(divide, new IllegalArgumentException("nothing to divide by"));
          else context.reply(divide, 100 / divide.by());
        };
    ActorRef<Divide> divider = system.spawn("divider", () -> divides);
    try {
      divider.call(new Divide(0));
    } catch (CalleeFailedException e) {
      IO.println(e.getMessage());
    }
    IO.println(divider.call(new Divide(5)));
    // @end
  }

  static void callAsync(ActorSystem system) {
    // @start region="callAsync"
    ActorRef<CartMessage> cart = system.spawn("cart", Cart::new);
    cart.cast(new Add("apple", 2));
    CompletionStage<Integer> answer = cart.callAsync(new Count());
    CompletionStage<Void> shown = answer.thenAccept(n -> IO.println("there are " + n));
    shown.toCompletableFuture().join();
    // @end
  }

  // @start region="shopper"
  sealed interface Shopper {
    record Ask(ActorRef<CartMessage> cart) implements Shopper {}

    record Answer(CallOutcome<Integer> outcome) implements Shopper {}
  }

  // @end

  static void callToSelf(ActorSystem system) {
    ActorRef<CartMessage> cart = system.spawn("cart", Cart::new);
    // @start region="callToSelf"
    Actor<Shopper> asks =
        (message, context) -> {
          switch (message) {
            case Shopper.Ask(var asked) ->
                context.callToSelf(asked, new Count(), Shopper.Answer::new);
            case Shopper.Answer(CallOutcome.Answered<Integer>(Integer count)) -> {
              IO.println("the cart holds " + count);
              context.stop();
            }
            case Shopper.Answer(CallOutcome.Failed<Integer>(Throwable cause)) ->
                IO.println("no answer: " + cause.getMessage());
          }
        };
    ActorRef<Shopper> shopper = system.spawn("shopper", () -> asks);
    shopper.cast(new Shopper.Ask(cart));
    shopper.whenStopped().toCompletableFuture().join();
    // @end
  }

  // @start region="shelf"
  sealed interface ShelfMessage {}

  record Put(String thing) implements ShelfMessage {}

  record Take() implements ShelfMessage, Call<ShelfMessage, String> {}

  static class Shelf implements Actor<ShelfMessage> {
    private final Queue<Reply<String>> waiting = new ArrayDeque<>();

    @Override
    public void receive(ShelfMessage message, Context<ShelfMessage> context) {
      switch (message) {
        case Take call -> waiting.add(context.defer(call)); // answered in a later turn
        case Put(String thing) -> {
          Reply<String> next = waiting.poll();
          if (next != null && !next.send(thing)) IO.println("nobody waits for it any more");
        }
      }
    }
  }

  // @end

  static void defer(ActorSystem system) {
    // @start region="defer"
    ActorRef<ShelfMessage> shelf = system.spawn("shelf", Shelf::new);
    CompletionStage<String> taken = shelf.callAsync(new Take());
    shelf.cast(new Put("a parcel"));
    IO.println("got " + taken.toCompletableFuture().join());
    // @end
  }

  static void forward(ActorSystem system) {
    // @start region="forward"
    record HowMany() implements Call<HowMany, Integer> {}

    ActorRef<CartMessage> cart = system.spawn("cart", Cart::new);
    Actor<HowMany> asksTheCart =
        (question, context) -> context.forward(question, cart, new Count());
    ActorRef<HowMany> desk = system.spawn("desk", () -> asksTheCart);
    IO.println("the cart answered " + desk.call(new HowMany()));
    // @end
  }

  static void children(ActorSystem system) {
    // @start region="children"
    record NewLine(String name) implements Call<NewLine, String> {}

    Actor<NewLine> opensLines =
        (line, context) -> {
          ActorRef<CartMessage> child = context.spawn(line.name(), Cart::new);
          context.reply(line, child.path() + " of " + context.children().size());
        };
    ActorRef<NewLine> orders = system.spawn("orders", () -> opensLines);
    IO.println(orders.call(new NewLine("line-1")));
    IO.println(orders.call(new NewLine("line-2")));
    IO.println(system.find("/shop/orders/line-2").isPresent());
    IO.println(system.find("orders/line-3").isPresent());
    // @end
  }

  // @start region="guard"
  static class Guard implements Actor<ActorRef<?>> {
    @Override
    public void receive(ActorRef<?> actor, Context<ActorRef<?>> context) {
      context.watch(actor);
    }

    @Override
    public void info(Signal signal, Context<ActorRef<?>> context) {
      switch (signal) {
        case Signal.Terminated(var actor, StopReason.Crashed(Throwable cause)) ->
            IO.println(actor.name() + " crashed: " + cause.getMessage());
        case Signal.Terminated(var actor, var reason) ->
            IO.println(actor.name() + " ended, orderly: " + reason.orderly());
        case Signal.ChildCrashed(var child, _) -> IO.println("my own " + child.name());
      }
      context.stop();
    }
  }

  // @end

  static void watch(ActorSystem system) {
    // @start region="watch"
    Actor<String> knowsNothing =
        (job, _) -> {
          throw new IllegalStateException("no idea how to " + job);
        };
    ActorRef<String> worker = system.spawn("worker", () -> knowsNothing);
    ActorRef<ActorRef<?>> guard = system.spawn("guard", Guard::new);
    guard.cast(worker);
    worker.cast("fly");
    guard.whenStopped().toCompletableFuture().join();
    // @end
  }

  static void kill(ActorSystem system) throws InterruptedException {
    // @start region="kill"
    var started = new CountDownLatch(1);
    Actor<String> endless =
        (_, _) -> {
          started.countDown();
          for (long i = 0; ; i++) if (i < 0) IO.println("never");
        };
    ActorRef<String> report = system.spawn("report", () -> endless);
    report.cast("begin");
    started.await();
    KillReport how = report.kill().toCompletableFuture().join();
    IO.println(how.path() + ": " + how.force());
    // @end
  }

  // @start region="bakery"
  sealed interface Order {
    record Bake(String grain) implements Order {}

    record Loaves() implements Order, Call<Order, Integer> {}
  }

  static class Baker implements Actor<Order> {
    private int loaves;

    @Override
    public void receive(Order order, Context<Order> context) {
      switch (order) {
        case Order.Bake(String grain) -> {
          if (grain.equals("gravel")) throw new IllegalArgumentException("nobody eats that");
          loaves++;
        }
        case Order.Loaves call -> context.reply(call, loaves);
      }
    }
  }

  // @end

  static void supervise(ActorSystem system) {
    // @start region="supervise"
    ChildSpec<Order> baker =
        ChildSpec.of("baker", Baker::new).withBackoff(Backoff.exponential(Duration.ofMillis(20)));
    Supervisor bakery =
        Supervisor.start(system, "bakery", SupervisorSpec.oneForOne().withChild(baker));
    ActorRef<Order> ref = bakery.child(baker); // stays valid, however often it is restarted
    for (String grain : List.of("rye", "wheat", "gravel", "spelt")) ref.cast(new Order.Bake(grain));
    IO.println(ref.call(new Order.Loaves()) + " loaf in the second life");
    IO.println(bakery.children().getFirst().restarts() + " restart");
    // @end
  }

  static void graph(ActorSystem system) {
    // @start region="graph"
    SupervisorSpec shop =
        SupervisorSpec.graph(Recovery.DOWNSTREAM)
            .withChild(ChildSpec.of("oven", Baker::new))
            .withChild(ChildSpec.of("baker", Baker::new).withDependsOn("oven"))
            .withChild(
                ChildSpec.of("counter", Baker::new)
                    .withDependsOn("baker")
                    .withRestart(RestartType.TRANSIENT)
                    .withAction(IllegalArgumentException.class, FailureAction.RESUME)
                    .withStopDeadline(Duration.ofSeconds(1)))
            .withLimit(5, Duration.ofSeconds(10));
    Supervisor running = Supervisor.start(system, "shop", shop);
    running.awaitUp(Duration.ofSeconds(5));
    for (ChildStatus child : running.children())
      IO.println(child.actor().name() + " " + child.state());
    // @end
  }

  static void dynamic(ActorSystem system) {
    // @start region="dynamic"
    Supervisor bakers = Supervisor.start(system, "bakers", SupervisorSpec.dynamic());
    ChildSpec<Order> baker = ChildSpec.of(Baker::new).withRestart(RestartType.TRANSIENT);
    List<ActorRef<Order>> shift = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) shift.add(bakers.start(baker));
    shift.get(7).cast(new Order.Bake("gravel")); // crashes, and comes back
    bakers.stop(shift.get(8)); // is gone when this returns
    IO.println(shift.get(7).call(new Order.Loaves()) + " loaves");
    IO.println(bakers.children().size() + " bakers");
    // @end
  }

  static void poison(ActorSystem system) {
    // @start region="poison"
    var given = new CompletableFuture<PoisonMessage>();
    ChildSpec<Order> baker = ChildSpec.of("baker", Baker::new).withTries(3);
    SupervisorSpec spec =
        SupervisorSpec.oneForOne().withChild(baker).withPoisonListener(given::complete);
    Supervisor.start(system, "bakery", spec).child(baker).cast(new Order.Bake("gravel"));
    PoisonMessage poison = given.join();
    IO.println(poison.message() + " failed " + poison.tries() + " times: " + poison.cause());
    // @end
  }

  static void acquaintances(ActorSystem system) {
    // @start region="acquaintances"
    Supervisor shop = Supervisor.start(system, "shop", SupervisorSpec.restForOne());
    ActorRef<Order> baker = shop.start(ChildSpec.of("baker", Baker::new));
    Actor<Order> sells =
        (order, context) -> {
          switch (order) {
            case Order.Bake bake -> baker.cast(bake);
            case Order.Loaves call -> context.forward(call, baker, call);
          }
        };
    ActorRef<Order> till = shop.start(ChildSpec.of("till", () -> sells));
    till.cast(new Order.Bake("rye"));
    IO.println(till.call(new Order.Loaves()) + " loaf");
    // @end
  }

  static void nested(ActorSystem system) {
    // @start region="nested"
    ChildSpec<Order> baker = ChildSpec.of("baker", Baker::new);
    ChildSpec<SupervisorRequest> bakery =
        ChildSpec.supervisor("bakery", SupervisorSpec.oneForAll().withChild(baker));
    Supervisor top = Supervisor.start(system, "top", SupervisorSpec.oneForOne().withChild(bakery));
    IO.println(Supervisor.at(top.child(bakery)).child(baker).path());
    // @end
  }

  // @start region="kettle"
  static final class Kettle implements Actor<String> {
    @Override
    public void receive(String message, Context<String> context) {
      switch (message) {
        case "on" -> {
          context.timers().atFixedRate("look", Duration.ofMillis(10), "look");
          context.timers().once("boil", Duration.ofMillis(25), "boil");
          context.timers().once("whistle", Duration.ofHours(1), "whistle");
        }
        case "look" -> IO.println("not yet");
        default -> {
          context.timers().cancel("look");
          context.timers().cancel("whistle");
          IO.println("tea");
          context.stop();
        }
      }
    }
  }

  // @end

  static void timers(ActorSystem system) {
    // @start region="timers"
    ActorRef<String> kettle = system.spawn("kettle", Kettle::new);
    kettle.cast("on");
    kettle.whenStopped().toCompletableFuture().join();
    // @end
  }

  static void callbacks(ActorSystem system) throws InterruptedException {
    // @start region="callbacks"
    var called = new CountDownLatch(1);
    TimerHandle soon = system.timers().scheduleDelayed(called::countDown, Duration.ofMillis(5));
    TimerHandle never = system.timers().scheduleDelayed(() -> {}, Duration.ofHours(1), "report");
    called.await();
    IO.println(never.cancel() + " " + soon.cancel());
    // @end
  }

  // @start region="till"
  static class Till implements Actor<String> {
    private boolean open;

    @Override
    public void receive(String message, Context<String> context) {
      if (message.equals("open")) {
        open = true;
        context.unstashAll();
      } else if (!open) {
        context.stash();
      } else {
        IO.println("sold " + message);
      }
    }
  }

  // @end

  static void stash(ActorSystem system) {
    // @start region="stash"
    ActorRef<String> till = system.spawn("till", Till::new);
    till.cast("bread");
    till.cast("milk");
    till.cast("open");
    till.cast("eggs");
    till.stopAfterDrain();
    till.whenStopped().toCompletableFuture().join();
    // @end
  }

  static void priorities(ActorSystem system) {
    // @start region="priorities"
    var gate = new CountDownLatch(1);
    Actor<Object> reads =
        (message, _) -> {
          gate.await();
          IO.println(message);
        };
    var spec = ActorSpec.of(() -> reads).withPriority(Integer.class, Priority.HIGH);
    ActorRef<Object> clerk = system.spawn("clerk", spec);
    clerk.cast("in hand, waits for the gate");
    while (clerk.snapshot().handling() == null) Thread.onSpinWait();
    clerk.cast("by the way", Priority.LOW);
    clerk.cast("as usual");
    clerk.cast(112);
    gate.countDown();
    // @end
  }

  static void overflow(ActorSystem system) {
    // @start region="overflow"
    var gate = new CountDownLatch(1);
    Actor<String> prints = (_, _) -> gate.await();
    var spec =
        ActorSpec.of(() -> prints).withMailbox(MailboxConfig.bounded(2, OverflowPolicy.FAIL));
    ActorRef<String> press = system.spawn("press", spec);
    press.cast("in hand");
    while (press.snapshot().handling() == null) Thread.onSpinWait();
    press.cast("waits");
    press.cast("waits, too");
    try {
      press.cast("one too many");
    } catch (MailboxFullException e) {
      IO.println(e.getMessage());
    }
    gate.countDown();
    // @end
  }

  static void deadLetters(ActorSystem system) throws InterruptedException {
    // @start region="deadLetters"
    var seen = new CountDownLatch(1);
    system.onDeadLetter(
        letter -> {
          IO.println(letter.message() + " for " + letter.recipient() + ": " + letter.reason());
          seen.countDown();
        });
    ActorRef<CartMessage> cart = system.spawn("cart", Cart::new);
    cart.stop();
    cart.whenStopped().toCompletableFuture().join();
    cart.cast(new Add("apple", 1));
    seen.await();
    Map<DeadLetterReason, Long> counts = system.snapshot().deadLetters();
    IO.println(counts.get(DeadLetterReason.RECIPIENT_STOPPED));
    // @end
  }

  static void scheduling() {
    // @start region="scheduling"
    try (var system = ActorSystem.open("shop", c -> c.withWorkers(2).withThroughput(50))) {
      var batch = new SchedulingConfig(1_000, Duration.ofMillis(20)).withPreemptible(false);
      ActorSpec<CartMessage> spec = ActorSpec.of(Cart::new);
      system.spawn("quick", spec.withScheduling(SchedulingConfig.LATENCY));
      system.spawn("batch", spec.withScheduling(batch));
      Dispatcher dispatcher = system.dispatcher();
      dispatcher.configure(s -> s.withQuantum(Duration.ofMillis(5)));
      IO.println(dispatcher.scheduling());
    }
    // @end
  }

  static void yielding(ActorSystem system) {
    // @start region="yielding"
    record Sum(int upTo) implements Call<Sum, Long> {}

    Actor<Sum> adds =
        (sum, context) -> {
          var budget = new YieldBudget(1_000);
          long total = 0;
          for (int i = 1; i <= sum.upTo(); i++) {
            total += i;
            budget.tick(); // lets others run after every 1,000 steps
          }
          context.reply(sum, total);
        };
    ActorRef<Sum> adder = system.spawn("adder", () -> adds);
    IO.println(adder.call(new Sum(100_000)));
    // @end
  }

  static void dispatchers() {
    // @start region="dispatchers"
    try (var system = ActorSystem.open("shop", c -> c.withDispatcher("reports", 1))) {
      ActorSpec<CartMessage> cart = ActorSpec.of(Cart::new);
      system.spawn("report", cart.withDispatcher("reports"));
      system.spawn("scanner", cart.withBackend(Backend.THREAD));
      system.spawn("left", cart.withPlacement(Placement.pinnedTo(0)));
      system.spawn("near", cart.withPlacement(Placement.groupedAs("neighbours")));

      Dispatcher reports = system.dispatcher("reports");
      reports.resize(2);
      IO.println(reports.name() + " has " + reports.workers() + " workers");
      List<WorkerLoad> loads = reports.loads(); // queued, parked, usage of each
      IO.println(loads.size() + " loads");
    }
    // @end
  }

  static void handlerTimeout(ActorSystem system) {
    // @start region="handlerTimeout"
    record Compute(boolean forEver) implements Call<Compute, String> {}

    Actor<Compute> computes =
        (compute, context) -> {
          for (long i = 0; compute.forEver(); i++) if (i < 0) break;
          context.reply(compute, "done");
        };
    var spec =
        ActorSpec.of(() -> computes)
            .withHandlerTimeout(HandlerKind.CALL, Duration.ofMillis(50), TimeoutAction.CANCEL);
    ActorRef<Compute> worker = system.spawn("worker", spec);
    try {
      worker.call(new Compute(true));
    } catch (CalleeFailedException e) {
      IO.println(e.getCause().getMessage().lines().findFirst().orElseThrow());
    }
    IO.println(worker.call(new Compute(false)));
    // @end
  }

  static void masked(ActorSystem system) {
    // @start region="masked"
    record Transfer(int amount) implements Call<Transfer, Integer> {}

    int[] accounts = {100, 0};
    Actor<Transfer> transfers =
        (transfer, context) -> {
          Masked.run(
              Duration.ofMillis(10),
              () -> {
                accounts[0] -= transfer.amount();
                accounts[1] += transfer.amount();
              });
          context.reply(transfer, accounts[1]);
        };
    ActorRef<Transfer> bank = system.spawn("bank", () -> transfers);
    IO.println(bank.call(new Transfer(30)));
    // @end
  }

  static void shareGroup(ActorSystem system) {
    // @start region="shareGroup"
    var imports = new ShareGroup("imports", 25).withCeiling(0.5);
    var spec = ActorSpec.of(Cart::new).withScheduling(SchedulingConfig.DEFAULT.withGroup(imports));
    for (int i = 0; i < 10; i++) system.spawn("import-" + i, spec);
    // @end
  }

  static void snapshots(ActorSystem system) {
    // @start region="snapshots"
    ActorRef<CartMessage> cart = system.spawn("cart", Cart::new);
    cart.call(new Count());
    while (cart.snapshot().state() != ActorState.RECEIVING) Thread.onSpinWait();
    ActorSnapshot one = cart.snapshot();
    IO.println(one.describe());
    IO.println(system.dump().contains(one.describe()));
    SystemSnapshot all = system.snapshot();
    IO.println(all.actorsLive() + " lives, " + all.crashes() + " crashed");
    // @end
  }

  static void closing() {
    // @start region="closing"
    var system = ActorSystem.open("shop", c -> c.withCloseDeadline(Duration.ofSeconds(10)));
    ActorRef<String> door = system.spawn("door", Door::new);
    door.cast("Ann");
    CloseReport report = system.close(Duration.ofSeconds(2));
    IO.println("complete: " + report.complete() + ", left: " + report.messagesLeft());
    door.cast("Bob"); // a dead letter
    // @end
  }

  // @start region="tested"
  sealed interface ShopMessage {}

  record Buy(String item) implements ShopMessage {}

  record Price(String item) implements ShopMessage, Call<ShopMessage, Integer> {}

  record Sold(String item, int price) implements ShopMessage {}

  static class Shop implements Actor<ShopMessage> {
    private final ActorRef<ShopMessage> prices;
    private final ActorRef<ShopMessage> ledger;

    Shop(ActorRef<ShopMessage> prices, ActorRef<ShopMessage> ledger) {
      this.prices = prices;
      this.ledger = ledger;
    }

    @Override
    public void receive(ShopMessage message, Context<ShopMessage> context) {
      switch (message) {
        case Buy(String item) -> ledger.cast(new Sold(item, prices.call(new Price(item))));
        case Price price -> context.reply(price, prices.call(price));
        case Sold _ -> throw new IllegalArgumentException("a shop buys nothing");
      }
    }
  }

  // @end

  static void testing() {
    // @start region="testing"
    try (var kit = Testkit.onVirtualTime()) {
      Probe<ShopMessage> prices = kit.probe("prices");
      Probe<ShopMessage> ledger = kit.probe("ledger");
      var shop = kit.system().spawn("shop", () -> new Shop(prices.ref(), ledger.ref()));

      shop.cast(new Buy("apple"));
      Price asked = prices.expect(new Price("apple")); // the shop waits for the answer
      ledger.expectNothing();
      prices.reply(asked, 3);
      ledger.expect(new Sold("apple", 3));

      prices.answer(Price.class, price -> price.item().length()); // from now on, at once
      IO.println(shop.call(new Price("pear")));
    }
    // @end
  }

  static void testingTime() {
    // @start region="testingTime"
    try (var kit = Testkit.onVirtualTime(c -> c.withCallTimeout(Duration.ofHours(1)))) {
      Probe<ShopMessage> prices = kit.probe("prices");
      var shop = kit.system().spawn("shop", () -> new Shop(prices.ref(), prices.ref()));
      shop.cast(new Buy("apple"));
      kit.advance(Duration.ofMinutes(59));
      IO.println(shop.snapshot().describe());
      kit.advance(Duration.ofMinutes(1));
      kit.expectCrash(shop, CallTimeoutException.class);
      IO.println(kit.clock().instant());
    }
    // @end
  }

  static void testingFailure() {
    // @start region="testingFailure"
    try (var kit = Testkit.onVirtualTime()) {
      Probe<ShopMessage> probe = kit.probe("ledger");
      probe.ref().cast(new Sold("apple", 4));
      probe.expect(new Sold("apple", 3));
    } catch (AssertionError failure) {
      IO.println(failure.getMessage());
    }
    // @end
  }

  static void testingLeftovers() {
    // @start region="testingLeftovers"
    var kit = Testkit.onVirtualTime();
    Probe<ShopMessage> prices = kit.probe("prices");
    var shop = kit.system().spawn("shop", () -> new Shop(prices.ref(), prices.ref()));
    shop.cast(new Sold("apple", 3));
    try {
      kit.close();
    } catch (AssertionError failure) {
      IO.println(failure.getMessage());
    }
    // @end
  }
}
