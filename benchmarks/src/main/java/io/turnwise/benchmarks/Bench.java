package io.turnwise.benchmarks;

import io.turnwise.benchmarks.harness.Campaign;
import io.turnwise.benchmarks.harness.CampaignOptions;
import io.turnwise.benchmarks.harness.Machine;
import io.turnwise.benchmarks.harness.MachineGaps;
import io.turnwise.benchmarks.peer.Peer;
import io.turnwise.benchmarks.workload.WorkloadSpec;
import io.turnwise.benchmarks.workload.Workloads;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Measures Turnwise and its peers on the same workloads, in the same run. */
@Command(
    name = "./turnwise bench",
    description = {
      "Measures Turnwise and its peers on the same workloads, in the same run.",
      "Every peer runs in a process of its own, directly after the one before.",
      ""
    },
    sortOptions = false,
    usageHelpAutoWidth = true,
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:everything was measured",
      "1:some peer failed; its row says why",
      "2:the command line makes no sense"
    })
public final class Bench implements Callable<Integer> {
  private static final Duration GAPS_TIME = Duration.ofSeconds(5);
  private static final int QUICK_SCALE = 10;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Parameters(paramLabel = "WORKLOAD", description = "workloads or groups; --list names them")
  private List<String> workloads = new ArrayList<>();

  @Option(
      names = "--peers",
      split = ",",
      paramLabel = "PEER",
      description = "who takes part, separated by commas (everybody, each once)")
  private List<String> peers = new ArrayList<>();

  @Option(names = "--json", description = "one line of JSON per peer and workload, no tables")
  private boolean json;

  @Option(names = "--out", paramLabel = "FILE", description = "append the JSON lines to a file")
  private @Nullable Path out;

  @Option(names = "--reps", paramLabel = "N", description = "measured repetitions (5)")
  private @Nullable Integer reps;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "so often, all peers take their turn, in new processes with all of these (1)")
  private @Nullable Integer rounds;

  @Option(
      names = "--warmups",
      paramLabel = "N",
      description = "repetitions before those (2), and 8 s at least, or half of the budget")
  private @Nullable Integer warmups;

  @Option(
      names = "--budget",
      paramLabel = "SECONDS",
      description = "no repetition of a peer begins after this (75)")
  private long budget = CampaignOptions.DEFAULT.budget().toSeconds();

  @Option(
      names = "--grace",
      paramLabel = "SECONDS",
      description = "a process that takes this much longer than its budget is ended (120)")
  private long grace = CampaignOptions.DEFAULT.grace().toSeconds();

  @Option(names = "--scale", paramLabel = "N", description = "divide all sizes by this (1)")
  private @Nullable Integer scale;

  @Option(
      names = "--workers",
      paramLabel = "N",
      description = "worker threads for every peer (each peer's own default)")
  private int workers = CampaignOptions.DEFAULT.workers();

  @Option(
      names = "--quick",
      description = "a tenth of the sizes, one warm-up, two repetitions: a look, not a result")
  private boolean quick;

  @Option(names = "--list", description = "name all workloads, groups and peers, and end")
  private boolean list;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "show this and end")
  private boolean help;

  private Bench() {}

  public static void main(String... arguments) {
    System.exit(run(arguments));
  }

  static int run(String... arguments) {
    return commandLine().execute(arguments);
  }

  static CommandLine commandLine() {
    CommandLine jmh = new CommandLine(new JmhCommand());
    // JMH parses its own options; here they are only handed through, in their order.
    jmh.setUnmatchedOptionsArePositionalParams(true);
    return new CommandLine(new Bench())
        .addSubcommand(jmh)
        .addSubcommand(new PriceCommand())
        .addSubcommand(new CommandLine.HelpCommand());
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (list) {
      spec.commandLine().getOut().println(catalogue());
      return 0;
    }
    List<WorkloadSpec> chosen = chosenWorkloads();
    List<Peer> takingPart = chosenPeers();
    Machine machine = Machine.here();
    CampaignOptions options = options();
    List<String> command = new ArrayList<>(List.of("bench"));
    command.addAll(spec.commandLine().getParseResult().originalArgs());

    try (Reporter reporter =
        new Reporter(
            json,
            spec.commandLine().getOut(),
            spec.commandLine().getErr(),
            Optional.ofNullable(out))) {
      reporter.begin(machine, gapsFor(chosen), command);
      if (options.scale() > 1) {
        reporter.progress(
            "sizes are divided by " + options.scale() + ": a look that all works, not a result");
      }
      try (Campaign campaign = Campaign.open(machine, takingPart, options, reporter)) {
        campaign.run(chosen);
      }
      return reporter.sawFailure() ? 1 : 0;
    }
  }

  /** Where latencies are to be judged, what the machine does without anybody's help. */
  private Optional<MachineGaps> gapsFor(List<WorkloadSpec> chosen) throws InterruptedException {
    boolean latencies = chosen.stream().anyMatch(each -> each.metric().unit().equals("ns"));
    if (!latencies || quick) {
      return Optional.empty();
    }
    return Optional.of(MachineGaps.measure(GAPS_TIME));
  }

  private CampaignOptions options() {
    CampaignOptions usual = CampaignOptions.DEFAULT;
    try {
      return new CampaignOptions(
          given(warmups, quick ? 1 : usual.warmups()),
          given(reps, quick ? 2 : usual.reps()),
          given(rounds, usual.rounds()),
          Duration.ofSeconds(budget),
          Duration.ofSeconds(grace),
          given(scale, quick ? QUICK_SCALE : usual.scale()),
          workers);
    } catch (IllegalArgumentException outOfRange) {
      throw new ParameterException(spec.commandLine(), outOfRange.getMessage());
    }
  }

  private static int given(@Nullable Integer option, int otherwise) {
    return option == null ? otherwise : option;
  }

  private List<WorkloadSpec> chosenWorkloads() {
    if (workloads.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(), "Say which workload or group; --list names them.");
    }
    try {
      return Workloads.expand(workloads);
    } catch (IllegalArgumentException unknown) {
      throw new ParameterException(spec.commandLine(), unknown.getMessage());
    }
  }

  private List<Peer> chosenPeers() {
    if (peers.isEmpty()) {
      return Peer.usual();
    }
    return peers.stream().distinct().map(this::peer).toList();
  }

  private Peer peer(String label) {
    return Peer.byLabel(label)
        .orElseThrow(
            () ->
                new ParameterException(
                    spec.commandLine(),
                    "There is no peer \"" + label + "\"; there are: " + peerLabels()));
  }

  private static String peerLabels() {
    return Arrays.stream(Peer.values()).map(Peer::label).collect(Collectors.joining(", "));
  }

  private static String catalogue() {
    List<String> lines = new ArrayList<>();
    lines.add("Workloads:");
    for (WorkloadSpec workload : Workloads.all()) {
      lines.add(
          "  %-20s %s (%s)"
              .formatted(workload.name(), workload.sentence(), workload.metric().unit()));
    }
    lines.add("Groups:");
    Workloads.byGroup()
        .forEach(
            (group, members) ->
                lines.add(
                    "  %-20s %s"
                        .formatted(
                            group,
                            members.equals(Workloads.all())
                                ? "everything above"
                                : members.stream()
                                    .map(WorkloadSpec::name)
                                    .collect(Collectors.joining(" ")))));
    lines.add("Peers:");
    for (Peer peer : Peer.values()) {
      lines.add("  %-20s %s".formatted(peer.label(), peer.sentence()));
    }
    return String.join(System.lineSeparator(), lines);
  }
}
