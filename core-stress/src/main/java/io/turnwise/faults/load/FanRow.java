package io.turnwise.faults.load;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.Context;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Numbered;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Streams;
import io.turnwise.faults.trial.Trial;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** F27: many to one, one to many, and a large ring: order is kept between each pair. */
public final class FanRow implements Row {
  @Override
  public String id() {
    return "F27";
  }

  @Override
  public String what() {
    return "fan-in, fan-out, ring: order of each pair";
  }

  @Override
  public String run(Trial trial) throws Exception {
    int width = (int) trial.sized(500, 10_000);
    int ring = (int) trial.sized(5_000, 100_000);
    long messages = trial.sized(100_000, 10_000_000);
    for (int workers : trial.workerCounts()) {
      run(workers, (system, books) -> fanIn(system, books, width, messages));
      run(workers, (system, books) -> fanOut(system, books, width, messages));
      run(workers, (system, books) -> ring(system, books, ring, messages));
    }
    return messages + " each, " + width + " wide, ring of " + ring;
  }

  @FunctionalInterface
  private interface Shape {
    void send(ActorSystem system, Books books);
  }

  private static void run(int workers, Shape shape) {
    var books = new Books();
    ActorSystem system =
        ActorSystem.open(
            "fan", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(60)));
    try (system) {
      shape.send(system, books);
      books.awaitQuiet(system, 600);
    }
    books.check(system.snapshot(), 0);
  }

  private static void fanIn(ActorSystem system, Books books, int width, long messages) {
    ActorRef<Numbered> one = system.spawn(() -> new Collector(books, width));
    long each = messages / width;
    for (int i = 0; i < width; i++) {
      int id = i;
      books.offered.increment();
      system.spawn(() -> new Source(books, id, each, one)).cast("go");
    }
  }

  /** Sends a few at a time, so that all the sources are under way at once. */
  private static final class Source implements Actor<String> {
    private final Books books;
    private final int id;
    private final long count;
    private final ActorRef<Numbered> to;
    private long sent;

    Source(Books books, int id, long count, ActorRef<Numbered> to) {
      this.books = books;
      this.id = id;
      this.count = count;
      this.to = to;
    }

    @Override
    public void receive(String go, Context<String> context) {
      for (int i = 0; i < 10 && sent < count; i++) {
        books.offered.increment();
        to.cast(new Numbered(id, sent++));
      }
      if (sent < count) {
        books.offered.increment();
        context.self().cast(go);
      }
      books.handled.increment();
    }
  }

  private static final class Collector implements Actor<Numbered> {
    private final Books books;
    private final Streams streams;

    Collector(Books books, int senders) {
      this.books = books;
      this.streams = new Streams(books, senders, false);
    }

    @Override
    public void receive(Numbered message, Context<Numbered> context) {
      streams.see(message);
      books.handled.increment();
    }
  }

  private static void fanOut(ActorSystem system, Books books, int width, long messages) {
    List<ActorRef<Numbered>> many = new ArrayList<>();
    for (int i = 0; i < width; i++) many.add(system.spawn(() -> new Collector(books, 1)));
    ActorRef<Long> one =
        system.spawn(
            () ->
                (round, context) -> {
                  for (ActorRef<Numbered> each : many) {
                    books.offered.increment();
                    each.cast(new Numbered(0, round));
                  }
                  books.handled.increment();
                });
    for (long round = 0; round < messages / width; round++) {
      books.offered.increment();
      one.cast(round);
    }
  }

  /** Several numbered messages go round at once and must not overtake each other. */
  private static void ring(ActorSystem system, Books books, int size, long messages) {
    int tokens = 10;
    long hops = messages / tokens;
    List<Node> nodes = new ArrayList<>();
    List<ActorRef<Token>> refs = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      var node = new Node(books);
      nodes.add(node);
      refs.add(system.spawn(() -> node));
    }
    for (int i = 0; i < size; i++) nodes.get(i).next = refs.get((i + 1) % size);
    for (int i = 0; i < tokens; i++) {
      books.offered.increment();
      refs.get(0).cast(new Token(true, i, hops));
    }
  }

  /**
   * One of the messages that go round.
   *
   * @param fromOutside whether it comes from who began, or from the node before
   * @param number the how manieth of its sender to this receiver it is
   */
  private record Token(boolean fromOutside, long number, long hopsLeft) {}

  private static final class Node implements Actor<Token> {
    private final Books books;
    volatile @Nullable ActorRef<Token> next;
    private long seenFromOutside;
    private long seen;
    private long sent;

    Node(Books books) {
      this.books = books;
    }

    @Override
    public void receive(Token token, Context<Token> context) {
      long expected = token.fromOutside ? seenFromOutside++ : seen++;
      if (token.number != expected) books.violation(token + " came for " + expected);
      ActorRef<Token> to = next;
      if (token.hopsLeft > 0 && to != null) {
        books.offered.increment();
        to.cast(new Token(false, sent++, token.hopsLeft - 1));
      }
      books.handled.increment();
    }
  }
}
