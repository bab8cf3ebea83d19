package io.turnwise.internal.mailbox;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** Places in a bundle, between the senders that claim them and the owner that leaves. */
public class BundleStress {
  private BundleStress() {}

  @JCStressTest
  @Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "Sealed first: the sender goes elsewhere.")
  @Outcome(
      id = "0, 1, 2",
      expect = ACCEPTABLE,
      desc = "Claimed first: the owner stays, and reads the message.")
  @Outcome(
      expect = FORBIDDEN,
      desc = "The message is in a bundle that nobody reads any more, or nowhere.")
  @State
  public static class AddMeetsSeal {
    private final Bundle bundle = Bundle.first(1);

    @Actor
    public void send(III_Result r) {
      r.r2 = bundle.add(2) ? 1 : 0;
    }

    @Actor
    public void owner(III_Result r) {
      r.r1 = bundle.seal(0) ? 1 : 0;
    }

    @Arbiter
    public void rest(III_Result r) {
      r.r3 = bundle.at(0) instanceof Integer number ? number : 0;
    }
  }

  @JCStressTest
  @Outcome(
      id = {"2, 3", "3, 2"},
      expect = ACCEPTABLE,
      desc = "Each has a place of its own.")
  @Outcome(expect = FORBIDDEN, desc = "A message is lost.")
  @State
  public static class AddMeetsAdd {
    private final Bundle bundle = Bundle.first(1);

    @Actor
    public void one() {
      bundle.add(2);
    }

    @Actor
    public void other() {
      bundle.add(3);
    }

    @Arbiter
    public void rest(II_Result r) {
      r.r1 = bundle.at(0) instanceof Integer number ? number : 0;
      r.r2 = bundle.at(1) instanceof Integer number ? number : 0;
    }
  }

  /** The bundle with one step weakened: sealed by a look and a write. */
  @JCStressTest
  @Outcome(
      id = {"1, 0", "0, 1"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "Lost: without the compare-and-set, AddMeetsSeal fails.")
  @State
  public static class WeakAddMeetsSeal {
    private static final int SEALED = 1 << 20;
    private final AtomicInteger claimed = new AtomicInteger();

    @Actor
    public void send(II_Result r) {
      r.r2 = claimed.getAndIncrement() < SEALED ? 1 : 0;
    }

    @Actor
    public void owner(II_Result r) {
      if (claimed.get() != 0) return;
      claimed.set(SEALED); // weakened
      r.r1 = 1;
    }
  }

  /** The bundle with one step weakened: a place is claimed by a look and a write. */
  @JCStressTest
  @Outcome(
      id = {"2, 3", "3, 2"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "Lost: without the atomic addition, AddMeetsAdd fails.")
  @State
  public static class WeakAddMeetsAdd {
    private final int[] places = new int[2];
    private volatile int claimed;

    private void add(int message) {
      int place = claimed;
      claimed = place + 1; // weakened
      places[place] = message;
    }

    @Actor
    public void one() {
      add(2);
    }

    @Actor
    public void other() {
      add(3);
    }

    @Arbiter
    public void rest(II_Result r) {
      r.r1 = places[0];
      r.r2 = places[1];
    }
  }
}
