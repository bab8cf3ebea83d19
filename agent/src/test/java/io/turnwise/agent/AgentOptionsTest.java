package io.turnwise.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AgentOptionsTest {
  @Test
  void nothingIsRedirectedUnlessAskedFor() {
    assertThat(AgentOptions.parse(null).simulation()).isFalse();
    assertThat(AgentOptions.parse("simulation=off").simulation()).isFalse();
    assertThat(AgentOptions.parse("simulation=on").simulation()).isTrue();
    assertThat(AgentOptions.parse("exclude=a.b, simulation=on ,jmx=on").simulation()).isTrue();
  }

  @Test
  void aMistypedValueIsRefusedWithTheRightOnes() {
    assertThatThrownBy(() -> AgentOptions.parse("simulation=yes"))
        .hasMessage("turnwise-agent: simulation=yes; write simulation=on or =off");
    assertThatThrownBy(() -> AgentOptions.parse("simulate=on"))
        .hasMessageContaining("simulation=on|off");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"simulation=on,jdk=off", "jdk=off,simulation=on", "weave=off,simulation=on"})
  void optionsThatForbidEachOtherAreRefused(String options) {
    assertThatThrownBy(() -> AgentOptions.parse(options)).hasMessageContaining("leave these out");
  }
}
