package io.turnwise.agent.weaver;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.Opcodes;

/**
 * Over many seeds: whatever the flow, a woven method verifies, computes what it did before, and
 * passes a poll at least every few blocks.
 */
public class RandomFlowProperty {
  private static final int SEEDS = Integer.getInteger("turnwise.seeds", 3000);
  private static final long FIRST_SEED = Long.getLong("turnwise.seed", 1);
  private static final int[] ARGUMENTS = {0, 1, -1, 7, 1000, Integer.MIN_VALUE};

  /** What the poll of generated methods does: it notes how far it is from the last one. */
  public static final class Distance {
    private static int last;
    private static int longest;

    private Distance() {}

    static void begin() {
      RandomMethod.steps = 0;
      last = 0;
      longest = 0;
    }

    /** Polled by generated code. */
    public static void poll() {
      longest = Math.max(longest, RandomMethod.steps - last);
      last = RandomMethod.steps;
    }

    /** Ends no turn, so it does not count. */
    public static void pollCall() {}

    static int longest() {
      poll();
      return longest;
    }
  }

  @Test
  void wovenFlowComputesTheSameAndPolls() {
    Map<PollForm, Integer> polls = new EnumMap<>(PollForm.class);
    for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      try {
        check(seed, polls);
      } catch (AssertionError | ReflectiveOperationException | LinkageError e) {
        throw new AssertionError(
            "repeat with -Dtest.jvm.extra=\"-Dturnwise.seed=" + seed + " -Dturnwise.seeds=1\"", e);
      }
    }
    // The generator is worth its name only if it makes loops of every form.
    assertThat(polls.keySet()).contains(PollForm.PLAIN, PollForm.STRIP, PollForm.BUDGET);
  }

  private static void check(long seed, Map<PollForm, Integer> polls)
      throws ReflectiveOperationException {
    int version = seed % 5 == 0 ? Opcodes.V1_4 : Opcodes.V25;
    var generated = new RandomMethod(seed, version);
    byte[] before = generated.bytes();
    WovenClass result =
        LoopWeaver.atRunTime(
                new PollTarget(
                    "io/turnwise/agent/weaver/RandomFlowProperty$Distance",
                    "poll",
                    "pollCall",
                    "pollCall"))
            .within(seed % 3 == 0 ? new WorkLimits(1000, 2, true, true) : WovenLoader.SMALL)
            .weave(RandomMethod.NAME, before);
    assertThat(result.skipped()).isEmpty();
    result.polls().forEach((form, count) -> polls.merge(form, count, Integer::sum));
    Method original = define(before);
    Method woven = define(result.bytes() == null ? before : result.bytes());
    for (int argument : ARGUMENTS) {
      RandomMethod.steps = 0;
      Object expected = run(original, argument);
      int steps = RandomMethod.steps;
      Distance.begin();
      assertThat(run(woven, argument)).isEqualTo(expected);
      assertThat(RandomMethod.steps).isEqualTo(steps);
      // Without a poll no block comes twice, and a strip or a budget adds its few rounds.
      assertThat(Distance.longest()).isLessThanOrEqualTo(8 * generated.blocks() + 8);
    }
  }

  private static Method define(byte[] bytes) throws ReflectiveOperationException {
    String name = RandomMethod.NAME.replace('/', '.');
    return new WovenLoader().with(name, bytes).loadClass(name).getMethod("run", int.class);
  }

  /** What it returns, or the exception it throws. */
  private static Object run(Method method, int argument) throws ReflectiveOperationException {
    try {
      return method.invoke(null, argument);
    } catch (InvocationTargetException e) {
      return e.getCause().toString();
    }
  }
}
