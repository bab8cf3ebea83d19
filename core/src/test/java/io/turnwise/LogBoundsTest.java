package io.turnwise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.internal.cell.ManualSystem;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.FailureAction;
import io.turnwise.supervision.Recovery;
import io.turnwise.supervision.RestartLimit;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever it is that fails, what is said of it has an end. */
class LogBoundsTest {
  private static final int MILLION = 1_000_000;

  /** The text of 30 exceptions, 2,000 frames of 100 characters, and a line. */
  private static final int MOST = 300_000;

  @RegisterExtension final LogWatch log = new LogWatch();

  enum Odd {
    LONG_MESSAGE(() -> new IllegalStateException("x".repeat(MILLION))),
    LONG_NAME_OF_ITSELF(
        () ->
            new IllegalStateException("short") {
              private static final long serialVersionUID = 1L;

              @Override
              public String toString() {
                return "y".repeat(MILLION);
              }
            }),
    DEEP(
        () -> {
          RuntimeException deepest = new IllegalStateException("deepest");
          for (int i = 0; i < 10_000; i++) deepest = new IllegalStateException("on top", deepest);
          return deepest;
        }),
    LONG_AND_DEEP(
        () -> {
          String text = "z".repeat(MILLION / 10);
          RuntimeException deepest = new IllegalStateException(text);
          for (int i = 0; i < 100; i++) deepest = new IllegalStateException(text, deepest);
          return deepest;
        }),
    IN_A_CIRCLE(
        () -> {
          var first = new IllegalStateException("first");
          var second = new IllegalStateException("second", first);
          first.initCause(second);
          return first;
        }),
    SUPPRESSES_MANY(
        () -> {
          var first = new IllegalStateException("first");
          for (int i = 0; i < 10_000; i++) first.addSuppressed(new IllegalStateException("too"));
          return first;
        }),
    SUPPRESSES_IN_A_CIRCLE(
        () -> {
          var first = new IllegalStateException("first");
          var second = new IllegalStateException("second", first);
          first.addSuppressed(second);
          return first;
        }),
    CANNOT_BE_PRINTED(
        () ->
            new IllegalStateException("never seen") {
              private static final long serialVersionUID = 1L;

              @Override
              public String toString() {
                throw new IllegalStateException("no words");
              }
            }),
    CAUSE_CANNOT_BE_HAD(
        () ->
            new IllegalStateException("has no cause to show") {
              private static final long serialVersionUID = 1L;

              @Override
              public synchronized Throwable getCause() {
                throw new IllegalStateException("no cause");
              }
            }),
    LONG_STACK(
        () -> {
          var long1 = new IllegalStateException("with a made-up stack");
          var stack = new StackTraceElement[MILLION / 10];
          for (int i = 0; i < stack.length; i++)
            stack[i] = new StackTraceElement("some.Type", "method", "Type.java", i);
          long1.setStackTrace(stack);
          return long1;
        });

    private final Supplier<RuntimeException> make;

    Odd(Supplier<RuntimeException> make) {
      this.make = make;
    }
  }

  /** A message that is itself long, and must not be seen. */
  private record Throw(RuntimeException what, String secret) {}

  private static ChildSpec<Throw> child(FailureAction action) {
    return ChildSpec.of("a", () -> (Actor<Throw>) (m, _) -> doThrow(m))
        .withAction(RuntimeException.class, action);
  }

  private static void doThrow(Throw message) {
    throw message.what;
  }

  private static final String SECRET = "secret".repeat(MILLION / 6);

  @ParameterizedTest
  @EnumSource
  void aCrashARestartAndAnEscalation(Odd odd) {
    try (var kit = new ManualSystem()) {
      SupervisorSpec inner =
          SupervisorSpec.oneForOne()
              .withChild(child(FailureAction.RESTART))
              .withLimit(RestartLimit.of(1));
      SupervisorSpec outer =
          SupervisorSpec.oneForOne()
              .withChild(ChildSpec.supervisor("inner", inner))
              .withLimit(RestartLimit.of(0));
      Supervisor.start(kit.system(), "sup", outer);
      kit.run();
      @SuppressWarnings("unchecked") // made of the spec above
      var a = (ActorRef<Throw>) kit.system().find("sup/inner/a").orElseThrow();
      for (int i = 0; i < 2; i++) {
        a.cast(new Throw(odd.make.get(), SECRET));
        kit.run();
      }
      a.cast(new Throw(odd.make.get(), SECRET)); // to one that has ended
      kit.run();
      assertThat(kit.system().tree().length()).isLessThan(MOST);
      assertThat(kit.system().dump().length()).isLessThan(MOST);
    }
    assertThat(log.records())
        .extracting(LogRecord::getMessage)
        .anyMatch(text -> text.contains("and is to be started again"))
        .anyMatch(text -> text.contains("[ROOT-FAILED]"))
        .anyMatch(text -> text.contains("[DEAD-LETTER]"));
    assertThat(log.printed()).allSatisfy(line -> assertThat(line.length()).isLessThan(MOST));
    assertThat(log.printed()).noneMatch(line -> line.contains("secretsecret"));
    String crash =
        log.printed().stream().filter(line -> line.contains("/a crashed")).findFirst().get();
    assertThat(crash).contains(odd == Odd.LONG_NAME_OF_ITSELF ? "yyy" : "IllegalStateException");
    assertThat(crash).contains(odd == Odd.LONG_STACK ? "some.Type" : "LogBoundsTest");
  }

  @Test
  void whatFitsIsLoggedItself() {
    var cause = new IllegalArgumentException("why", new CompletionException(null));
    cause.addSuppressed(new IllegalStateException("beside"));
    try (var kit = new ManualSystem()) {
      kit.spawn("a", () -> (Actor<Throw>) (m, _) -> doThrow(m)).cast(new Throw(cause, SECRET));
      kit.run();
    }
    assertThat(log.records()).filteredOn(r -> r.getThrown() != null).hasSize(1);
    assertThat(log.records()).anyMatch(r -> r.getThrown() == cause);
  }

  @Test
  void theOverflowOfAStackIsLoggedItself() {
    try (var kit = new ManualSystem()) {
      kit.spawn("a", () -> (Actor<Integer>) (m, _) -> endless(m)).cast(1);
      kit.run();
    }
    assertThat(log.records()).anyMatch(r -> r.getThrown() instanceof StackOverflowError);
  }

  private static int endless(int n) {
    return endless(n + 1) + n;
  }

  @Test
  void whatACallerIsTold() {
    try (var kit = new ManualSystem()) {
      record Ask() implements Call<Ask, Integer> {}
      ActorRef<Ask> a =
          kit.spawn(
              "a",
              () ->
                  (Actor<Ask>)
                      (_, _) -> {
                        throw Odd.LONG_MESSAGE.make.get();
                      });
      var call = kit.call(a, new Ask());
      kit.run();
      assertThatThrownBy(call::join)
          .cause()
          .isInstanceOf(CalleeFailedException.class)
          .satisfies(failure -> assertThat(failure.getMessage().length()).isLessThan(10_000));
    }
  }

  // ---- very many children ----------------------------------------------------------------------

  private static List<ChildSpec<Object>> many(boolean circle) {
    List<ChildSpec<Object>> all = new ArrayList<>();
    int many = 100_000;
    for (int i = 0; i < many; i++) {
      ChildSpec<Object> child = ChildSpec.of("c" + i, () -> (_, _) -> {});
      all.add(circle ? child.withDependsOn("c" + (i + 1) % many) : child);
    }
    return all;
  }

  @Test
  void ofVeryManyChildren() {
    try (var kit = new ManualSystem()) {
      SupervisorSpec spec = SupervisorSpec.dynamic().withChildren(many(false));
      Supervisor.start(kit.system(), "sup", spec.withLimit(RestartLimit.of(0)));
      kit.run();
      assertThat(kit.system().tree().length()).isLessThan(MOST);
      assertThat(kit.system().tree()).contains("… and 99");
      assertThat(kit.system().dump().length()).isLessThan(10 * MOST); // of 10,000 actors
      kit.system().find("sup/c7").orElseThrow().kill();
      kit.advance(Duration.ofMillis(100)); // what a kill may take
      assertThat(log.records()).anyMatch(r -> r.getMessage().contains("[ROOT-FAILED]"));
      assertThat(log.printed()).allSatisfy(line -> assertThat(line.length()).isLessThan(MOST));
    }
  }

  @Test
  void ofACircleOfVeryMany() {
    SupervisorSpec graph = SupervisorSpec.graph(Recovery.ALL);
    assertThatThrownBy(() -> graph.withChildren(many(true)))
        .hasMessageContainingAll("c0 -> c1 -> c2", "more", "[DEPENDENCY-CIRCLE]")
        .satisfies(e -> assertThat(e.getMessage().length()).isLessThan(2_000));
  }

  @Test
  void ofOneThatIsMissingAmongVeryMany() {
    List<ChildSpec<Object>> all = new ArrayList<>(many(false));
    all.add(ChildSpec.<Object>of("lost", () -> (_, _) -> {}).withDependsOn("nobody"));
    SupervisorSpec graph = SupervisorSpec.graph(Recovery.ALL).withChildren(all);
    assertThatThrownBy(graph::asActor)
        .hasMessageContainingAll("'lost'", "'nobody'", "c0, c1", "and 99981 more")
        .satisfies(e -> assertThat(e.getMessage().length()).isLessThan(2_000));
  }
}
