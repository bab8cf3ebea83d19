package io.turnwise.agent.weaver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LoopWeaverTest {
  static final int ROUNDS = 300;
  static final int[] SIZES = {0, 1, 2, 3, 17, ROUNDS, 5000};
  private static final Class<?> WOVEN = WovenLoader.woven(LoopShapes.class);

  static Stream<String> shapes() {
    return Arrays.stream(LoopShapes.class.getDeclaredMethods())
        .map(Method::getName)
        .filter(name -> name.startsWith("loop") || name.startsWith("brief"))
        .sorted();
  }

  static Stream<String> loops() {
    return shapes().filter(name -> name.startsWith("loop"));
  }

  static Stream<String> briefs() {
    return shapes().filter(name -> name.startsWith("brief"));
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void resultIsTheSameAsBefore(String shape) {
    for (int n : SIZES)
      assertThat(run(WOVEN, shape, n)).as("n = %s", n).isEqualTo(run(LoopShapes.class, shape, n));
  }

  @ParameterizedTest
  @MethodSource("loops")
  void everyLoopPassesPolls(String shape) {
    assertThat(PollCounter.during(() -> run(WOVEN, shape, ROUNDS))).isGreaterThan(ROUNDS / 3);
  }

  @ParameterizedTest
  @MethodSource("loops")
  void everyLoopCanBeEndedFromAPoll(String shape) {
    for (int at : new int[] {1, 2, 50}) {
      PollCounter.throwAt(at);
      assertThatThrownBy(() -> run(WOVEN, shape, ROUNDS)).isInstanceOf(PollCounter.Stopped.class);
    }
  }

  @ParameterizedTest
  @MethodSource("briefs")
  void codeWithoutLoopOrRecursionHasNoPoll(String shape) {
    assertThat(PollCounter.during(() -> run(WOVEN, shape, ROUNDS))).isZero();
  }

  /** Where polls before calls may end a turn, too, as they do in a recursion. */
  @Test
  void whateverPollEndsItResourcesAreClosed() throws ReflectiveOperationException {
    long polls = PollCounter.during(() -> run(WOVEN, "loopWithResources", 5));
    assertThat(polls).isGreaterThan(20);
    for (int at = 1; at <= polls; at++) {
      PollCounter.throwAt(at);
      assertThatThrownBy(() -> run(WOVEN, "loopWithResources", 5))
          .isInstanceOf(PollCounter.Stopped.class);
      assertThat(count("closed")).as("ended at poll %s", at).isEqualTo(count("opened"));
    }
  }

  private static int count(String field) throws ReflectiveOperationException {
    Field counter = WOVEN.getDeclaredField(field);
    counter.setAccessible(true);
    return counter.getInt(null);
  }

  /** A loop that is no longer than a strip runs as it was: without a poll, and not on entry. */
  @Test
  void aShortCountedLoopPassesNoPoll() {
    assertThat(PollCounter.during(() -> run(WOVEN, "shortLoop", 2))).isZero();
    assertThat(PollCounter.during(() -> run(WOVEN, "shortLoop", 3))).isEqualTo(1);
  }

  /** One bit is an instruction or two, all bits from one to another are not. */
  @Test
  void onlySingleStepsOfBitsAreLight() {
    Class<?> woven = WovenLoader.woven(LoopShapes.class, WorkLimits.DEFAULT);
    assertThat(PollCounter.during(() -> run(woven, "stepsOfBits", ROUNDS))).isZero();
    assertThat(PollCounter.during(() -> run(woven, "stepsOfManyBits", ROUNDS))).isEqualTo(ROUNDS);
  }

  static Object run(Class<?> owner, String shape, int n) {
    try {
      Method method = owner.getDeclaredMethod(shape, int.class);
      method.setAccessible(true);
      return method.invoke(null, n);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof Error error) throw error;
      throw new AssertionError(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }
}
