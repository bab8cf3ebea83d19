package io.turnwise.supervision;

import io.turnwise.Actor;
import io.turnwise.Context;

/** Stands for a supervisor until its first turn, where the runtime puts the real one in. */
public final class SupervisorBlueprint implements Actor<SupervisorRequest> {
  private final SupervisorSpec spec;

  SupervisorBlueprint(SupervisorSpec spec) {
    this.spec = spec;
  }

  public SupervisorSpec spec() {
    return spec;
  }

  @Override
  public void receive(SupervisorRequest message, Context<SupervisorRequest> context) {
    throw new AssertionError("a blueprint has no turns");
  }
}
