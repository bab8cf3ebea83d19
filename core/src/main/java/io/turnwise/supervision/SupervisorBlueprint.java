package io.turnwise.supervision;

import io.turnwise.Actor;
import io.turnwise.Context;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Stands for a supervisor until its first turn, where the runtime puts the real one in. */
public final class SupervisorBlueprint implements Actor<SupervisorRequest> {
  private final SupervisorSpec spec;

  SupervisorBlueprint(SupervisorSpec spec) {
    this.spec = spec;
  }

  public SupervisorSpec spec() {
    return spec;
  }

  /** Makes supervisors: who has it before their first turn knows what they are. */
  static Supplier<SupervisorBlueprint> factory(SupervisorSpec spec) {
    return new Factory(spec);
  }

  private record Factory(SupervisorSpec spec) implements Supplier<SupervisorBlueprint> {
    @Override
    public SupervisorBlueprint get() {
      return new SupervisorBlueprint(spec);
    }
  }

  /** For the runtime: whether what this factory makes is a supervisor. */
  public static boolean isMadeBy(@Nullable Object factory) {
    return factory instanceof Factory;
  }

  @Override
  public void receive(SupervisorRequest message, Context<SupervisorRequest> context) {
    throw new AssertionError("a blueprint has no turns");
  }
}
