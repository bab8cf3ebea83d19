package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.Behavior;
import io.turnwise.benchmarks.peer.Next;
import io.turnwise.benchmarks.peer.Request;
import io.turnwise.benchmarks.peer.Self;

/** Answers every request with its own payload. */
final class EchoServer<A> implements Behavior<A> {
  @Override
  public Next receive(Object message, Self<A> self) {
    Request request = (Request) message;
    self.reply(request, request.payload());
    return Next.CONTINUE;
  }

  static void check(Object payload, Object answer) {
    if (answer != payload) {
      throw new WrongResultException("asked with " + payload + ", answered with " + answer);
    }
  }
}
