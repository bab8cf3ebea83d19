package io.turnwise.faults.weaving;

import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Built;
import io.turnwise.faults.trial.ChildJvm;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Trial;
import java.util.List;

/**
 * T10: class files with something broken in them, defined in two JVMs: with the weaving agent, and
 * without. What the JVM takes as it is, it has to take woven as well (the other way round it may be
 * that what was broken is not written again), and nothing that the weaver throws is seen by who
 * loads the class. What no compiler writes, and what takes long to look through, is in the agent's
 * own tests; real classes of many jars are in {@code ./turnwise weave-check}.
 */
public final class HostileClassRow implements Row {
  /** Otherwise the weaver leaves that library alone. */
  private static final String OPTIONS = "jdk=off,jmx=on,include=" + Mutants.VICTIMS + "**";

  /** At least one in so many is changed. */
  private static final int WOVEN = 10;

  @Override
  public String id() {
    return "T10";
  }

  @Override
  public String what() {
    return "broken class files, woven and not";
  }

  @Override
  public String run(Trial trial) throws Exception {
    int mutants = (int) trial.sized(500, 100_000);
    Mutants.Verdicts plain = judge(trial, mutants, List.of());
    Mutants.Verdicts woven =
        judge(
            trial,
            mutants,
            List.of("-javaagent:" + Built.jar("agent", "turnwise-agent.jar") + "=" + OPTIONS));
    int taken = 0;
    int wovenOnly = 0;
    for (int i = 0; i < mutants; i++) {
      if (plain.isTaken(i)) taken++;
      if (plain.isTaken(i) && !woven.isTaken(i))
        throw new Broken("mutant " + i + " is taken as it is, and refused once it is woven");
      if (!plain.isTaken(i) && woven.isTaken(i)) wovenOnly++;
    }
    trial.say(
        mutants
            + " mutants: the JVM takes "
            + taken
            + ", also where they come past the weaver, which changed "
            + woven.changed()
            + " of all; "
            + wovenOnly
            + " only there");
    if (taken == 0 || taken == mutants)
      throw new Broken("all mutants have one fate: they say nothing of the weaver");
    if (woven.changed() < mutants / WOVEN)
      throw new Broken("only " + woven.changed() + " were woven");
    return mutants + " mutants, " + taken + " of them good enough for a JVM";
  }

  private static Mutants.Verdicts judge(Trial trial, int mutants, List<String> flags)
      throws Exception {
    ChildJvm.Ended ended =
        ChildJvm.run(
            Mutants.class,
            flags,
            List.of(Integer.toString(mutants), Long.toString(trial.seed())),
            (int) trial.sized(120, 1_800));
    ended.mustEndWith(0, "T10" + flags);
    return Mutants.Verdicts.of(ended.output());
  }
}
