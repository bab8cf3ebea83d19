package io.turnwise;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Handlers that wait for a socket hold a fiber, and no worker. */
class SocketTest {
  private record Ask() implements Call<Object, String> {}

  private static ServerSocket listen() throws IOException {
    return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  private static Socket connect(ServerSocket to) throws IOException {
    return new Socket(to.getInetAddress(), to.getLocalPort());
  }

  @ParameterizedTest(name = "{0} workers")
  @ValueSource(ints = {1, 2})
  void othersRunWhileHandlersWaitForSockets(int workers) throws Exception {
    try (var system = ActorSystem.open("sockets", c -> c.withWorkers(workers));
        ServerSocket listening = listen()) {
      var accepts = new CompletableFuture<String>();
      var heard = new CompletableFuture<Integer>();
      ActorRef<String> server =
          system.spawn(
              () ->
                  (_, _) -> {
                    accepts.complete("about to accept");
                    try (Socket socket = listening.accept()) {
                      heard.complete(socket.getInputStream().read());
                      socket.getOutputStream().write(43);
                    }
                  });
      server.cast("go");
      get(accepts);
      ActorRef<Object> other = system.spawn(() -> (m, c) -> c.reply((Ask) m, "well"));
      assertThat(other.call(new Ask())).as("while one accepts").isEqualTo("well");
      var answered = new CompletableFuture<Integer>();
      ActorRef<String> client =
          system.spawn(
              () ->
                  (_, _) -> {
                    try (Socket socket = connect(listening)) {
                      assertThat(other.call(new Ask())).as("while one reads").isEqualTo("well");
                      socket.getOutputStream().write(42);
                      answered.complete(socket.getInputStream().read());
                    }
                  });
      client.cast("go");
      assertThat(get(heard)).isEqualTo(42);
      assertThat(get(answered)).isEqualTo(43);
    }
  }

  /** The JDK's thread that waits for sockets must not be one of ours, which end with the system. */
  @Test
  void virtualThreadsOfOthersWaitForSocketsAfterASystemHasEnded() throws Exception {
    try (var system = ActorSystem.open("first", c -> c.withWorkers(1));
        ServerSocket listening = listen();
        Socket one = connect(listening);
        Socket two = listening.accept()) {
      var read = new CompletableFuture<Integer>();
      ActorRef<String> reader =
          system.spawn(() -> (_, _) -> read.complete(one.getInputStream().read()));
      reader.cast("go");
      two.getOutputStream().write(1);
      assertThat(get(read)).isEqualTo(1);
    }
    try (ServerSocket listening = listen();
        Socket one = connect(listening);
        Socket two = listening.accept()) {
      var read = new CompletableFuture<Integer>();
      Thread.startVirtualThread(
          () -> {
            try {
              read.complete(one.getInputStream().read());
            } catch (IOException e) {
              read.completeExceptionally(e);
            }
          });
      two.getOutputStream().write(2);
      assertThat(get(read)).isEqualTo(2);
    }
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(60, TimeUnit.SECONDS);
  }
}
