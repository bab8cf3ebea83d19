package io.turnwise.benchmarks.harness;

import io.turnwise.benchmarks.peer.RuntimeSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Compiles the Erlang modules with erlc and runs them with erl. */
final class ErlangLauncher implements Launcher {
  private static final List<String> SOURCES =
      List.of(
          "bench.erl",
          "bench_anchors.erl",
          "bench_ask.erl",
          "bench_fairness.erl",
          "bench_hogs.erl",
          "bench_messaging.erl",
          "bench_population.erl",
          "bench_report.erl",
          "bench_small.erl",
          "bench_timers.erl");

  private final Workshop workshop;
  private Path folder = Path.of("");

  ErlangLauncher(Workshop workshop) {
    this.workshop = workshop;
  }

  @Override
  public Optional<String> prepare() {
    if (Tool.run("erl", "-noshell", "-eval", "halt(0).").isEmpty()) {
      return Optional.of("erl is not installed");
    }
    try {
      folder = workshop.unpack("erlang", SOURCES);
    } catch (IOException failure) {
      return Optional.of(failure.toString());
    }
    List<String> compile = Stream.concat(Stream.of("erlc"), SOURCES.stream()).toList();
    return Tool.complaint(folder, compile);
  }

  @Override
  public List<String> command(RunOrder order) {
    List<String> command = new ArrayList<>(List.of("erl", "+P", "4000000"));
    if (order.workers() != RuntimeSettings.PEERS_CHOICE) {
      command.addAll(List.of("+S", order.workers() + ":" + order.workers()));
    }
    command.addAll(List.of("-noshell", "-pa", folder.toString(), "-s", "bench", "-extra"));
    command.addAll(order.arguments());
    return command;
  }
}
