package io.turnwise.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WeavingFilterTest {
  @ParameterizedTest
  @ValueSource(
      strings = {"com/shop/Cart", "Main", "kotlin/collections/ArraysKt", "io/turnwise/demo/Shop"})
  void userCodeIsWoven(String name) {
    assertThat(WeavingFilter.usual().includes(name)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "java/util/HashMap",
        "jdk/proxy1/$Proxy3",
        "io/turnwise/ActorRef",
        "io/turnwise/internal/cell/ActorCell",
        "org/junit/platform/launcher/Launcher",
        "ch/qos/logback/classic/Logger"
      })
  void infrastructureIsNot(String name) {
    assertThat(WeavingFilter.usual().includes(name)).isFalse();
  }

  @Test
  void theLastRuleThatMatchesDecides() {
    WeavingFilter filter =
        WeavingFilter.usual()
            .excluding("com.shop.**")
            .including("com.shop.*Service")
            .excluding("com.shop.OldService");
    assertThat(filter.includes("com/shop/Cart")).isFalse();
    assertThat(filter.includes("com/shop/deep/CartService")).isFalse();
    assertThat(filter.includes("com/shop/CartService")).isTrue();
    assertThat(filter.includes("com/shop/OldService")).isFalse();
    assertThat(filter.includes("com/shopping/Cart")).isTrue();
  }

  @Test
  void aPatternThatMatchesNothingIsRefused() {
    assertThatThrownBy(() -> WeavingFilter.usual().including("com/shop/Cart"))
        .hasMessageContaining("write a name with dots");
  }
}
