package io.turnwise.testkit.planted;

import static io.turnwise.testkit.planted.Defect.require;

import io.turnwise.testkit.simulation.Simulation;
import io.turnwise.weaving.Safepoint;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Small copies of our own queues in which one step is missing. Each poll is a place where another
 * thread may come in between; what is one atomic step in the runtime has none inside it.
 */
final class WeakQueues {
  private WeakQueues() {}

  static List<Defect> defects() {
    return List.of(
        new Defect(
            "lost-wake-up",
            "a worker does not look at its queue once more after it said that it sleeps",
            "it sleeps and has work",
            WeakQueues::lostWakeUp),
        new Defect(
            "doubled-turn",
            "a sender looks at the mailbox's word and writes it, in two steps",
            "queued twice",
            WeakQueues::doubledTurn),
        new Defect(
            "early-idle",
            "a worker lets go of the actor before its turn has ended",
            "in two hands",
            WeakQueues::earlyIdle),
        new Defect(
            "sent-while-closing",
            "a mailbox is emptied first and closed afterwards",
            "neither handled nor a dead letter",
            WeakQueues::sentWhileClosing),
        new Defect(
            "hole-in-a-bundle",
            "the reader passes over a place that is claimed and not yet written",
            "read of 2",
            WeakQueues::holeInABundle),
        new Defect(
            "sealed-unseen",
            "a bundle is sealed by a look and a write",
            "read of 1",
            WeakQueues::sealedUnseen),
        new Defect(
            "dropped-steal",
            "a thief moves the head first and copies afterwards, when the slot is filled again",
            "taken: ",
            WeakQueues::droppedSteal),
        new Defect(
            "stolen-twice",
            "owner and thief move the head by a look and a write",
            "taken: ",
            WeakQueues::stolenTwice),
        new Defect(
            "published-too-early",
            "the ring's tail is moved before the slot is filled",
            "nothing in the slot",
            WeakQueues::publishedTooEarly),
        new Defect(
            "claimed-by-two",
            "the injector's claim is taken by a look and a write",
            "taken: ",
            WeakQueues::claimedByTwo),
        new Defect(
            "link-before-swap",
            "a push links itself behind the tail it saw, and then writes the tail",
            "arrived of 2",
            WeakQueues::linkBeforeSwap),
        new Defect(
            "starving-lane",
            "the high lane goes first for as long as it has any",
            "the normal lane waited",
            WeakQueues::starvingLane));
  }

  // ---- mailboxes --------------------------------------------------------------------------------

  private static void lostWakeUp(Simulation simulation, boolean planted) throws Exception {
    Queue<String> tasks = new ArrayDeque<>();
    boolean[] sleeping = {false};
    Cast.all(
        simulation,
        () -> {
          for (; ; ) {
            while (tasks.poll() != null) Safepoint.poll();
            Safepoint.poll(); // a push here finds nobody asleep
            sleeping[0] = true;
            Safepoint.poll();
            if (planted || tasks.isEmpty()) return;
            sleeping[0] = false;
          }
        },
        () -> {
          tasks.add("task");
          Safepoint.poll();
          if (sleeping[0]) {
            sleeping[0] = false;
            tasks.clear(); // woken, it does them
          }
        });
    require(!(sleeping[0] && !tasks.isEmpty()), "it sleeps and has work");
  }

  private static void doubledTurn(Simulation simulation, boolean planted) throws Exception {
    var word = new AtomicInteger();
    var queued = new AtomicInteger();
    Cast.Part send =
        () -> {
          if (planted) {
            int before = word.get();
            Safepoint.poll();
            word.set(1);
            if (before == 0) queued.incrementAndGet();
          } else if (word.getAndSet(1) == 0) {
            queued.incrementAndGet();
          }
        };
    Cast.all(simulation, send, send);
    require(queued.get() == 1, "queued twice");
  }

  private static void earlyIdle(Simulation simulation, boolean planted) throws Exception {
    var word = new AtomicInteger();
    var hands = new AtomicInteger();
    var most = new AtomicInteger();
    Cast.Part worker =
        () -> {
          if (!word.compareAndSet(0, 1)) return; // somebody has it
          most.accumulateAndGet(hands.incrementAndGet(), Math::max);
          if (planted) word.set(0);
          Safepoint.poll(); // the handler
          hands.decrementAndGet();
          word.set(0);
        };
    Cast.all(simulation, worker, worker);
    require(most.get() == 1, "the actor was in two hands");
  }

  private static void sentWhileClosing(Simulation simulation, boolean planted) throws Exception {
    Queue<String> messages = new ArrayDeque<>();
    List<String> buried = new ArrayList<>();
    boolean[] closed = {false};
    Cast.all(
        simulation,
        () -> {
          if (!planted) closed[0] = true;
          String message;
          while ((message = messages.poll()) != null) buried.add(message);
          Safepoint.poll();
          closed[0] = true;
        },
        () -> {
          if (closed[0]) buried.add("letter");
          else messages.add("letter");
        });
    require(buried.size() == 1, "the letter is neither handled nor a dead letter");
  }

  // ---- bundles ----------------------------------------------------------------------------------

  private static void holeInABundle(Simulation simulation, boolean planted) throws Exception {
    var claimed = new AtomicInteger();
    String[] places = new String[2];
    List<String> read = new ArrayList<>();
    Cast.Part send =
        () -> {
          int place = claimed.getAndIncrement();
          Safepoint.poll();
          places[place] = "message";
        };
    Cast.all(
        simulation,
        send,
        send,
        () -> {
          for (int at = 0; at < places.length; ) {
            Safepoint.poll();
            String message = places[at];
            if (message != null) read.add(message);
            boolean passes = planted && at < claimed.get();
            if (message != null || passes) at++;
          }
        });
    require(read.size() == 2, read.size() + " read of 2");
  }

  private static void sealedUnseen(Simulation simulation, boolean planted) throws Exception {
    int sealed = 1 << 20;
    var claimed = new AtomicInteger();
    var read = new AtomicInteger();
    Cast.all(
        simulation,
        () -> {
          if (claimed.getAndIncrement() >= sealed) read.incrementAndGet(); // goes elsewhere
        },
        () -> {
          if (planted) {
            boolean empty = claimed.get() == 0;
            Safepoint.poll();
            if (empty) claimed.set(sealed);
            else read.incrementAndGet();
          } else if (!claimed.compareAndSet(0, sealed)) {
            read.incrementAndGet();
          }
        });
    require(read.get() == 1, read + " read of 1");
  }

  // ---- rings and queues -------------------------------------------------------------------------

  /** Two slots; the owner pushes and pops, a thief takes the oldest. */
  private static final class Ring {
    private final int[] slots = {1, 2};
    private final AtomicInteger head = new AtomicInteger();
    private int tail = 2;
    private final List<Integer> taken = new ArrayList<>();

    boolean push(int task) {
      if (tail - head.get() >= slots.length) return false;
      slots[tail & 1] = task;
      tail++;
      return true;
    }

    /** Copies first; if the head was moved meanwhile, that was for nothing. */
    void take() {
      for (; ; ) {
        int h = head.get();
        if (h == tail) return;
        int task = slots[h & 1];
        Safepoint.poll();
        if (!head.compareAndSet(h, h + 1)) continue;
        taken.add(task);
        return;
      }
    }

    void takeHeadFirst() {
      int h = head.get();
      if (h == tail || !head.compareAndSet(h, h + 1)) return;
      Safepoint.poll();
      taken.add(slots[h & 1]);
    }

    void takeByLookAndWrite() {
      int h = head.get();
      if (h == tail) return;
      int task = slots[h & 1];
      Safepoint.poll();
      head.set(h + 1);
      taken.add(task);
    }

    void mustHaveGivenEachOnce(int tasks) {
      while (head.get() != tail) take();
      require(
          taken.stream().sorted().toList().equals(List.of(1, 2, 3).subList(0, tasks)),
          "taken: " + taken);
    }
  }

  private static void droppedSteal(Simulation simulation, boolean planted) throws Exception {
    var ring = new Ring();
    Cast.all(
        simulation,
        () -> {
          if (planted) ring.takeHeadFirst();
          else ring.take();
        },
        () -> {
          while (!ring.push(3)) ring.take();
        });
    ring.mustHaveGivenEachOnce(3);
  }

  private static void stolenTwice(Simulation simulation, boolean planted) throws Exception {
    var ring = new Ring();
    Cast.Part take =
        () -> {
          if (planted) ring.takeByLookAndWrite();
          else ring.take();
        };
    Cast.all(simulation, take, take);
    ring.mustHaveGivenEachOnce(2);
  }

  private static void publishedTooEarly(Simulation simulation, boolean planted) throws Exception {
    String[] slots = new String[1];
    var tail = new AtomicInteger();
    List<String> taken = new ArrayList<>();
    Cast.all(
        simulation,
        () -> {
          if (planted) tail.set(1);
          else slots[0] = "task";
          Safepoint.poll();
          slots[0] = "task";
          tail.set(1);
        },
        () -> {
          if (tail.get() == 1) taken.add(String.valueOf(slots[0]));
        });
    require(!taken.contains("null"), "the thief found nothing in the slot");
  }

  private static void claimedByTwo(Simulation simulation, boolean planted) throws Exception {
    Queue<Integer> tasks = new ArrayDeque<>(List.of(1, 2));
    var claimed = new AtomicInteger();
    List<Integer> taken = new ArrayList<>();
    Cast.Part consume =
        () -> {
          for (int tries = 0; tries < 2; tries++) {
            if (planted) {
              if (claimed.get() != 0) continue;
              Safepoint.poll();
              claimed.set(1);
            } else if (!claimed.compareAndSet(0, 1)) {
              continue;
            }
            Integer first = tasks.peek();
            Safepoint.poll(); // it is alone here, or thinks so
            if (first != null) {
              taken.add(first);
              tasks.remove(first);
            }
            claimed.set(0);
          }
        };
    Cast.all(simulation, consume, consume);
    require(taken.stream().distinct().count() == taken.size(), "taken: " + taken);
  }

  /** An element of a list with a tail. */
  private static final class Node {
    private @org.jspecify.annotations.Nullable Node next;
  }

  private static void linkBeforeSwap(Simulation simulation, boolean planted) throws Exception {
    var first = new Node();
    Node[] tail = {first};
    Cast.Part push =
        () -> {
          var own = new Node();
          Node before = tail[0];
          if (planted) {
            before.next = own;
            Safepoint.poll();
            tail[0] = own;
          } else {
            tail[0] = own; // swapped in one step
            Safepoint.poll();
            before.next = own;
          }
        };
    Cast.all(simulation, push, push);
    int arrived = 0;
    for (Node node = first.next; node != null; node = node.next) arrived++;
    require(arrived == 2, arrived + " arrived of 2");
  }

  private static void starvingLane(Simulation simulation, boolean planted) throws Exception {
    int run = 16;
    int most = 100;
    Queue<String> high = new ArrayDeque<>(List.of("high"));
    Queue<String> normal = new ArrayDeque<>();
    int[] waited = {0};
    Cast.all(
        simulation,
        () -> normal.add("normal"),
        () -> {
          int inARow = 0;
          for (int i = 0; i < most; i++) {
            boolean normalIsDue = !planted && inARow >= run;
            boolean takesNormal = (normalIsDue || high.isEmpty()) && !normal.isEmpty();
            inARow = takesNormal ? 0 : inARow + 1;
            if (takesNormal) normal.remove();
            else if (!normal.isEmpty()) waited[0]++; // the high one sends itself again
            Safepoint.poll();
          }
        });
    require(waited[0] <= run, "the normal lane waited for " + waited[0]);
  }
}
