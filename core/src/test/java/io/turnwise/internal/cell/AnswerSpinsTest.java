package io.turnwise.internal.cell;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Plain threads look for answers as long as that has paid lately. */
class AnswerSpinsTest {
  private final AnswerSpins spins = new AnswerSpins(2);

  @Test
  void whoLooksInVainLooksLess() {
    assertThat(spins.now()).isEqualTo(AnswerSpins.MOST);
    spins.inVain();
    assertThat(spins.now()).isEqualTo(AnswerSpins.MOST / 2);
    for (int i = 0; i < 20; i++) spins.inVain();
    assertThat(spins.now()).isEqualTo(AnswerSpins.LEAST);
  }

  @Test
  void whereItPaysItIsMoreAgain() {
    for (int i = 0; i < 20; i++) spins.inVain();
    spins.paid();
    assertThat(spins.now()).isEqualTo(2 * AnswerSpins.LEAST);
    for (int i = 0; i < 20; i++) spins.paid();
    assertThat(spins.now()).isEqualTo(AnswerSpins.MOST);
  }

  @Test
  void oneProcessorIsTheCallees() {
    assertThat(new AnswerSpins(1).now()).isZero();
  }
}
