package io.turnwise.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.agent.sample.ClockProgram;
import io.turnwise.agent.weaver.LoopWeaver;
import io.turnwise.agent.weaver.PollTarget;
import io.turnwise.agent.weaver.RedirectKind;
import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import org.junit.jupiter.api.Test;

/** What the agent makes of a class, with and without simulations. */
class WeavingTransformerTest {
  private final WeavingLedger ledger = new WeavingLedger();
  private final WeavingTransformer transformer =
      new WeavingTransformer(
          WeavingFilter.usual().including("io.turnwise.agent.sample.**"),
          ledger,
          unusedInstrumentation(),
          true);

  @Test
  void withoutSimulationsOnlyPollsArePutIn() throws Exception {
    byte[] woven = LoopWeaver.atRunTime(PollTarget.SAFEPOINT).weave("", program()).bytes();
    assertThat(transform(ClockProgram.class)).isEqualTo(woven);
    assertThat(transform(AbstractQueuedSynchronizer.class)).isNull();
    assertThat(transformer.wants(AbstractQueuedSynchronizer.class)).isFalse();
    assertThat(ledger.report().redirected()).isEmpty();
    assertThat(ledger.report().text()).doesNotContain("redirected");
  }

  @Test
  void withSimulationsCallsAreRedirectedToo() throws Exception {
    transformer.redirect();
    byte[] woven = transform(ClockProgram.class);
    assertThat(names(woven, "io/turnwise/weaving/Redirected")).isTrue();
    assertThat(names(woven, "io/turnwise/weaving/Safepoint")).isTrue();
    WeavingReport report = ledger.report();
    assertThat(report.redirected(RedirectKind.CLOCK)).isEqualTo(2);
    assertThat(report.redirected(RedirectKind.SLEEP)).isEqualTo(1);
    assertThat(report.classes()).isEqualTo(2); // the nested one too
    assertThat(report.text())
        .contains("calls redirected, clock: 2\n", "calls redirected, sleep: 1\n")
        .contains("NOT_REDIRECTED io.turnwise.agent.sample.ClockProgram$OwnRandom.<init>()V:");
  }

  @Test
  void withSimulationsTheJdkAsksForTheTime() throws Exception {
    transformer.redirect();
    assertThat(transformer.wants(AbstractQueuedSynchronizer.class)).isTrue();
    assertThat(names(transform(AbstractQueuedSynchronizer.class), BootWorld.NAME)).isTrue();
    // Both at once: a bulk operation polls, and a class of that package may read a clock.
    assertThat(names(transform(java.util.concurrent.ConcurrentHashMap.class), BootSafepoint.NAME))
        .isTrue();
    assertThat(names(transform(java.util.concurrent.ThreadLocalRandom.class), BootWorld.NAME))
        .isTrue();
    assertThat(transform(Class.forName("java.util.concurrent.DelayScheduler"))).isNull();
    assertThat(transform(java.util.Timer.class)).isNull();
  }

  @Test
  void classesThatAreWovenAgainAreCountedOnce() throws Exception {
    transform(ClockProgram.class);
    WeavingReport before = ledger.report();
    transformer.redirect();
    transformer.weaveAgain(() -> transformLoaded(ClockProgram.class));
    WeavingReport after = ledger.report();
    assertThat(after.classes()).isEqualTo(before.classes());
    assertThat(after.polls()).isEqualTo(before.polls());
    assertThat(after.redirected(RedirectKind.CLOCK)).isEqualTo(2);
  }

  private byte[] transform(Class<?> type) throws IOException {
    return transform(type, null);
  }

  private void transformLoaded(Class<?> type) {
    try {
      transform(type, type);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private byte[] transform(Class<?> type, Class<?> loaded) throws IOException {
    for (Class<?> nested : type.getDeclaredClasses())
      if (type == ClockProgram.class) one(nested, loaded);
    return one(type, loaded);
  }

  private byte[] one(Class<?> type, Class<?> loaded) throws IOException {
    return transformer.transform(
        type.getModule(),
        type.getClassLoader(),
        type.getName().replace('.', '/'),
        loaded,
        null,
        bytes(type));
  }

  private static byte[] program() throws IOException {
    return bytes(ClockProgram.class);
  }

  private static byte[] bytes(Class<?> type) throws IOException {
    try (InputStream in =
        type.getResourceAsStream("/" + type.getName().replace('.', '/') + ".class")) {
      return in.readAllBytes();
    }
  }

  private static boolean names(byte[] classFile, String text) {
    return new String(classFile, StandardCharsets.ISO_8859_1).contains(text);
  }

  /** For classes of no module nobody asks it anything. */
  private static Instrumentation unusedInstrumentation() {
    return (Instrumentation)
        Proxy.newProxyInstance(
            Instrumentation.class.getClassLoader(),
            new Class<?>[] {Instrumentation.class},
            (_, method, _) -> {
              throw new AssertionError(method + " was called");
            });
  }
}
