package io.turnwise.testkit.simulation;

import java.util.AbstractList;

/** Those that can run, the longest waiting first. Any of the first few can be taken. */
final class Ready extends AbstractList<Object> {
  private static final Object GONE = new Object();

  private Object[] slots = new Object[64];
  private int head;
  private int size;

  @Override
  public int size() {
    return size;
  }

  @Override
  public Object get(int index) {
    return slots[(head + index) & (slots.length - 1)];
  }

  @Override
  public boolean add(Object next) {
    if (size == slots.length) grow();
    slots[(head + size++) & (slots.length - 1)] = next;
    return true;
  }

  /** Takes one; those before it move up. */
  Object take(int index) {
    int mask = slots.length - 1;
    Object taken = get(index);
    for (int i = index; i > 0; i--) slots[(head + i) & mask] = slots[(head + i - 1) & mask];
    slots[head] = GONE;
    head = (head + 1) & mask;
    size--;
    return taken;
  }

  private void grow() {
    Object[] more = new Object[2 * slots.length];
    for (int i = 0; i < size; i++) more[i] = get(i);
    slots = more;
    head = 0;
  }
}
