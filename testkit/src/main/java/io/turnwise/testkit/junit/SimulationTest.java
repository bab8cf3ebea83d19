package io.turnwise.testkit.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that is run once for each of many seeds, as a {@link
 * io.turnwise.testkit.simulation.Simulation simulation}. It has one parameter, the simulation.
 *
 * {@snippet file="io/turnwise/testkit/simulation/SimulationDocTest.java" region="simulation"}
 *
 * <p>The first seed that fails ends it; the failure is made short, told step by step, and says how
 * to repeat it: with {@code -Dturnwise.simulation.seed=17} only that seed is run. {@code
 * -Dturnwise.simulation.seeds=1000000} runs more of them than the annotation says.
 */
@Documented
@Test
@ExtendWith(SimulationExtension.class)
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface SimulationTest {
  /** How many seeds. */
  int seeds() default 1_000;

  /** The first of them. */
  long firstSeed() default 1;

  /** Whether turns are stopped in the middle, too. */
  boolean preempts() default true;

  /** Moments at which ranks change; 0: each choice is drawn by itself. */
  int rankChanges() default 0;

  /** After so many turns a run is taken for one that never ends. */
  int maxTurns() default 1_000_000;

  /** Whether its code may use files, sockets, processes and the keyboard. */
  boolean inputOutput() default false;

  /** Whether each seed is run twice, to see that nothing but the seed decides. */
  boolean twice() default false;
}
