package io.turnwise.agent.weaver;

/** In the weaver's package, because only checks want polls this often. */
public final class TightWeaver {
  private TightWeaver() {}

  /** Strips of two rounds and a budget of a few: a brief program, too, goes every way there is. */
  public static LoopWeaver of(PollTarget target) {
    return LoopWeaver.atRunTime(target).within(new WorkLimits(4, 2, false, false));
  }
}
