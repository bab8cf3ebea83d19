package io.turnwise.internal.door;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class CompletionTest {
  private final CompletableFuture<@Nullable String> future = new CompletableFuture<>();
  private final List<@Nullable Object> seen = new ArrayList<>();

  @BeforeEach
  void theDoorIsOpen() {
    JdkDoor.open();
  }

  @Test
  void aStageWaitsUntilSomebodyRunsItAndRunsOnce() {
    future.thenAccept(seen::add);
    assertThat(Completion.value(future, "x")).isTrue();
    assertThat(future).isCompletedWithValue("x");
    assertThat(seen).isEmpty();
    assertThat(future.complete("y")).isFalse();
    assertThat(seen).containsExactly("x");
  }

  @Test
  void aStageThatComesAfterTheOutcomeRunsWhereItIsAdded() {
    Completion.value(future, null);
    future.thenAccept(seen::add);
    assertThat(seen).hasSize(1).containsOnlyNulls();
  }

  @Test
  void aFailureIsTheSameAsThatOfAnyFuture() {
    var cause = new IllegalStateException("no");
    future.exceptionally(e -> seen.add(e) ? null : null);
    assertThat(Completion.failure(future, cause)).isTrue();
    assertThat(seen).isEmpty();
    assertThat(future.exceptionNow()).isSameAs(cause);
    assertThat(future).failsWithin(Duration.ZERO).withThrowableThat().withCause(cause);
    future.completeExceptionally(new CompletionException(null));
    assertThat(seen).containsExactly(cause);
  }

  @Test
  void theFirstOutcomeCounts() {
    future.complete("first");
    assertThat(Completion.value(future, "second")).isFalse();
    assertThat(Completion.failure(future, new Throwable())).isFalse();
    assertThat(future).isCompletedWithValue("first");
  }
}
