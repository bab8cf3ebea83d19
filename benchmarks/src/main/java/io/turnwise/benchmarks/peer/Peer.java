package io.turnwise.benchmarks.peer;

import static io.turnwise.benchmarks.peer.Ability.ANSWERS_AS_MESSAGES;
import static io.turnwise.benchmarks.peer.Ability.BLOCKING_ACTORS;
import static io.turnwise.benchmarks.peer.Ability.INSPECTION;
import static io.turnwise.benchmarks.peer.Ability.KILL;
import static io.turnwise.benchmarks.peer.Ability.OUTSIDE_THREADS;
import static io.turnwise.benchmarks.peer.Ability.PRIORITIES;
import static io.turnwise.benchmarks.peer.Ability.SHARES;
import static io.turnwise.benchmarks.peer.Ability.TASKS;
import static io.turnwise.benchmarks.peer.Ability.TIMERS;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Every runtime that can take part, ours first. */
public enum Peer {
  TURNWISE(
      "turnwise",
      Platform.JVM,
      "this project, with its agent",
      OUTSIDE_THREADS,
      ANSWERS_AS_MESSAGES,
      BLOCKING_ACTORS,
      TASKS,
      TIMERS,
      KILL,
      INSPECTION,
      PRIORITIES,
      SHARES),
  TURNWISE_UNWOVEN(
      "turnwise-unwoven",
      Platform.JVM,
      "this project with an agent that weaves nothing; only where it is named",
      OUTSIDE_THREADS,
      ANSWERS_AS_MESSAGES,
      BLOCKING_ACTORS,
      TIMERS),
  PEKKO(
      "pekko",
      Platform.JVM,
      "Apache Pekko typed as it comes: at least 8 dispatcher threads",
      OUTSIDE_THREADS,
      ANSWERS_AS_MESSAGES,
      TASKS,
      TIMERS),
  PEKKO_CORES(
      "pekko-cores",
      Platform.JVM,
      "Apache Pekko typed with as many dispatcher threads as cores",
      OUTSIDE_THREADS,
      ANSWERS_AS_MESSAGES,
      TASKS),
  LOOM(
      "loom",
      Platform.JVM,
      "a virtual thread per actor, LinkedTransferQueue as mailbox",
      OUTSIDE_THREADS,
      BLOCKING_ACTORS,
      TASKS,
      TIMERS),
  LOOM_JCTOOLS(
      "loom-jctools",
      Platform.JVM,
      "a virtual thread per actor, JCTools queue and park as mailbox",
      OUTSIDE_THREADS,
      BLOCKING_ACTORS,
      TASKS),
  LOOM_POLITE(
      "loom-polite",
      Platform.JVM,
      "loom that gives way after 100 messages, with time-outs; only where it is named",
      OUTSIDE_THREADS,
      BLOCKING_ACTORS),
  LOOM_JCTOOLS_POLITE(
      "loom-jctools-polite",
      Platform.JVM,
      "loom-jctools that gives way after 100 messages, with time-outs; only where it is named",
      OUTSIDE_THREADS,
      BLOCKING_ACTORS),
  FJP(
      "fjp",
      Platform.JVM,
      "the least one would write by hand: a queue and a flag on ForkJoinPool",
      OUTSIDE_THREADS,
      ANSWERS_AS_MESSAGES,
      TASKS,
      TIMERS),
  FJP_POLITE(
      "fjp-polite",
      Platform.JVM,
      "fjp with time-outs for questions from outside, which knows its actors; only where it is named",
      OUTSIDE_THREADS),
  ERLANG(
      "erlang",
      Platform.ERLANG,
      "processes; gen_server for questions",
      BLOCKING_ACTORS,
      PRIORITIES,
      TASKS,
      TIMERS),
  GO("go", Platform.GO, "goroutines and buffered channels", BLOCKING_ACTORS, TASKS, TIMERS);

  /** What a peer's program runs on. */
  public enum Platform {
    JVM,
    ERLANG,
    GO
  }

  private final String label;
  private final Platform platform;
  private final String sentence;
  private final Set<Ability> abilities;

  Peer(String label, Platform platform, String sentence, Ability... abilities) {
    this.label = label;
    this.platform = platform;
    this.sentence = sentence;
    this.abilities = Set.of(abilities);
  }

  /** The name on the command line and in results. */
  public String label() {
    return label;
  }

  public Platform platform() {
    return platform;
  }

  /** What it is, in a few words. */
  public String sentence() {
    return sentence;
  }

  public boolean can(Set<Ability> needed) {
    return abilities.containsAll(needed);
  }

  public boolean can(Ability needed) {
    return abilities.contains(needed);
  }

  public static Optional<Peer> byLabel(String label) {
    return Arrays.stream(values()).filter(peer -> peer.label.equals(label)).findFirst();
  }

  /**
   * Others in another guise: they tell what one thing costs, and take part where they are named.
   */
  private static final Set<Peer> GUISES =
      Set.of(TURNWISE_UNWOVEN, LOOM_POLITE, LOOM_JCTOOLS_POLITE, FJP_POLITE);

  /** Who takes part where nobody is named: everybody, each once. */
  public static List<Peer> usual() {
    return Arrays.stream(values()).filter(peer -> !GUISES.contains(peer)).toList();
  }

  public static List<Peer> onTheJvm() {
    return Arrays.stream(values()).filter(peer -> peer.platform == Platform.JVM).toList();
  }

  /**
   * Opens this peer inside this JVM. The classes of the other peers are not loaded, so that the
   * compiler sees one implementation of every interface, as it would in a user's program.
   */
  public ActorRuntime<?> open(RuntimeSettings settings) {
    return switch (this) {
      case TURNWISE, TURNWISE_UNWOVEN -> new TurnwiseRuntime(settings);
      case PEKKO -> PekkoRuntime.asItComes(settings);
      case PEKKO_CORES -> PekkoRuntime.oneThreadPerCore(settings);
      case LOOM -> LoomRuntime.withTransferQueues(settings);
      case LOOM_JCTOOLS -> LoomRuntime.withJcToolsQueues(settings);
      case LOOM_POLITE -> LoomRuntime.politeWithTransferQueues(settings);
      case LOOM_JCTOOLS_POLITE -> LoomRuntime.politeWithJcToolsQueues(settings);
      case FJP -> new ForkJoinRuntime(settings, false);
      case FJP_POLITE -> new ForkJoinRuntime(settings, true);
      case ERLANG, GO ->
          throw new IllegalArgumentException(label + " does not run in a JVM; its program is run");
    };
  }
}
