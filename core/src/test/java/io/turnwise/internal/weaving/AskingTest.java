package io.turnwise.internal.weaving;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AskingTest {
  @Test
  void whoIsAskingDoesNotAskAgain() {
    int place = Asking.begin();
    assertThat(place).isNotEqualTo(Asking.NONE);
    assertThat(Asking.begin()).isEqualTo(Asking.NONE);
    Asking.end(place);
    int again = Asking.begin();
    assertThat(again).isNotEqualTo(Asking.NONE);
    Asking.end(again);
  }

  /** More threads than places of any number; some are taken off the processor in the middle. */
  @Test
  void threadsKnowThemselvesAmongOthers() throws Exception {
    var mistaken = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 200; i++)
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int round = 0; round < 2000; round++) {
                      int place = Asking.begin();
                      if (round % 500 == 0) Thread.yield();
                      boolean known = Asking.begin() == Asking.NONE;
                      if (place == Asking.NONE || !known) mistaken.incrementAndGet();
                      else Asking.end(place);
                    }
                  }));
    for (Thread thread : threads) thread.join();
    assertThat(mistaken).hasValue(0);
  }
}
