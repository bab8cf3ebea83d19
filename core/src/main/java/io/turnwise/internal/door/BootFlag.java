package io.turnwise.internal.door;

import io.turnwise.internal.weaving.JdkCallers;
import io.turnwise.internal.weaving.PollFlag;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Predicate;

/**
 * The copy of the flag that the JDK's own polls read, in a class that the weaving agent defines in
 * {@code java.lang}. Where there is none, the JDK is not woven, and nothing is to be done.
 */
public final class BootFlag implements PollFlag.Copy {
  private static final String NAME = "java.lang.TurnwiseSafepoint";

  private final VarHandle raised;

  private BootFlag(VarHandle raised) {
    this.raised = raised;
  }

  /** Called when the door is opened, and by an agent that comes later. */
  @SuppressWarnings("unchecked") // the agent and this class agree on it
  public static void link() {
    BootClock.link();
    try {
      Class<?> boot = Class.forName(NAME, true, null);
      Object woven = boot.getField("woven").get(null);
      if (woven instanceof Predicate<?> classes) JdkCallers.wovenAre((Predicate<String>) classes);
      boot.getField("stop").set(null, (Runnable) BootFlag::stop);
      boot.getField("pause").set(null, (Runnable) BootFlag::pause);
      PollFlag.copyTo(
          new BootFlag(
              MethodHandles.publicLookup().findStaticVarHandle(boot, "raised", boolean.class)));
    } catch (ClassNotFoundException e) {
      // No agent, or one that leaves the JDK alone.
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "The weaving agent's " + NAME + " is not of this version of Turnwise: use the same", e);
    }
  }

  private static void stop() {
    PollFlag.answerInJdk(true);
  }

  private static void pause() {
    PollFlag.answerInJdk(false);
  }

  @Override
  public void set(boolean up) {
    // As for the flag itself: a write only where it changes something, as all cores read it.
    if ((boolean) raised.getOpaque() != up) raised.setVolatile(up);
  }
}
