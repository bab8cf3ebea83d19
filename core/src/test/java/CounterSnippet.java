// @start region="counter"
import io.turnwise.*;

sealed interface Message {}

record Add(int amount) implements Message {}

record Total() implements Message, Call<Message, Integer> {}

class Counter implements Actor<Message> {
  private int total;

  public void receive(Message message, Context<Message> context) {
    switch (message) {
      case Add(int amount) -> total += amount;
      case Total call -> context.reply(call, total); // the compiler knows it must be an Integer
    }
  }
}

void main() {
  try (var system = ActorSystem.open("shop")) {
    ActorRef<Message> counter = system.spawn("counter", Counter::new);
    counter.cast(new Add(3));
    counter.cast(new Add(4));
    IO.println("total: " + counter.call(new Total())); // waits; inside an actor, only a fiber does
  }
}
// @end
