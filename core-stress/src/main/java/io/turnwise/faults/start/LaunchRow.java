package io.turnwise.faults.start;

import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Built;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Trial;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * T9: a program is started in eight ways, where attaching is allowed and where it is forbidden. It
 * runs, or is told what to add; started once more with just that, it runs. As a module, the runtime
 * has {@code java.lang} for itself. With the weaving agent, its loops can be ended.
 */
public final class LaunchRow implements Row {
  private static final int SECONDS = 120;
  private static final Pattern ADVICE = Pattern.compile("start Java with (--add-opens \\S+),");

  /** How the runtime comes along. */
  private enum Where {
    CLASS_PATH("ALL-UNNAMED"),
    MODULE_PATH("io.turnwise");

    private final String openedTo;

    Where(String openedTo) {
      this.openedTo = openedTo;
    }

    List<String> flags(Path runtime, Path program) {
      return this == CLASS_PATH
          ? List.of("-cp", program + System.getProperty("path.separator") + runtime)
          : List.of("-p", runtime.toString(), "--add-modules", openedTo, "-cp", program.toString());
    }
  }

  /** Who opens the door. */
  private enum Opener {
    NOBODY,
    FLAG,
    AGENT,
    WEAVING_AGENT;

    List<String> flags(Where where, Path runtime) throws IOException {
      return switch (this) {
        case NOBODY -> List.of();
        case FLAG -> List.of("--add-opens", "java.base/java.lang=" + where.openedTo);
        case AGENT -> List.of("-javaagent:" + runtime);
        case WEAVING_AGENT -> List.of("-javaagent:" + Built.jar("agent", "turnwise-agent.jar"));
      };
    }
  }

  /** What is forbidden. */
  private enum Forbidden {
    NOTHING,
    ATTACHING("-XX:+DisableAttachMechanism"),
    LOADING_AGENTS("-XX:-EnableDynamicAgentLoading"),
    BOTH("-XX:+DisableAttachMechanism", "-XX:-EnableDynamicAgentLoading"),
    BY_US("-Dturnwise.selfAttach=false");

    private final List<String> flags;

    Forbidden(String... flags) {
      this.flags = List.of(flags);
    }
  }

  private record Outcome(int status, String said) {}

  @Override
  public String id() {
    return "T9";
  }

  @Override
  public String what() {
    return "started in every way: runs, or says what to add";
  }

  @Override
  public String run(Trial trial) throws Exception {
    Path runtime = Built.jar("core", "turnwise.jar");
    Path program = Files.createTempDirectory("turnwise-till-");
    try {
      for (Class<?> type : Till.all()) copy(type, program);
      return check(trial, runtime, program);
    } finally {
      try (Stream<Path> all = Files.walk(program)) {
        for (Path each : all.sorted(Comparator.reverseOrder()).toList()) Files.delete(each);
      }
    }
  }

  private static void copy(Class<?> type, Path into) throws IOException {
    String name = type.getName().replace('.', '/') + ".class";
    Path file = into.resolve(name);
    Files.createDirectories(file.getParent());
    try (InputStream in = type.getClassLoader().getResourceAsStream(name)) {
      if (in == null) throw new IOException("the class file of " + type.getName() + " is missing");
      Files.copy(in, file);
    }
  }

  private static String check(Trial trial, Path runtime, Path program)
      throws IOException, InterruptedException {
    int started = 0;
    int number = 0;
    for (Where where : Where.values())
      for (Opener opener : Opener.values())
        for (Forbidden forbidden : Forbidden.values()) {
          // Every build tries some of them: each takes a JVM or two.
          if (!trial.full() && (number++ + trial.seed()) % 4 != 0) continue;
          started += check(where, opener, forbidden, runtime, program);
          trial.say(where + ", opened by " + opener + ", forbidden " + forbidden);
        }
    return started + " processes";
  }

  private static int check(
      Where where, Opener opener, Forbidden forbidden, Path runtime, Path program)
      throws IOException, InterruptedException {
    String how = where + ", opened by " + opener + ", forbidden " + forbidden;
    List<String> flags = new ArrayList<>(forbidden.flags);
    flags.addAll(where.flags(runtime, program));
    List<String> opening = opener.flags(where, runtime);
    boolean woven = opener == Opener.WEAVING_AGENT;
    Outcome outcome = start(opening, flags, woven ? List.of("loop") : List.of());
    if (opener != Opener.NOBODY || forbidden == Forbidden.NOTHING) {
      mustRun(outcome, how);
      // The weaving agent is on the class path, and defines classes in java.lang: open to all
      // there.
      if (!woven) mustBeShut(outcome, where, how);
      if (opener != Opener.NOBODY && outcome.said.contains("WARNING"))
        throw new Broken(how + ": something is complained of\n" + outcome.said);
      if (woven && !outcome.said.contains(Till.SAYS_WOVEN))
        throw new Broken(how + ": it was not woven\n" + outcome.said);
      return 1;
    }
    if (outcome.status == 0 || !outcome.said.contains("[DOOR-CLOSED]"))
      throw new Broken(how + ": it was to be refused\n" + outcome.said);
    Matcher advice = ADVICE.matcher(outcome.said);
    if (!advice.find()) throw new Broken(how + ": no flag is named\n" + outcome.said);
    Outcome advised = start(List.of(advice.group(1).split(" ")), flags, List.of());
    mustRun(advised, how + ", as advised");
    mustBeShut(advised, where, how + ", as advised");
    return 2;
  }

  private static void mustRun(Outcome outcome, String how) {
    if (outcome.status != 0 || !outcome.said.contains(Till.SAYS_TOTAL))
      throw new Broken(how + ": it did not run, " + outcome.status + "\n" + outcome.said);
  }

  private static void mustBeShut(Outcome outcome, Where where, String how) {
    if (where == Where.MODULE_PATH && !outcome.said.contains(Till.SAYS_SHUT))
      throw new Broken(how + ": java.lang is open to others as well\n" + outcome.said);
  }

  private static Outcome start(List<String> opening, List<String> flags, List<String> arguments)
      throws IOException, InterruptedException {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(opening);
    command.addAll(flags);
    command.add(Till.class.getName());
    command.addAll(arguments);
    Path said = Files.createTempFile("turnwise-start-", ".txt");
    try {
      Process child =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(said.toFile())
              .start();
      if (!child.waitFor(SECONDS, TimeUnit.SECONDS)) {
        child.destroyForcibly().waitFor();
        throw new Broken("it hung: " + command + "\n" + Files.readString(said));
      }
      return new Outcome(child.exitValue(), Files.readString(said, StandardCharsets.UTF_8));
    } finally {
      Files.deleteIfExists(said);
    }
  }
}
