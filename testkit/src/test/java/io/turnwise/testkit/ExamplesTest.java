package io.turnwise.testkit;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.Call;
import io.turnwise.CallTimeoutException;
import io.turnwise.Context;
import org.junit.jupiter.api.Test;

/** What the Javadoc shows is what runs. */
class ExamplesTest {
  sealed interface Order {}

  record Buy(String item) implements Order {}

  record Price(String item) implements Order, Call<Order, Integer> {}

  record Paid(String item, int price) implements Order {}

  /** Asks one actor for the price, and tells another what was paid. */
  static class Shop implements Actor<Order> {
    private final ActorRef<Order> prices;
    private final ActorRef<Order> till;

    Shop(ActorRef<Order> prices, ActorRef<Order> till) {
      this.prices = prices;
      this.till = till;
    }

    @Override
    public void receive(Order order, Context<Order> context) {
      switch (order) {
        case Buy(String item) -> till.cast(new Paid(item, prices.call(new Price(item))));
        case Price price -> context.reply(price, prices.call(price));
        case Paid _ -> throw new IllegalArgumentException("a shop does not pay");
      }
    }
  }

  @Test
  void aTestkitInATest() {
    // @start region="testkit"
    try (var kit = Testkit.onVirtualTime()) {
      Probe<Order> prices = kit.probe("prices");
      Probe<Order> till = kit.probe("till");
      var shop = kit.system().spawn("shop", () -> new Shop(prices.ref(), till.ref()));
      prices.answer(Price.class, _ -> 3);

      shop.cast(new Buy("apple"));
      till.expect(new Paid("apple", 3));

      shop.cast(new Paid("apple", 3));
      kit.expectCrash(shop, IllegalArgumentException.class);
    } // and nothing else has crashed, got lost, or hangs
    // @end
  }

  @Test
  void probesAreReadAndAnswer() {
    try (var kit = Testkit.onVirtualTime()) {
      Probe<Order> prices = kit.probe();
      Probe<Order> till = kit.probe();
      var shop = kit.system().spawn("shop", () -> new Shop(prices.ref(), till.ref()));
      // @start region="probe"
      shop.cast(new Buy("pear"));
      Price asked = prices.expect(new Price("pear")); // the shop waits for the answer
      till.expectNothing();
      prices.reply(asked, 4);
      assertThat(till.expect(Paid.class).price()).isEqualTo(4);
      // @end
    }
  }

  @Test
  void timePassesWhenTheTestSaysSo() {
    try (var kit = Testkit.onVirtualTime()) {
      Probe<Order> prices = kit.probe("prices");
      Probe<Order> till = kit.probe("till");
      var shop = kit.system().spawn("shop", () -> new Shop(prices.ref(), till.ref()));
      // @start region="time"
      shop.cast(new Buy("pear"));
      Price asked = prices.expect(Price.class);
      kit.advance(ofSeconds(4)); // no time at all for the test
      prices.reply(asked, 4);
      till.expect(new Paid("pear", 4));

      shop.cast(new Buy("plum"));
      prices.expect(Price.class); // which nobody answers
      kit.advance(ofSeconds(5)); // the timeout of calls
      kit.expectCrash(shop, CallTimeoutException.class);
      assertThat(kit.clock().elapsed()).isEqualTo(ofSeconds(9));
      // @end
    }
  }

  @Test
  void aCallOfTheTestDrivesTheSystem() {
    try (var kit = Testkit.onVirtualTime()) {
      Probe<Order> prices = kit.probe("prices");
      var shop = kit.system().spawn("shop", () -> new Shop(prices.ref(), prices.ref()));
      prices.answer(Price.class, price -> price.item().length());
      assertThat(shop.call(new Price("apple"))).isEqualTo(5);
      assertThatThrownBy(() -> prices.within(ofSeconds(1)).expect(Paid.class))
          .isInstanceOf(AssertionError.class);
    }
  }
}
