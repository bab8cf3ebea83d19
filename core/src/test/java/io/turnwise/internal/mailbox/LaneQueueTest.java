package io.turnwise.internal.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A lane beside the normal one: any thread pushes, one polls. */
class LaneQueueTest {

  @Test
  void keepsOrderAndCanBeEmptiedAgainAndAgain() {
    var lane = new LaneQueue();
    for (int round = 0; round < 5; round++) {
      assertThat(lane.isEmpty()).isTrue();
      assertThat(lane.poll()).isNull();
      for (int i = 0; i < 100; i++) lane.push(new Envelope(i, null));
      assertThat(lane.count()).isEqualTo(100);
      for (int i = 0; i < 100; i++) assertThat(lane.poll().message()).isEqualTo(i);
      assertThat(lane.count()).isZero();
    }
  }

  @Test
  void carriesTheCaller() {
    var lane = new LaneQueue();
    var caller = new Object();
    lane.push(new Envelope("x", caller));
    assertThat(lane.poll().caller()).isSameAs(caller);
  }

  @Test
  void threadsThatPushAtOnceLoseNothingAndKeepTheirOwnOrder() throws Exception {
    var lane = new LaneQueue();
    int threads = 4;
    int each = 20_000;
    List<Thread> pushers = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int me = t;
      pushers.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int i = 0; i < each; i++) lane.push(new Envelope(new int[] {me, i}, null));
                  }));
    }
    int[] next = new int[threads];
    int seen = 0;
    while (seen < threads * each) {
      Envelope envelope = lane.poll();
      if (envelope == null) {
        Thread.onSpinWait();
        continue;
      }
      int[] message = (int[]) envelope.message();
      assertThat(message[1]).isEqualTo(next[message[0]]++);
      seen++;
    }
    for (Thread pusher : pushers) pusher.join();
    assertThat(lane.isEmpty()).isTrue();
  }
}
