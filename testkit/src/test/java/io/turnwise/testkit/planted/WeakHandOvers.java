package io.turnwise.testkit.planted;

import static io.turnwise.testkit.planted.Defect.require;

import io.turnwise.testkit.simulation.Simulation;
import io.turnwise.weaving.Safepoint;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;

/** Small copies of what else passes from hand to hand: turns, answers, timers, watchers, room. */
final class WeakHandOvers {
  private WeakHandOvers() {}

  static List<Defect> defects() {
    return List.of(
        new Defect(
            "lost-resume",
            "a resume that comes before the fiber is suspended is forgotten",
            "suspended for ever",
            WeakHandOvers::lostResume),
        new Defect(
            "taken-and-ended",
            "a turn is taken from its thread by a look and a write, while it ends",
            "goes on twice",
            WeakHandOvers::takenAndEnded),
        new Defect(
            "stop-of-the-next-slice",
            "a request to stop does not name its slice, and stops the next",
            "the wrong slice",
            WeakHandOvers::stopOfTheNextSlice),
        new Defect(
            "answer-and-timeout",
            "answer and timeout settle a call by a look and a write",
            "settled twice",
            WeakHandOvers::answerAndTimeout),
        new Defect(
            "cancelled-timer-fires",
            "the ticker takes in a timer that is cancelled between its look and its write",
            "fires although it is cancelled",
            WeakHandOvers::cancelledTimerFires),
        new Defect(
            "timer-a-round-early",
            "a timer farther away than the wheel reaches fires in the first round",
            "too early",
            (simulation, planted) -> wheel(simulation, planted, false)),
        new Defect(
            "timer-jumped-over",
            "after a pause the wheel looks at the present bucket, and not at those between",
            "never fired",
            (simulation, planted) -> wheel(simulation, false, planted)),
        new Defect(
            "overslept-deadline",
            "the ticker does not look at its inbox after it said until when it sleeps",
            "came late",
            WeakHandOvers::oversleptDeadline),
        new Defect(
            "lost-watcher",
            "a watcher is added to the list by a look and a write",
            "told: ",
            WeakHandOvers::lostWatcher),
        new Defect(
            "watcher-told-twice",
            "who ends writes that first and takes the list later, and a new watcher sees both",
            "told: ",
            WeakHandOvers::watcherToldTwice),
        new Defect(
            "stranded-sender",
            "a sender gets in line after it saw a full store, and does not look again",
            "waits beside an empty store",
            WeakHandOvers::strandedSender),
        new Defect(
            "credit-past-its-bound",
            "two that wake a task both give it its credit back",
            "credit of",
            WeakHandOvers::creditPastItsBound));
  }

  // ---- turns and calls --------------------------------------------------------------------------

  private static void lostResume(Simulation simulation, boolean planted) throws Exception {
    int running = 0;
    int suspended = 1;
    int resumed = 2;
    int queued = 3;
    var state = new AtomicInteger(running);
    var timesQueued = new AtomicInteger();
    Cast.all(
        simulation,
        () -> {
          if (state.compareAndSet(suspended, queued)) timesQueued.incrementAndGet();
          else if (!planted) state.compareAndSet(running, resumed);
        },
        () -> {
          Safepoint.poll();
          if (state.compareAndSet(running, suspended)) return;
          state.set(queued);
          timesQueued.incrementAndGet();
        });
    require(timesQueued.get() == 1, "the turn is suspended for ever");
  }

  private static void takenAndEnded(Simulation simulation, boolean planted) throws Exception {
    var kept = new AtomicBoolean(true);
    var goesOn = new AtomicInteger();
    Cast.Part take =
        () -> {
          boolean mine = planted ? kept.get() : kept.compareAndSet(true, false);
          Safepoint.poll();
          if (mine) {
            kept.set(false);
            goesOn.incrementAndGet();
          }
        };
    Cast.all(simulation, take, take);
    require(goesOn.get() == 1, "the actor goes on twice");
  }

  private static void stopOfTheNextSlice(Simulation simulation, boolean planted) throws Exception {
    int[] slice = {1};
    int[] asked = {0};
    List<Integer> stopped = new ArrayList<>();
    Cast.all(
        simulation,
        () -> {
          for (slice[0] = 1; slice[0] <= 2; slice[0]++) {
            Safepoint.poll();
            if (asked[0] != 0 && (planted || asked[0] == slice[0])) stopped.add(slice[0]);
            asked[0] = planted || asked[0] == slice[0] ? 0 : asked[0];
          }
        },
        () -> {
          int long1 = slice[0];
          Safepoint.poll();
          if (long1 == 1) asked[0] = long1;
        });
    require(!stopped.contains(2), "the wrong slice is stopped");
  }

  private static void answerAndTimeout(Simulation simulation, boolean planted) throws Exception {
    var outcome = new AtomicReference<String>("");
    var settled = new AtomicInteger();
    for (String what : List.of("answer", "timeout"))
      Cast.begin(
          simulation,
          what,
          () -> {
            if (planted) {
              boolean open = outcome.get().isEmpty();
              Safepoint.poll();
              if (!open) return;
              outcome.set(what);
              settled.incrementAndGet();
            } else if (outcome.compareAndSet("", what)) {
              settled.incrementAndGet();
            }
          });
    simulation.sleep(Duration.ofSeconds(1));
    require(settled.get() == 1, "the call is settled twice");
  }

  // ---- time -------------------------------------------------------------------------------------

  private static void cancelledTimerFires(Simulation simulation, boolean planted) throws Exception {
    int fresh = 0;
    int waiting = 1;
    int cancelled = 2;
    var state = new AtomicInteger(fresh);
    boolean[] saidYes = {false};
    Cast.all(
        simulation,
        () -> {
          if (!planted) {
            state.compareAndSet(fresh, waiting);
            return;
          }
          if (state.get() != fresh) return;
          Safepoint.poll();
          state.set(waiting);
        },
        () ->
            saidYes[0] =
                state.compareAndSet(fresh, cancelled) || state.compareAndSet(waiting, cancelled));
    boolean fires = state.get() == waiting;
    require(!(fires && saidYes[0]), "the timer fires although it is cancelled");
  }

  /** Eight buckets of a millisecond each, and timers up to two rounds away. */
  private static void wheel(Simulation simulation, boolean early, boolean jumps) throws Exception {
    int buckets = 8;
    List<Integer> waiting = new ArrayList<>(List.of(2, 3, 5, 6, 9, 13));
    List<String> wrong = new ArrayList<>();
    simulation.mayStall(Duration.ofMillis(5));
    Cast.begin(
        simulation,
        "sleeper", // the machine may stand still until somebody's time has come
        () -> {
          for (int i = 0; i < 8; i++) LockSupport.parkNanos(3_000_000);
        });
    Cast.begin(
        simulation,
        "ticker",
        () -> {
          int current = 0;
          while (current < 2 * buckets) {
            LockSupport.parkNanos(1_000_000);
            int now = (int) simulation.time().toMillis();
            int from = jumps ? now : current + 1;
            for (int tick = from; tick <= now; tick++) {
              int at = tick;
              waiting.removeIf(
                  due -> {
                    boolean fires = due % buckets == at % buckets && (early || due <= at);
                    if (fires && due > now) wrong.add(due + " at " + now);
                    return fires;
                  });
            }
            current = now;
          }
        });
    simulation.sleep(Duration.ofSeconds(1));
    require(wrong.isEmpty(), "too early: " + wrong);
    require(waiting.isEmpty(), "never fired: " + waiting);
  }

  private static void oversleptDeadline(Simulation simulation, boolean planted) throws Exception {
    long late = Long.MAX_VALUE;
    Queue<Long> inbox = new ArrayDeque<>();
    long[] sleepsUntil = {0};
    boolean[] woken = {false};
    Cast.all(
        simulation,
        () -> {
          inbox.clear(); // taken in
          Safepoint.poll();
          sleepsUntil[0] = late;
          Safepoint.poll();
          if (!planted && !inbox.isEmpty()) sleepsUntil[0] = 0;
        },
        () -> {
          inbox.add(5L);
          Safepoint.poll();
          if (sleepsUntil[0] > 5) woken[0] = true;
        });
    require(inbox.isEmpty() || sleepsUntil[0] == 0 || woken[0], "the deadline came late");
  }

  // ---- watchers ---------------------------------------------------------------------------------

  private static void lostWatcher(Simulation simulation, boolean planted) throws Exception {
    var watchers = new AtomicReference<List<Integer>>(List.of());
    IntConsumer watch =
        own -> {
          for (; ; ) {
            List<Integer> before = watchers.get();
            List<Integer> after = new ArrayList<>(before);
            after.add(own);
            Safepoint.poll();
            if (planted) watchers.set(after);
            else if (!watchers.compareAndSet(before, after)) continue;
            return;
          }
        };
    Cast.all(simulation, () -> watch.accept(1), () -> watch.accept(2));
    List<Integer> told = watchers.get().stream().sorted().toList();
    require(told.equals(List.of(1, 2)), "told: " + told);
  }

  private static void watcherToldTwice(Simulation simulation, boolean planted) throws Exception {
    boolean[] ended = {false};
    List<Integer> watchers = new ArrayList<>();
    List<Integer> told = new ArrayList<>();
    Cast.all(
        simulation,
        () -> {
          if (ended[0] && !planted) {
            told.add(1);
            return;
          }
          watchers.add(1);
          if (ended[0]) told.add(1);
        },
        () -> {
          List<Integer> list = watchers;
          if (!planted) {
            list = List.copyOf(watchers); // in one step with the end
            watchers.clear();
          }
          ended[0] = true;
          Safepoint.poll();
          told.addAll(list);
        });
    require(told.equals(List.of(1)) || !ended[0], "told: " + told);
  }

  // ---- room and credit --------------------------------------------------------------------------

  private static void strandedSender(Simulation simulation, boolean planted) throws Exception {
    Queue<String> store = new ArrayDeque<>(List.of("old"));
    Queue<String> line = new ArrayDeque<>();
    Cast.all(
        simulation,
        () -> {
          boolean full = !store.isEmpty();
          Safepoint.poll();
          if (!planted) full = !store.isEmpty(); // under the lock
          if (full) line.add("new");
          else store.add("new");
        },
        () -> {
          store.remove();
          String next = line.poll();
          if (next != null) store.add(next);
        });
    require(line.isEmpty() || !store.isEmpty(), "a sender waits beside an empty store");
  }

  private static void creditPastItsBound(Simulation simulation, boolean planted) throws Exception {
    int quantum = 10;
    var refillAt = new AtomicInteger(1);
    var credit = new AtomicInteger();
    Cast.Part wake =
        () -> {
          if (planted) {
            boolean due = refillAt.get() == 1;
            Safepoint.poll();
            if (!due) return;
            refillAt.set(2);
          } else if (!refillAt.compareAndSet(1, 2)) {
            return;
          }
          credit.addAndGet(quantum);
        };
    Cast.all(simulation, wake, wake);
    require(credit.get() <= quantum, "a credit of " + credit + "; its bound is " + quantum);
  }
}
