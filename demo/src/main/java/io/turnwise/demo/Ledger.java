package io.turnwise.demo;

import io.turnwise.ActorRef;
import io.turnwise.Call;
import io.turnwise.Context;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts every message where it is sent, outside the runtime, so that the runtime's own counters
 * can be held against it. Also keeps what the picture shows of the shop.
 */
final class Ledger {
  final LongAdder orders = new LongAdder();
  final LongAdder lostSales = new LongAdder();
  final Latencies fillingCarts = new Latencies();
  final Latencies checkingOut = new Latencies();
  private final Map<Phase, Latencies> fillingCartsIn = new EnumMap<>(Phase.class);
  private volatile Phase phase = Phase.BEFORE;
  private final LongAdder sent = new LongAdder();

  Ledger() {
    for (Phase each : Phase.values()) fillingCartsIn.put(each, new Latencies());
  }

  void enter(Phase next) {
    phase = next;
  }

  /** An item was put into a cart this long after it was sent there. */
  void cartFilled(long nanos) {
    fillingCarts.record(nanos);
    fillingCarts(phase).record(nanos);
  }

  Latencies fillingCarts(Phase in) {
    return fillingCartsIn.getOrDefault(in, fillingCarts);
  }

  <M> void cast(ActorRef<M> to, M message) {
    to.cast(message);
    sent.increment();
  }

  <M, R> R call(ActorRef<M> to, Call<M, R> request) {
    sent.increment();
    return to.call(request);
  }

  <M, N, R> void forward(
      Context<M> context, Call<M, R> call, ActorRef<N> target, Call<N, R> request) {
    context.forward(call, target, request);
    sent.increment();
  }

  /** Messages that were sent without it. */
  void count(int messages) {
    sent.add(messages);
  }

  long sent() {
    return sent.sum();
  }
}
