package io.turnwise.testkit.junit;

import io.turnwise.testkit.simulation.Outcome;
import io.turnwise.testkit.simulation.Simulation;
import io.turnwise.testkit.simulation.SimulationFailure;
import io.turnwise.testkit.simulation.SimulationPlan;
import io.turnwise.testkit.simulation.Strategy;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/** Runs a test once for each seed. */
final class SimulationExtension implements InvocationInterceptor, ParameterResolver {
  private static final String SEED = "turnwise.simulation.seed";
  private static final String SEEDS = "turnwise.simulation.seeds";
  private static final long PROGRESS_NANOS = 5_000_000_000L;

  /** About how many turns a test has, where ranks change: a guess. */
  private static final int TURNS = 100;

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Simulation.class;
  }

  /** There is none yet: each seed has its own. */
  @Override
  public @Nullable Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return null;
  }

  @Override
  public void interceptTestMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> called,
      ExtensionContext context) {
    invocation.skip();
    Method method = called.getExecutable();
    SimulationTest settings = method.getAnnotation(SimulationTest.class);
    if (settings == null || method.getParameterCount() != 1)
      throw new ExtensionConfigurationException(
          method + " is to have @SimulationTest and one parameter of type Simulation");
    Object test = called.getTarget().orElse(null);
    method.setAccessible(true);
    var name = new TestName(context.getRequiredTestClass().getName(), method.getName());
    run(settings, name, simulation -> invoke(method, test, simulation));
  }

  private static void invoke(Method method, @Nullable Object test, Simulation simulation)
      throws Exception {
    try {
      method.invoke(test, simulation);
    } catch (InvocationTargetException e) {
      switch (e.getCause()) {
        case Exception own -> throw own;
        case Error own -> throw own;
        case null, default -> throw e;
      }
    }
  }

  /**
   * @param type whose test is run: it may have inherited the method
   */
  private record TestName(String type, String method) {
    /** For a shell, to which the dollar of a nested class means something. */
    String asArgument() {
      String argument = "-Dtest=" + type + "#" + method;
      return type.indexOf('$') < 0 ? argument : "'" + argument + "'";
    }
  }

  private static void run(SimulationTest settings, TestName name, Simulation.Body body) {
    SimulationPlan plan =
        SimulationPlan.DEFAULT
            .withMaxTurns(settings.maxTurns())
            .withPreempts(settings.preempts())
            .withInputOutput(settings.inputOutput())
            .withStrategy(
                settings.rankChanges() == 0
                    ? Strategy.RANDOM
                    : new Strategy.RankChanges(settings.rankChanges(), TURNS));
    Long only = Long.getLong(SEED);
    long first = only == null ? settings.firstSeed() : only;
    int seeds = only == null ? Integer.getInteger(SEEDS, settings.seeds()) : 1;
    warmUp(plan, first, body);
    long told = System.nanoTime();
    for (int i = 0; i < seeds; i++) {
      runOne(plan, settings.twice(), name, first + i, body);
      if (System.nanoTime() - told > PROGRESS_NANOS) {
        told = System.nanoTime();
        System.err.println(name.method() + ": " + (i + 1) + " of " + seeds + " seeds");
      }
    }
  }

  private static void runOne(
      SimulationPlan plan, boolean twice, TestName name, long seed, Simulation.Body body) {
    try {
      Outcome outcome = Simulation.run(plan, seed, body);
      if (twice) Simulation.repeat(plan, outcome, body);
    } catch (SimulationFailure failure) {
      System.err.printf(
          "%s: seed %s failed%n"
              + "  to repeat it:  mvn test %s -Dsurefire.failIfNoSpecifiedTests=false -D%s=%s%n"
              + "                 (with another tool: this test, and that system property)%n",
          name.method(), Long.toString(seed), name.asArgument(), SEED, Long.toString(seed));
      if (!failure.page().isEmpty())
        System.err.println("  to see it:     " + keep(name.method(), failure));
      throw failure;
    }
  }

  /** Writes the picture where builds put what they make. */
  private static Path keep(String name, SimulationFailure failure) {
    Path folder = Path.of("target");
    if (!Files.isDirectory(folder)) folder = Path.of("build");
    if (!Files.isDirectory(folder)) folder = Path.of(System.getProperty("java.io.tmpdir"));
    Path page =
        folder.resolve("simulations").resolve(name + "-" + failure.outcome().seed() + ".html");
    try {
      Files.createDirectories(page.getParent());
      Files.writeString(page, failure.page());
    } catch (IOException e) {
      System.err.println("No picture of the simulation: " + e);
    }
    return page.toAbsolutePath();
  }

  /** The first run of any code loads classes, whose initialisers have polls, too. */
  private static void warmUp(SimulationPlan plan, long seed, Simulation.Body body) {
    try {
      Simulation.run(plan.withShrinks(false), seed, body);
    } catch (SimulationFailure again) {
      // It comes again, and then it is told.
    }
  }
}
