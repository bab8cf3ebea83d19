package io.turnwise.testkit.planted;

import static io.turnwise.testkit.planted.Defect.require;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.Call;
import io.turnwise.Context;
import io.turnwise.Signal;
import io.turnwise.StopReason;
import io.turnwise.testkit.simulation.Simulation;
import io.turnwise.weaving.Safepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Beginnings and ends of actors, and what they leave behind. */
final class Lives {
  private Lives() {}

  static List<Defect> defects() {
    return List.of(
        new Defect(
            "put-aside-and-lost",
            "what an actor put aside in a list of its own is gone when it stops",
            "neither done nor a dead letter",
            Lives::putAsideAndLost),
        new Defect(
            "forgotten-unstash",
            "of two ways to open, one forgets what was stashed",
            "still waits outside",
            Lives::forgottenUnstash),
        new Defect(
            "notice-before-results",
            "the notice of a worker's end is taken to come after its results",
            "ended without its results",
            Lives::noticeBeforeResults),
        new Defect(
            "missed-teardown",
            "a connection is given back by a message, and not where the actor crashes",
            "left open",
            Lives::missedTeardown),
        new Defect(
            "name-still-taken",
            "a child is started again while the old one has not ended",
            "no child",
            Lives::nameStillTaken),
        new Defect(
            "old-address",
            "an address is kept while its actor is replaced",
            "went nowhere",
            Lives::oldAddress),
        new Defect(
            "init-taken-for-done",
            "an actor is taken to have entered itself when spawn returns",
            "not in the book",
            Lives::initTakenForDone));
  }

  // ---- stashes ----------------------------------------------------------------------------------

  /** Puts aside what comes before it is open. */
  private static final class Shop implements Actor<String> {
    private final boolean planted;
    private final List<String> done;
    private final List<String> aside = new ArrayList<>();
    private boolean open;

    Shop(boolean planted, List<String> done) {
      this.planted = planted;
      this.done = done;
    }

    @Override
    public void receive(String message, Context<String> context) {
      switch (message) {
        case "open" -> {
          open = true;
          done.addAll(aside);
          aside.clear();
        }
        case "leave" -> context.stop();
        default -> (open ? done : aside).add(message);
      }
    }

    @Override
    public void teardown(StopReason reason, Context<String> context) {
      if (!planted) done.addAll(aside);
    }
  }

  private static void putAsideAndLost(Simulation simulation, boolean planted) throws Exception {
    List<String> done = new ArrayList<>();
    List<Object> dead = new ArrayList<>();
    simulation.system().onDeadLetter(letter -> dead.add(letter.message()));
    ActorRef<String> shop = simulation.spawn("shop", () -> new Shop(planted, done));
    Cast.all(
        simulation, () -> shop.cast("work"), () -> shop.cast("open"), () -> shop.cast("leave"));
    require(done.contains("work") || dead.contains("work"), "it is neither done nor a dead letter");
  }

  private static void forgottenUnstash(Simulation simulation, boolean planted) throws Exception {
    List<String> inside = new ArrayList<>();
    AtomicInteger open = new AtomicInteger();
    ActorRef<String> door =
        simulation.spawn(
            "door",
            () ->
                (message, context) -> {
                  switch (message) {
                    case "key" -> {
                      if (open.getAndIncrement() == 0) context.unstashAll();
                    }
                    case "alarm" -> {
                      if (open.getAndIncrement() == 0 && !planted) context.unstashAll();
                    }
                    default -> {
                      if (open.get() == 0) context.stash();
                      else inside.add(message);
                    }
                  }
                });
    Cast.all(
        simulation, () -> door.cast("visitor"), () -> door.cast("key"), () -> door.cast("alarm"));
    require(inside.contains("visitor"), "the visitor still waits outside");
  }

  // ---- ends -------------------------------------------------------------------------------------

  private sealed interface Report {}

  private record Begin() implements Report {}

  private record Line(String text) implements Report {}

  private record Done() implements Report {}

  /** Waits for the lines of its worker. */
  private static final class Collector implements Actor<Report> {
    private final boolean planted;
    private final List<String> sum;
    private final List<String> lines = new ArrayList<>();

    Collector(boolean planted, List<String> sum) {
      this.planted = planted;
      this.sum = sum;
    }

    @Override
    public void receive(Report message, Context<Report> context) {
      switch (message) {
        case Begin _ -> {
          ActorRef<Report> self = context.self();
          ActorRef<String> worker =
              context.spawn(
                  "worker",
                  () ->
                      (_, own) -> {
                        self.cast(new Line("first"));
                        self.cast(new Line("second"));
                        self.cast(new Done());
                        own.stop();
                      });
          context.watch(worker);
          worker.cast("work");
        }
        case Line(String text) -> lines.add(text);
        case Done _ -> {
          if (!planted) sum.addAll(lines);
        }
      }
    }

    @Override
    public void info(Signal signal, Context<Report> context) {
      if (planted) sum.addAll(lines);
    }
  }

  private static void noticeBeforeResults(Simulation simulation, boolean planted) throws Exception {
    List<String> sum = new ArrayList<>();
    simulation.<Report>spawn("collector", () -> new Collector(planted, sum)).cast(new Begin());
    simulation.sleep(Duration.ofSeconds(1));
    require(sum.size() == 2, "it ended without its results: " + sum);
  }

  private static void missedTeardown(Simulation simulation, boolean planted) throws Exception {
    var connections = new AtomicInteger();
    ActorRef<String> session = simulation.spawn("session", () -> new Session(planted, connections));
    simulation.mayCrash(session);
    Cast.all(
        simulation,
        () -> {
          session.cast("work");
          session.cast("close");
        });
    require(connections.get() == 0, connections + " connections are left open");
  }

  private static final class Session implements Actor<String> {
    private final boolean planted;
    private final AtomicInteger connections;

    Session(boolean planted, AtomicInteger connections) {
      this.planted = planted;
      this.connections = connections;
    }

    @Override
    public void init(Context<String> context) {
      connections.incrementAndGet();
    }

    @Override
    public void receive(String message, Context<String> context) {
      if (!message.equals("close")) return;
      if (planted) connections.decrementAndGet();
      context.stop();
    }

    @Override
    public void teardown(StopReason reason, Context<String> context) {
      if (!planted) connections.decrementAndGet();
    }
  }

  // ---- names and addresses ----------------------------------------------------------------------

  /** Replaces its child when it is told to. */
  private static final class Parent implements Actor<String> {
    private final boolean planted;

    Parent(boolean planted) {
      this.planted = planted;
    }

    @Override
    public void init(Context<String> context) {
      start(context);
    }

    @Override
    public void receive(String message, Context<String> context) {
      ActorRef<?> child = context.children().getFirst();
      context.watch(child);
      child.stop();
      Safepoint.poll();
      if (planted) start(context);
    }

    @Override
    public void info(Signal signal, Context<String> context) {
      if (!planted) start(context);
    }

    private static void start(Context<String> context) {
      context.<String>spawn("child", () -> (_, _) -> {});
    }
  }

  private static void nameStillTaken(Simulation simulation, boolean planted) throws Exception {
    ActorRef<String> parent = simulation.spawn("parent", () -> new Parent(planted));
    parent.cast("replace it");
    simulation.sleep(Duration.ofSeconds(1));
    require(simulation.system().find("parent/child").isPresent(), "there is no child any more");
  }

  private sealed interface Route {}

  private record Where() implements Route, Call<Route, ActorRef<String>> {}

  private record Replace() implements Route {}

  private record Job() implements Route {}

  /** Knows who does the work, and replaces it. */
  private static final class Router implements Actor<Route> {
    private final List<String> done;
    private final List<ActorRef<String>> worker = new ArrayList<>();

    Router(List<String> done) {
      this.done = done;
    }

    @Override
    public void init(Context<Route> context) {
      worker.addFirst(context.spawn(() -> (job, _) -> done.add(job)));
    }

    @Override
    public void receive(Route message, Context<Route> context) {
      switch (message) {
        case Where where -> context.reply(where, worker.getFirst());
        case Job _ -> worker.getFirst().cast("job");
        case Replace _ -> {
          worker.getFirst().stopAfterDrain();
          worker.addFirst(context.spawn(() -> (job, _) -> done.add(job)));
        }
      }
    }
  }

  private static void oldAddress(Simulation simulation, boolean planted) throws Exception {
    List<String> done = new ArrayList<>();
    ActorRef<Route> router = simulation.spawn("router", () -> new Router(done));
    Cast.all(
        simulation,
        () -> {
          if (planted) router.call(new Where()).cast("job");
          else router.cast(new Job());
        },
        () -> router.cast(new Replace()));
    require(done.size() == 1, "the job went nowhere");
  }

  private sealed interface Book {}

  private record Enter(String name) implements Book {}

  private record LookUp(String name) implements Book, Call<Book, Boolean> {}

  private record Ready() implements Call<Ready, String> {}

  private static void initTakenForDone(Simulation simulation, boolean planted) throws Exception {
    Map<String, Boolean> names = new HashMap<>();
    ActorRef<Book> book =
        simulation.spawn(
            "book",
            () ->
                (message, context) -> {
                  switch (message) {
                    case Enter(String name) -> names.put(name, true);
                    case LookUp lookUp -> context.reply(lookUp, names.containsKey(lookUp.name()));
                  }
                });
    ActorRef<Ready> service = simulation.spawn("service", () -> new Service(book));
    if (!planted) service.call(new Ready());
    require(book.call(new LookUp("service")), "the service is not in the book");
  }

  private static final class Service implements Actor<Ready> {
    private final ActorRef<Book> book;

    Service(ActorRef<Book> book) {
      this.book = book;
    }

    @Override
    public void init(Context<Ready> context) {
      book.cast(new Enter("service"));
    }

    @Override
    public void receive(Ready ready, Context<Ready> context) {
      context.reply(ready, "here");
    }
  }
}
