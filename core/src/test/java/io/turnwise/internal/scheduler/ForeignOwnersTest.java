package io.turnwise.internal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ForeignOwnersTest {
  private static final int THREADS = 100_000;

  private final ForeignOwners owners = new ForeignOwners();
  private final ForeignThreads one = new ForeignThreads(null);
  private final ForeignThreads two = new ForeignThreads(null);

  @Test
  void aThreadBelongsToWhoStartedIt() {
    Runnable thread = new CountDownLatch(1)::countDown;
    assertThat(owners.of(thread, () -> one)).isSameAs(one);
    assertThat(owners.of(thread, () -> two)).isSameAs(one);
    assertThat(owners.tidy()).isEqualTo(1);
  }

  @Test
  void threadsThatAreGoneAreForgotten() throws Exception {
    List<Runnable> alive = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      Runnable thread = new CountDownLatch(i)::countDown;
      if (i % 10_000 == 0) alive.add(thread);
      owners.of(thread, () -> one);
    }
    Await.until(
        "the others are forgotten",
        () -> {
          System.gc();
          return owners.tidy() == alive.size();
        });
    for (Runnable thread : alive) assertThat(owners.of(thread, () -> two)).isSameAs(one);
  }
}
