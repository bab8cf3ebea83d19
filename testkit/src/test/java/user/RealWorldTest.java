package user;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.ActorSystem;
import io.turnwise.testkit.simulation.Simulation;
import io.turnwise.testkit.simulation.SimulationFailure;
import io.turnwise.testkit.simulation.SimulationPlan;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What comes from outside is refused, with a sentence, unless the plan allows it. */
class RealWorldTest {
  @TempDir private static Path folder;

  @FunctionalInterface
  private interface Touch {
    void run() throws Exception;
  }

  /** A subclass of ours opens its file in the constructor above it. */
  private static final class OwnStream extends FileInputStream {
    OwnStream(String name) throws IOException {
      super(name);
    }
  }

  private static Map<String, Touch> touches() {
    Map<String, Touch> all = new TreeMap<>();
    Path file = folder.resolve("file");
    all.put("Files.writeString", () -> Files.writeString(file, "x"));
    all.put("Files.exists", () -> Files.exists(file));
    all.put("new FileInputStream", () -> new OwnStream(file.toString()).close());
    all.put("new PrintWriter", () -> new PrintWriter(file.toString()).close());
    all.put("File.exists", () -> file.toFile().exists());
    all.put("new Socket", () -> new Socket("127.0.0.1", 1).close());
    all.put("new ServerSocket", () -> new ServerSocket(0).close());
    all.put(
        "SocketChannel.open",
        () -> SocketChannel.open(new InetSocketAddress("127.0.0.1", 1)).close());
    all.put("ProcessBuilder.start", () -> new ProcessBuilder("true").start());
    all.put("ActorSystem.open", () -> ActorSystem.open("threads of its own").close());
    all.put("System.in", () -> System.in.available());
    all.put(
        "HttpClient.send",
        () -> {
          try (HttpClient client = HttpClient.newHttpClient()) {
            client.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:1/")).build(),
                HttpResponse.BodyHandlers.discarding());
          }
        });
    return all;
  }

  @Test
  void whatWasCalledByWhomAndWhereIsSaid() {
    touches()
        .forEach(
            (what, touch) ->
                assertThatThrownBy(
                        () ->
                            Simulation.run(
                                1,
                                simulation -> {
                                  simulation
                                      .<String>spawn("reader", () -> (_, _) -> touch.run())
                                      .cast("read");
                                  simulation.sleep(Duration.ofSeconds(1));
                                }))
                    .as(what)
                    .isInstanceOf(SimulationFailure.class)
                    .hasMessageContaining(what + " in a simulation")
                    .hasMessageContaining("[SIMULATION-IO]")
                    .hasMessageContaining("/simulation/reader in turn 2, at user.RealWorldTest")
                    .hasMessageContaining("SimulationPlan.withInputOutput(true)"));
    assertThat(folder).isEmptyDirectory();
  }

  /** Also where the code keeps it to itself. */
  @Test
  void aRefusalThatIsSwallowedEndsTheRunAllTheSame() {
    assertThatThrownBy(
            () ->
                Simulation.run(
                    1,
                    simulation -> {
                      try {
                        Files.readString(folder.resolve("none"));
                      } catch (Exception e) {
                        // as libraries do
                      }
                    }))
        .hasMessageContaining("Files.readString in a simulation");
  }

  @Test
  void aPlanMayAllowIt() {
    Simulation.run(
        SimulationPlan.DEFAULT.withInputOutput(true),
        1,
        simulation -> {
          Path file = Files.writeString(folder.resolve("allowed"), "text");
          assertThat(Files.readString(file)).isEqualTo("text");
          Files.delete(file);
        });
  }

  @Test
  void whatOnlyLooksLikeItIsNotRefused() {
    Simulation.run(
        1,
        simulation -> {
          var text = new StringWriter();
          new PrintWriter(text).print("x");
          System.out.print("");
          assertThat(text.toString()).isEqualTo("x");
          assertThat(Path.of("a").resolve("b").getFileName().toString()).isEqualTo("b");
        });
  }

  @Test
  void outsideOfSimulationsNothingIsRefused() throws IOException {
    Simulation.run(1, _ -> {}); // this class is woven by now
    assertThat(Files.exists(folder)).isTrue();
  }
}
