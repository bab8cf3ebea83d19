package io.turnwise.internal.cell;

import io.turnwise.internal.scheduler.Lookout;
import io.turnwise.internal.timer.IdleWatch;
import java.util.function.BooleanSupplier;

/** Where idle workers and the timers meet, who do not know each other. */
record NextDeadline(IdleWatch watch) implements Lookout {
  @Override
  public void prepare() {
    watch.prepare();
  }

  @Override
  public boolean isNeeded() {
    return watch.isNeeded();
  }

  @Override
  public boolean sleep(Object parkReason, BooleanSupplier asleep) {
    return watch.sleep(parkReason, asleep);
  }

  @Override
  public void ring() {
    watch.fireDue();
  }
}
