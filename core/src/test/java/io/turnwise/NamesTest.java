package io.turnwise;

import static io.turnwise.Puppet.ask;
import static io.turnwise.Puppet.does;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.internal.cell.ManualSystem;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names, paths, and finding an actor by its path. */
class NamesTest {

  @Test
  void pathsLeadFromTheSystemToTheActor() {
    try (var kit = new ManualSystem()) {
      var top = kit.puppet("top");
      var leaf = new CompletableFuture<ActorRef<Puppet.Msg>>();
      top.cast(
          does(
              c ->
                  c.spawn("middle", kit.puppetSpec())
                      .cast(does(d -> leaf.complete(d.spawn("leaf", kit.puppetSpec()))))));
      kit.run();
      assertThat(top.path()).isEqualTo("/test/top");
      assertThat(top.name()).isEqualTo("top");
      assertThat(leaf.join().path()).isEqualTo("/test/top/middle/leaf");
      assertThat(leaf.join().name()).isEqualTo("leaf");
      assertThat(leaf.join()).hasToString("/test/top/middle/leaf");
      assertThat(kit.system().name()).isEqualTo("test");
    }
  }

  @Test
  void actorsAreFoundByFullAndByShortPath() {
    try (var kit = new ManualSystem()) {
      var top = kit.puppet("top");
      var leaf = new CompletableFuture<ActorRef<Puppet.Msg>>();
      top.cast(does(c -> leaf.complete(c.spawn("leaf", kit.puppetSpec()))));
      kit.run();
      var system = kit.system();
      assertThat(system.find("/test/top").orElseThrow()).isSameAs(top);
      assertThat(system.find("top").orElseThrow()).isSameAs(top);
      assertThat(system.find("/test/top/leaf").orElseThrow()).isSameAs(leaf.join());
      assertThat(system.find("top/leaf").orElseThrow()).isSameAs(leaf.join());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/",
        "//",
        "/test",
        "/test/",
        "/test//top",
        "top/",
        "top//leaf",
        "/other/top",
        "leaf",
        "/top",
        "top/leaf/x",
        "TOP",
        "/tester/top",
        "nobody",
        "top/nobody",
        "../test/top",
        " top"
      })
  void nothingIsFoundAtOtherPaths(String path) {
    try (var kit = new ManualSystem()) {
      kit.puppet("top").cast(does(c -> c.spawn("leaf", kit.puppetSpec())));
      kit.run();
      assertThat(kit.system().find(path)).isEmpty();
    }
  }

  @Test
  void lookingUpNullIsAnError() {
    try (var kit = new ManualSystem()) {
      assertThatThrownBy(() -> kit.system().find(null))
          .isInstanceOf(NullPointerException.class)
          .hasMessageContaining("path");
    }
  }

  @Test
  void anonymousActorsHaveNamesOfTheirOwnAndCannotBeFound() {
    try (var kit = new ManualSystem()) {
      Set<String> names = new HashSet<>();
      for (int i = 0; i < 100; i++) {
        ActorRef<Puppet.Msg> actor = kit.system().spawn(kit.puppetSpec());
        assertThat(actor.name()).startsWith("$");
        assertThat(kit.system().find(actor.path())).isEmpty();
        assertThat(kit.system().find(actor.name())).isEmpty();
        names.add(actor.path());
      }
      assertThat(names).hasSize(100);
    }
  }

  @Test
  void aNameIsUniqueAmongLivingSiblings() {
    try (var kit = new ManualSystem()) {
      var first = kit.puppet("same");
      assertThatThrownBy(() -> kit.puppet("same"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContainingAll("/test/same", "lives already", "[NAME-TAKEN]", "next:");
      var elsewhere = kit.puppet("elsewhere");
      elsewhere.cast(
          does(
              c -> {
                c.spawn("same", kit.puppetSpec());
                assertThatThrownBy(() -> c.spawn("same", kit.puppetSpec()))
                    .hasMessageContaining("/test/elsewhere/same");
                kit.note("checked");
              }));
      kit.run();
      assertThat(kit.log()).contains("checked");
      assertThat(kit.system().find("same").orElseThrow()).isSameAs(first);
      assertThat(kit.system().snapshot().actorsSpawned()).isEqualTo(3);
    }
  }

  @Test
  void aNameIsFreeAfterTheEnd() {
    try (var kit = new ManualSystem()) {
      for (int i = 0; i < 100; i++) {
        var actor = kit.puppet("again");
        var answer = kit.call(actor, ask("x"));
        kit.run();
        assertThat(answer).isCompletedWithValue("X");
        actor.stop();
        kit.run();
        assertThat(kit.system().find("again")).isEmpty();
      }
    }
  }

  @Test
  void aNameIsTakenUntilTeardownIsDone() {
    try (var kit = new ManualSystem()) {
      List<Throwable> caught = new ArrayList<>();
      var actor =
          kit.spawn(
              "a",
              () ->
                  new Actor<String>() {
                    @Override
                    public void receive(String message, Context<String> context) {}

                    @Override
                    public void teardown(StopReason reason, Context<String> context) {
                      try {
                        context.system().spawn("a", kit.puppetSpec());
                      } catch (IllegalArgumentException e) {
                        caught.add(e);
                      }
                    }
                  });
      actor.stop();
      kit.run();
      assertThat(caught).hasSize(1);
      kit.puppet("a");
    }
  }

  @ParameterizedTest
  @NullAndEmptySource
  @ValueSource(
      strings = {
        " ",
        "a b",
        " a",
        "a ",
        "a/b",
        "/a",
        "a\\b",
        "$a",
        "a$",
        "a\n",
        "a\tb",
        "a\u0000",
        "a\u0000b",
        ".",
        "..",
        "ä",
        "名",
        "a\u200bb",
        "\ud83d\ude00",
        "\ud83d",
        "a\u202eb",
        "<b>",
        "a&b",
        "a?b",
        "a#b",
        "a%20b",
        "a*",
        "a;b",
        "a|b",
        "a\"b",
        "a'b",
        "(a)",
        "[a]",
        "{a}",
        "a!b",
        "a`b",
        "a^b",
        "\ufeffa",
        "a\u00a0b",
        "\u0007",
        "\u001b[31mred"
      })
  void malformedNamesAreRefusedWithAReason(String name) {
    try (var kit = new ManualSystem()) {
      assertThatThrownBy(() -> kit.system().spawn(name, kit.puppetSpec()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContainingAll("[BAD-NAME]", "next:")
          .satisfies(e -> assertThat(e.getMessage()).matches("(?s)[\\x20-\\x7E…\n]*"));
      assertThatThrownBy(() -> kit.system().spawn(name, () -> new Puppet(new ArrayList<>())))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> ActorSystem.open(name))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("[BAD-NAME]");
      assertThat(kit.system().snapshot().actorsSpawned()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"a", "A", "0", "-", "_", "...", "a.b", "~a", "a+b=c", "a@b:1", "x,y", "Cart-7"})
  void plainNamesAreAccepted(String name) {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet(name);
      kit.run();
      assertThat(kit.system().find(name).orElseThrow()).isSameAs(actor);
      assertThat(actor.path()).isEqualTo("/test/" + name);
    }
  }

  @Test
  void namesMayBeAsLongAs128Characters() {
    try (var kit = new ManualSystem()) {
      kit.puppet("x".repeat(128));
      assertThatThrownBy(() -> kit.puppet("x".repeat(129)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("129 characters");
      assertThatThrownBy(() -> kit.puppet("x".repeat(1_000_000)))
          .satisfies(e -> assertThat(e.getMessage().length()).isLessThan(500));
      kit.run();
    }
  }

  @Test
  void aHundredThousandSiblingsMayHaveNames() {
    // What matters is that look-up and spawn do not slow down with siblings.
    try (var kit = new ManualSystem()) {
      int count = 100_000;
      Actor<String> idle = (_, _) -> {};
      for (int i = 0; i < count; i++) kit.system().spawn("actor-" + i, () -> idle);
      assertThat(kit.system().find("actor-77777")).isPresent();
      assertThat(kit.system().find("actor-" + count)).isEmpty();
      assertThat(kit.system().snapshot().actorsLive()).isEqualTo(count);
    }
  }
}
