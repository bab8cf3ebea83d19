package io.turnwise.benchmarks.harness;

import io.turnwise.benchmarks.peer.RuntimeSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Peers of the JVM: this program again, with the same flags for all of them. */
final class JvmLauncher implements Launcher {
  private final HeapSize heap;

  JvmLauncher(HeapSize heap) {
    this.heap = heap;
  }

  @Override
  public Optional<String> prepare() {
    return Optional.empty();
  }

  @Override
  public List<String> command(RunOrder order) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(heap.flags());
    command.addAll(flags());
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

  /** What the jar's manifest grants to "java -jar", and silence about Unsafe in libraries. */
  static List<String> flags() {
    return List.of(
        "--add-opens=java.base/java.lang=ALL-UNNAMED",
        "--enable-native-access=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow");
  }
}
