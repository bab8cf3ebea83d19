package io.turnwise.benchmarks.harness;

import io.turnwise.agent.RuntimeAgent;
import io.turnwise.benchmarks.peer.Peer;
import io.turnwise.benchmarks.peer.RuntimeSettings;
import io.turnwise.benchmarks.workload.WorkloadSpec.Repetitions;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Peers of the JVM: this program again, with the same flags for all of them. Our own runtime also
 * gets its agent, as its users' programs do.
 */
final class JvmLauncher implements Launcher {
  private static final String NO_WEAVING = "=weave=off";

  private final Peer peer;
  private final HeapSize heap;
  private List<String> agent = List.of();

  JvmLauncher(Peer peer, HeapSize heap) {
    this.peer = peer;
    this.heap = heap;
  }

  @Override
  public Optional<String> prepare() {
    return switch (peer) {
      case TURNWISE -> prepareAgent("");
      case TURNWISE_UNWOVEN -> prepareAgent(NO_WEAVING);
      default -> Optional.empty();
    };
  }

  private Optional<String> prepareAgent(String options) {
    Optional<Path> jar = agentJar();
    jar.ifPresent(path -> agent = List.of("-javaagent:" + path + options));
    return jar.isPresent()
        ? Optional.empty()
        : Optional.of("its agent is not in a jar; build with \"mvn package\" or later");
  }

  /** The jar that the agent's classes are in: its own, or the one that this program came in. */
  private static Optional<Path> agentJar() {
    try {
      Path path =
          Path.of(RuntimeAgent.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      return Files.isRegularFile(path) ? Optional.of(path) : Optional.empty();
    } catch (URISyntaxException notAFile) {
      return Optional.empty();
    }
  }

  @Override
  public List<String> command(RunOrder order) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    boolean repeats = order.workload().repetitions() != Repetitions.IN_FRESH_PROCESSES;
    command.addAll(repeats ? heap.touchedFlags() : heap.flags());
    command.addAll(flags());
    command.addAll(agent);
    if (order.workers() != RuntimeSettings.PEERS_CHOICE) {
      command.add("-Djdk.virtualThreadScheduler.parallelism=" + order.workers());
      command.add("-Djdk.virtualThreadScheduler.maxPoolSize=" + order.workers());
    }
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(PeerProcess.class.getName());
    command.addAll(order.arguments());
    return command;
  }

  /**
   * What the jar's manifest grants to "java -jar", silence about Unsafe in libraries, and what
   * docs/starting.md recommends for programs with an agent.
   */
  static List<String> flags() {
    return List.of(
        "-XX:+IgnoreUnrecognizedVMOptions",
        "-XX:+UnlockExperimentalVMOptions",
        "-XX:-DoJVMTIVirtualThreadTransitions",
        "--add-opens=java.base/java.lang=ALL-UNNAMED",
        "--enable-native-access=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow");
  }
}
