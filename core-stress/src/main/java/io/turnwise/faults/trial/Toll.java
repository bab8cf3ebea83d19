package io.turnwise.faults.trial;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What a fault takes from the traffic beside it: rates with and without it, measured in turns, so
 * that whatever else the machine does falls on both. Judged by the middle one of their ratios.
 */
public final class Toll {
  private static final double LEAST = 0.95;

  private final String what;
  private final List<Double> ratios = new ArrayList<>();

  /**
   * @param what the fault, for people
   */
  public Toll(String what) {
    this.what = what;
  }

  /** One round. Rates are in any unit, the same for both. */
  public void add(double calm, double faulty) {
    ratios.add(faulty / calm);
  }

  /** The middle one. */
  public double share() {
    List<Double> sorted = new ArrayList<>(ratios);
    Collections.sort(sorted);
    return sorted.get(sorted.size() / 2);
  }

  /** At full size only: a few rounds on a machine that others use say more about them. */
  public void judge(Trial trial) {
    trial.say(this.toString());
    if (trial.full() && share() < LEAST)
      throw new Broken(this + "; at least " + Math.round(LEAST * 100) + " % are to be left");
  }

  @Override
  public String toString() {
    return what
        + ": the traffic beside it kept "
        + Math.round(share() * 1000) / 10.0
        + " % of its rate, in the middle of "
        + ratios.size()
        + " rounds";
  }
}
