package io.turnwise.demo;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.Context;
import io.turnwise.observation.ActorState;
import io.turnwise.observation.CloseReport;
import io.turnwise.supervision.Backoff;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.FailureAction;
import io.turnwise.supervision.RestartLimit;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorRequest;
import io.turnwise.supervision.SupervisorSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/**
 * A kitchen whose cooks crash under load: stations are supervisors, under one that cares for all of
 * them. Waiters have the same load and never crash: they show what the crashes cost the others.
 */
final class Kitchen {
  static final List<String> STATIONS =
      List.of("bread", "soup", "grill", "fish", "pasta", "salad", "sauce", "sweets");
  static final int COOKS = 60;
  private static final int WAITERS = 100;
  private static final Duration BETWEEN_ORDERS = Duration.ofMillis(20);
  private static final Duration HEALING = Duration.ofSeconds(10);

  final Ledger ledger = new Ledger();
  final LongAdder ticks = new LongAdder();
  final Latencies cooking = new Latencies();
  final Latencies waiting = new Latencies();
  final Latencies waitingBefore = new Latencies();
  final Latencies waitingBeside = new Latencies();
  final Latencies answering = new Latencies();
  final ActorSystem system;
  private final ActorRef<SupervisorRequest> boss;
  private final List<List<ActorRef<Cook.Message>>> cooks = new ArrayList<>();
  private final List<ActorRef<Cook.Message>> waiters = new ArrayList<>();
  private final List<ActorRef<Order>> guests = new ArrayList<>();
  private int plates;
  private int fires;

  /** Nothing has gone wrong yet. Written by who lets it go wrong, read by the waiters. */
  private volatile boolean calm = true;

  /** A guest's own tick. */
  private record Order() {}

  Kitchen(Options options) {
    system =
        ActorSystem.open(
            "kitchen", c -> c.withWorkers(options.workers()).withCloseOnShutdown(false));
    SupervisorSpec all = SupervisorSpec.oneForOne().withLimit(RestartLimit.NONE);
    for (String station : STATIONS) all = all.withChild(station(station));
    Supervisor stations = Supervisor.start(system, "cooks", all);
    boss = stations.actor();
    for (String station : STATIONS) cooks.add(cooksOf(stations, station));
    for (int i = 0; i < WAITERS; i++)
      waiters.add(system.spawn("waiter-" + i, () -> new Cook(this::served)));
    for (int i = 0; i < options.customers(); i++)
      guests.add(system.spawn("guest-" + i, Guest::new));
  }

  private ChildSpec<SupervisorRequest> station(String name) {
    SupervisorSpec row = SupervisorSpec.oneForOne().withLimit(RestartLimit.NONE);
    List<ChildSpec<?>> members = new ArrayList<>();
    for (int i = 1; i <= COOKS; i++) members.add(cook(name + "-" + i));
    return ChildSpec.supervisor(name, row.withChildren(members))
        .withBackoff(Backoff.constant(Duration.ofMillis(800)));
  }

  private ChildSpec<Cook.Message> cook(String name) {
    return ChildSpec.of(name, () -> new Cook(cooking::record))
        .withAction(Cook.Fire.class, FailureAction.ESCALATE)
        .withBackoff(
            Backoff.exponential(Duration.ofMillis(150))
                .withCeiling(Duration.ofSeconds(2))
                .withJitter(0.5)
                .withResetAfter(Duration.ofSeconds(5)));
  }

  private List<ActorRef<Cook.Message>> cooksOf(Supervisor stations, String name) {
    ledger.count(1 + COOKS);
    Supervisor station = Supervisor.at(stations.child(station(name)));
    List<ActorRef<Cook.Message>> row = new ArrayList<>();
    for (int i = 1; i <= COOKS; i++) row.add(station.child(cook(name + "-" + i)));
    return row;
  }

  /** By a waiter. */
  private void served(long nanos) {
    waiting.record(nanos);
    (calm ? waitingBefore : waitingBeside).record(nanos);
  }

  /** Orders of a random cook and of a random waiter, again and again. */
  private final class Guest implements Actor<Order> {
    @Override
    public void init(Context<Order> context) {
      long spread = ThreadLocalRandom.current().nextLong(BETWEEN_ORDERS.toNanos());
      context.timers().once("order", Duration.ofNanos(spread), new Order());
    }

    @Override
    public void receive(Order order, Context<Order> context) {
      ticks.increment();
      if (!context.timers().isActive("order"))
        context.timers().atFixedRate("order", BETWEEN_ORDERS, order);
      var random = ThreadLocalRandom.current();
      order(cooks.get(random.nextInt(cooks.size())), random);
      order(waiters, random);
    }

    private void order(List<ActorRef<Cook.Message>> of, ThreadLocalRandom random) {
      ledger.cast(of.get(random.nextInt(of.size())), new Cook.Message.Dish(System.nanoTime()));
    }
  }

  // ---- what goes wrong -------------------------------------------------------------------------

  void dropPlate() {
    calm = false;
    plates++;
    ledger.cast(anyOf(cooks.get(random(cooks.size()))), new Cook.Message.DropPlate());
  }

  /** A plate for every other cook of each station, all at once. */
  void dropManyPlates() {
    calm = false;
    for (List<ActorRef<Cook.Message>> row : cooks)
      for (int i = 0; i < row.size(); i += 2) {
        plates++;
        ledger.cast(row.get(i), new Cook.Message.DropPlate());
      }
  }

  /** In one station after another. */
  void catchFire() {
    calm = false;
    ledger.cast(anyOf(cooks.get(fires++ % cooks.size())), new Cook.Message.CatchFire());
  }

  private static ActorRef<Cook.Message> anyOf(List<ActorRef<Cook.Message>> row) {
    return row.get(random(row.size()));
  }

  private static int random(int bound) {
    return ThreadLocalRandom.current().nextInt(bound);
  }

  // ---- looking ---------------------------------------------------------------------------------

  /** How the cooks of each station are. */
  List<List<ActorState>> states() {
    return cooks.stream()
        .map(row -> row.stream().map(cook -> cook.snapshot().state()).toList())
        .toList();
  }

  /** Asks the supervisor something, to see how long it takes to answer. */
  void askBoss() {
    long began = System.nanoTime();
    var unused = ledger.call(boss, new SupervisorRequest.Find(STATIONS.getFirst()));
    answering.record(System.nanoTime() - began);
  }

  int plates() {
    return plates;
  }

  int fires() {
    return fires;
  }

  /** Whether everybody is back. */
  private boolean isWhole() {
    return states().stream()
        .flatMap(List::stream)
        .noneMatch(s -> s == ActorState.RESTARTING || s == ActorState.STARTING);
  }

  /** Lets no more guests in and waits until all cooks are back. Returns how long that took. */
  Duration heal() throws InterruptedException {
    guests.forEach(ActorRef::stop);
    long began = System.nanoTime();
    while (!isWhole() && System.nanoTime() - began < HEALING.toNanos()) Thread.sleep(5);
    return Duration.ofNanos(System.nanoTime() - began);
  }

  CloseReport close() {
    return system.close(Duration.ofSeconds(5));
  }
}
