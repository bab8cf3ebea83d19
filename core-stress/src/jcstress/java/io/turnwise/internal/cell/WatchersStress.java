package io.turnwise.internal.cell;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** Who watches an actor, while it ends or others come and go: how often each is told. */
public class WatchersStress {
  private WatchersStress() {}

  @JCStressTest
  @Outcome(
      id = "1",
      expect = ACCEPTABLE,
      desc = "Told once: by who ended, or at once by the end it found.")
  @Outcome(id = "0", expect = FORBIDDEN, desc = "Never told.")
  @Outcome(id = "2", expect = FORBIDDEN, desc = "Told twice.")
  @State
  public static class WatchMeetsEnd {
    private final ActorCell<?> target = StressCell.unknown();
    private final ActorCell<?> watcher = StressCell.unknown();

    @Actor
    public void watch() {
      watcher.watch(target);
    }

    @Actor
    public void end() {
      StressCell.end(target);
    }

    @Arbiter
    public void rest(I_Result r) {
      r.r1 = StressCell.notices(watcher);
    }
  }

  @JCStressTest
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "Both are on the list, and told.")
  @Outcome(expect = FORBIDDEN, desc = "One is lost, or told twice.")
  @State
  public static class WatchMeetsWatch {
    private final ActorCell<?> target = StressCell.unknown();
    private final ActorCell<?> one = StressCell.unknown();
    private final ActorCell<?> other = StressCell.unknown();

    @Actor
    public void one() {
      one.watch(target);
    }

    @Actor
    public void other() {
      other.watch(target);
    }

    @Arbiter
    public void rest(II_Result r) {
      StressCell.end(target);
      r.r1 = StressCell.notices(one);
      r.r2 = StressCell.notices(other);
    }
  }

  @JCStressTest
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "Who left is not told, who came is.")
  @Outcome(expect = FORBIDDEN, desc = "Who came is lost, or who left is told.")
  @State
  public static class WatchMeetsUnwatch {
    private final ActorCell<?> target = StressCell.unknown();
    private final ActorCell<?> leaves = StressCell.unknown();
    private final ActorCell<?> comes = StressCell.unknown();

    public WatchMeetsUnwatch() {
      leaves.watch(target);
    }

    @Actor
    public void leave() {
      leaves.unwatch(target);
    }

    @Actor
    public void come() {
      comes.watch(target);
    }

    @Arbiter
    public void rest(II_Result r) {
      StressCell.end(target);
      r.r1 = StressCell.notices(leaves);
      r.r2 = StressCell.notices(comes);
    }
  }

  @JCStressTest
  @Outcome(id = "2", expect = ACCEPTABLE, desc = "Both are in the system lane.")
  @Outcome(expect = FORBIDDEN, desc = "A notice is lost.")
  @State
  public static class NoticeMeetsNotice {
    private final ActorCell<?> cell = StressCell.unknown();

    @Actor
    public void one() {
      cell.notify(new Notice.ChildGone());
    }

    @Actor
    public void other() {
      cell.notify(new Notice.ChildGone());
    }

    @Arbiter
    public void rest(I_Result r) {
      r.r1 = StressCell.notices(cell);
    }
  }

  /** What an actor that ends owes to one that links itself to it. */
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "Who ends finds the link, or who links the end.")
  @Outcome(id = "2", expect = ACCEPTABLE, desc = "Both, of which the second finds nothing to do.")
  @Outcome(id = "0", expect = FORBIDDEN, desc = "Never told.")
  @State
  public static class LinkMeetsEnd {
    private final ActorCell<?> target = StressCell.unknown();
    private final ActorCell<?> linker = StressCell.unknown();

    @Actor
    public void link() {
      linker.link(target);
    }

    @Actor
    public void end() {
      StressCell.end(target);
      StressCell.seeToTheLast(target);
    }

    @Arbiter
    public void rest(I_Result r) {
      r.r1 = StressCell.notices(linker);
    }
  }

  /** An end with one step weakened: the list is taken by a look, and the end written afterwards. */
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "As it should be.")
  @Outcome(
      id = "0",
      expect = ACCEPTABLE_INTERESTING,
      desc = "Never told: without the swap, WatchMeetsEnd fails.")
  @State
  public static class WeakWatchMeetsEnd {
    private final AtomicInteger told = new AtomicInteger();
    private final AtomicInteger watchers = new AtomicInteger();
    private volatile boolean ended;

    @Actor
    public void watch() {
      if (ended) told.incrementAndGet();
      else watchers.incrementAndGet();
    }

    @Actor
    public void end() {
      if (watchers.get() > 0) told.incrementAndGet();
      ended = true; // weakened
    }

    @Arbiter
    public void rest(I_Result r) {
      r.r1 = told.get();
    }
  }

  /** An end in two steps: it is written first, and the list taken afterwards. */
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "As it should be.")
  @Outcome(
      id = "2",
      expect = ACCEPTABLE_INTERESTING,
      desc = "Told twice: without the swap, WatchMeetsEnd fails.")
  @State
  public static class WeakWatchMeetsEndTwice {
    private final AtomicInteger told = new AtomicInteger();
    private final AtomicInteger watchers = new AtomicInteger();
    private volatile boolean ended;

    @Actor
    public void watch() {
      watchers.incrementAndGet();
      if (ended) told.incrementAndGet(); // weakened: it is on the list as well
    }

    @Actor
    public void end() {
      ended = true;
      if (watchers.get() > 0) told.incrementAndGet();
    }

    @Arbiter
    public void rest(I_Result r) {
      r.r1 = told.get();
    }
  }

  /** A list that is changed by a look and a write; a bit for each who is on it. */
  private static final class WeakList {
    private volatile int list;

    WeakList(int list) {
      this.list = list;
    }

    void add(int who) {
      list = list | who; // weakened
    }

    void remove(int who) {
      list = list & ~who; // weakened
    }
  }

  @JCStressTest
  @Outcome(id = "3", expect = ACCEPTABLE, desc = "As it should be.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "Lost: without the compare-and-set, WatchMeetsWatch fails.")
  @State
  public static class WeakWatchMeetsWatch {
    private final WeakList watchers = new WeakList(0);

    @Actor
    public void one() {
      watchers.add(1);
    }

    @Actor
    public void other() {
      watchers.add(2);
    }

    @Arbiter
    public void rest(I_Result r) {
      r.r1 = watchers.list;
    }
  }

  @JCStressTest
  @Outcome(id = "2", expect = ACCEPTABLE, desc = "As it should be.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "Lost, or told: without the compare-and-set, WatchMeetsUnwatch fails.")
  @State
  public static class WeakWatchMeetsUnwatch {
    private final WeakList watchers = new WeakList(1);

    @Actor
    public void leave() {
      watchers.remove(1);
    }

    @Actor
    public void come() {
      watchers.add(2);
    }

    @Arbiter
    public void rest(I_Result r) {
      r.r1 = watchers.list;
    }
  }

  /** An end with two steps exchanged: the last notices are taken before it is told. */
  @JCStressTest
  @Outcome(
      id = {"1", "2"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(
      id = "0",
      expect = ACCEPTABLE_INTERESTING,
      desc = "Never told: with the steps in the other order, LinkMeetsEnd fails.")
  @State
  public static class WeakLinkMeetsEnd {
    private final AtomicInteger told = new AtomicInteger();
    private final AtomicInteger lane = new AtomicInteger();
    private volatile boolean ended;

    @Actor
    public void link() {
      lane.compareAndSet(0, 1);
      if (ended) told.incrementAndGet();
    }

    @Actor
    public void end() {
      if (lane.getAndSet(2) == 1) told.incrementAndGet(); // weakened: it comes second
      ended = true;
    }

    @Arbiter
    public void rest(I_Result r) {
      r.r1 = told.get();
    }
  }

  /** The system lane with one step weakened: pushed to by a look and a write. */
  @JCStressTest
  @Outcome(id = "2", expect = ACCEPTABLE, desc = "As it should be.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "Lost: without the compare-and-set, NoticeMeetsNotice fails.")
  @State
  public static class WeakNoticeMeetsNotice {
    private record Link(@Nullable Link next) {}

    private volatile @Nullable Link notices;

    private void push() {
      notices = new Link(notices); // weakened
    }

    @Actor
    public void one() {
      push();
    }

    @Actor
    public void other() {
      push();
    }

    @Arbiter
    public void rest(I_Result r) {
      for (Link link = notices; link != null; link = link.next) r.r1++;
    }
  }
}
