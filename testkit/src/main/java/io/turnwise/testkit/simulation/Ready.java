package io.turnwise.testkit.simulation;

import io.turnwise.internal.scheduler.Task;
import java.util.AbstractList;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Those that can run, the longest waiting first. Any of the first few can be taken. */
final class Ready extends AbstractList<Task> {
  private @Nullable Task[] slots = new Task[64];
  private int head;
  private int size;

  @Override
  public int size() {
    return size;
  }

  @Override
  public Task get(int index) {
    return Objects.requireNonNull(slots[(head + index) & (slots.length - 1)]);
  }

  @Override
  public boolean add(Task next) {
    if (size == slots.length) grow();
    slots[(head + size++) & (slots.length - 1)] = next;
    return true;
  }

  /** Takes one; those before it move up. */
  Task take(int index) {
    int mask = slots.length - 1;
    Task taken = get(index);
    for (int i = index; i > 0; i--) slots[(head + i) & mask] = slots[(head + i - 1) & mask];
    slots[head] = null;
    head = (head + 1) & mask;
    size--;
    return taken;
  }

  private void grow() {
    @Nullable Task[] more = new Task[2 * slots.length];
    for (int i = 0; i < size; i++) more[i] = get(i);
    slots = more;
    head = 0;
  }
}
