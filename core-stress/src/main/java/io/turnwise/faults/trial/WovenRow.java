package io.turnwise.faults.trial;

import java.util.ArrayList;
import java.util.List;

/**
 * A row whose handlers pass polls: it runs in JVMs of its own, started with the weaving agent. The
 * others keep theirs without: what they are about does not change by it.
 */
public abstract class WovenRow implements Row {
  private static final String SAYS = "says: ";
  private static final String HELD = "held: ";

  /** What runs in the child. */
  protected abstract String runWoven(Trial trial) throws Exception;

  /** One JVM for each entry, with these flags. */
  protected List<List<String>> jvms(Trial trial) {
    return List.of(List.of());
  }

  /** What follows the agent's jar. */
  protected List<String> agentOptions() {
    return List.of();
  }

  /** After this a child is taken to hang. */
  protected int limitSeconds(Trial trial) {
    return (int) trial.sized(300, 3_600);
  }

  /** Which polls yield although nobody asked, for {@link #jvms}. */
  protected static List<String> everyPoll(String share, long seed) {
    return List.of("-Dturnwise.everyPoll=" + share, "-Dturnwise.everyPoll.seed=" + (int) seed);
  }

  @Override
  public final String run(Trial trial) throws Exception {
    String size = "";
    for (List<String> flags : jvms(trial)) {
      var all = new ArrayList<String>();
      all.add(
          "-javaagent:"
              + Built.jar("agent", "turnwise-agent.jar")
              + "="
              + String.join(",", agentOptions()));
      all.add("--enable-native-access=ALL-UNNAMED");
      all.addAll(flags);
      var arguments = new ArrayList<String>();
      arguments.add(getClass().getName());
      arguments.addAll(trial.asArguments());
      ChildJvm.Ended ended =
          ChildJvm.run(
              Child.class,
              all,
              arguments,
              limitSeconds(trial),
              line -> {
                if (line.startsWith(SAYS)) trial.say(line.substring(SAYS.length()));
              });
      for (String line : ended.output().lines().toList())
        if (line.startsWith(HELD)) size = line.substring(HELD.length());
      ended.mustEndWith(0, id() + flags);
    }
    return size;
  }

  /** The child's side. */
  public static final class Child {
    private Child() {}

    public static void main(String[] arguments) {
      QuietLog.install();
      try {
        var row = (WovenRow) Class.forName(arguments[0]).getDeclaredConstructor().newInstance();
        Trial given = Trial.of(java.util.Arrays.copyOfRange(arguments, 1, arguments.length));
        System.out.println(HELD + row.runWoven(given.toldTo(t -> System.out.println(SAYS + t))));
      } catch (Throwable e) { // whatever it is, it is this row's result
        e.printStackTrace(System.out);
        System.exit(1);
      }
      System.exit(0);
    }
  }
}
