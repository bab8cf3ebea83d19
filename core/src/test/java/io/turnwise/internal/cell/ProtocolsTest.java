package io.turnwise.internal.cell;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.Actor;
import io.turnwise.Context;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Finding out from its declaration which messages an actor handles. */
class ProtocolsTest {
  interface Msg {}

  static class Direct implements Actor<Msg> {
    @Override
    public void receive(Msg message, Context<Msg> context) {}
  }

  static class Inherited extends Direct {}

  abstract static class Base<A, B> implements Actor<B> {
    @Override
    public void receive(B message, Context<B> context) {}
  }

  static class Bound extends Base<String, Integer> {}

  abstract static class Middle<X> extends Base<List<X>, X> {}

  static class Deep extends Middle<Long> {}

  static class Parameterized implements Actor<List<String>> {
    @Override
    public void receive(List<String> message, Context<List<String>> context) {}
  }

  static class ParameterizedThroughBase extends Middle<List<String>> {}

  static class Arrays implements Actor<String[]> {
    @Override
    public void receive(String[] message, Context<String[]> context) {}
  }

  static class Open<M> implements Actor<M> {
    @Override
    public void receive(M message, Context<M> context) {}
  }

  interface Named extends Actor<Msg> {}

  static class ThroughInterface implements Comparable<String>, Named {
    @Override
    public void receive(Msg message, Context<Msg> context) {}

    @Override
    public int compareTo(String other) {
      return 0;
    }
  }

  @Test
  void aClassThatNamesItsProtocolTellsIt() {
    assertThat(Protocols.of(Direct.class)).isEqualTo(Msg.class);
    assertThat(Protocols.of(Inherited.class)).isEqualTo(Msg.class);
    assertThat(Protocols.of(ThroughInterface.class)).isEqualTo(Msg.class);
    assertThat(Protocols.of(Parameterized.class)).isEqualTo(List.class);
    assertThat(Protocols.of(Arrays.class)).isEqualTo(String[].class);
    Actor<Msg> anonymous =
        new Actor<>() {
          @Override
          public void receive(Msg message, Context<Msg> context) {}
        };
    assertThat(Protocols.of(anonymous.getClass())).isEqualTo(Msg.class);
  }

  @Test
  void typeVariablesAreFollowedThroughSuperclasses() {
    assertThat(Protocols.of(Bound.class)).isEqualTo(Integer.class);
    assertThat(Protocols.of(Deep.class)).isEqualTo(Long.class);
  }

  @Test
  void whatCannotBeKnownIsNotGuessed() {
    Actor<Msg> lambda = (_, _) -> {};
    assertThat(Protocols.of(lambda.getClass())).isNull();
    assertThat(Protocols.of(Open.class)).isNull();
    assertThat(Protocols.of(String.class)).isNull();
    assertThat(Protocols.of(ParameterizedThroughBase.class)).isIn(null, List.class);
  }
}
