package io.turnwise.demo;

import java.time.Duration;
import java.util.List;

/**
 * What the command line asked for.
 *
 * @param seconds how long the shop is open, unless {@code serve}
 * @param serve stay open until the process is told to end
 * @param customers how many customers come and go
 * @param workers worker threads of the system
 * @param preemption whether handlers can be stopped in the middle
 * @param crashes show a kitchen whose cooks crash instead
 * @param help only say what can be asked for
 */
record Options(
    int seconds,
    boolean serve,
    int customers,
    int workers,
    boolean preemption,
    boolean crashes,
    boolean help) {
  static final String NO_PREEMPTION = "--no-preemption";
  private static final String CRASHES = "--crashes";
  private static final int USUAL_SECONDS = 15;
  static final String USAGE =
      """
      Usage: ./turnwise demo [OPTIONS]

      A small shop: customers fill carts, carts call the bank, the bank's tellers block, and reports that never end
      keep every worker busy meanwhile. After a while, plain endless loops start in some actors, two for each worker:
      watch the latency of everybody else. Then they are killed. Prints a live picture and ends by itself.

        --crashes       show a kitchen instead, whose cooks crash all the time and whose stations burn: how supervisors
                        bring them back, and what the others notice of it
        --seconds N     stay open for N seconds (1 to 86400; 15 unless given)
        --serve         stay open until Ctrl-C or SIGTERM, then close in order and say what was left
        --no-preemption weave no polls into the loops, so that nothing can stop them in the middle
        --customers N   customers at a time (1 to 100000; 400 unless given)
        --workers N     worker threads (1 to 1024; one for each processor unless given)
        --help          this text

      Exit status: 0 when every message is accounted for, 1 when not, 2 for arguments it does not understand.
      Without preemption it is 0: that the books cannot be closed is what this shows.
      """;

  /** Arguments that make no sense; the message says what to write instead. */
  static final class Misunderstood extends Exception {
    private static final long serialVersionUID = 1L;

    Misunderstood(String message) {
      super(message);
    }
  }

  static Options parse(List<String> arguments) throws Misunderstood {
    int seconds = 0;
    boolean serve = false;
    int customers = 400;
    int workers = Runtime.getRuntime().availableProcessors();
    boolean preemption = true;
    boolean crashes = false;
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      int equals = argument.indexOf('=');
      String name = equals < 0 ? argument : argument.substring(0, equals);
      switch (name) {
        case "--help", "-h" -> {
          return new Options(0, false, 0, 0, true, false, true);
        }
        case "--serve", NO_PREEMPTION, CRASHES -> {
          if (equals >= 0) throw new Misunderstood(name + " takes no value");
          switch (name) {
            case NO_PREEMPTION -> preemption = false;
            case CRASHES -> crashes = true;
            default -> serve = true;
          }
        }
        case "--seconds", "--customers", "--workers" -> {
          String value;
          if (equals >= 0) value = argument.substring(equals + 1);
          else if (++i < arguments.size()) value = arguments.get(i);
          else throw new Misunderstood(name + " needs a number after it");
          switch (name) {
            case "--seconds" -> seconds = number(name, value, 86_400);
            case "--customers" -> customers = number(name, value, 100_000);
            default -> workers = number(name, value, 1_024);
          }
        }
        default -> throw new Misunderstood("there is no option \"" + argument + "\"");
      }
    }
    if (serve && seconds > 0)
      throw new Misunderstood("--serve stays until it is told to end; leave out --seconds");
    if (crashes && (serve || !preemption))
      throw new Misunderstood("--crashes goes neither with --serve nor with " + NO_PREEMPTION);
    return new Options(
        seconds == 0 ? USUAL_SECONDS : seconds,
        serve,
        customers,
        workers,
        preemption,
        crashes,
        false);
  }

  private static int number(String name, String value, int most) throws Misunderstood {
    try {
      int number = Integer.parseInt(value);
      if (number >= 1 && number <= most) return number;
    } catch (NumberFormatException e) {
      // said below
    }
    throw new Misunderstood(name + " is \"" + value + "\"; use a whole number from 1 to " + most);
  }

  /** When endless loops run. A shop that stays open goes through it again and again. */
  Timeline timeline() {
    return new Timeline(Duration.ofSeconds(seconds));
  }

  int loops() {
    return 2 * workers;
  }

  Duration openFor() {
    return serve ? Duration.ofDays(10_000) : Duration.ofSeconds(seconds);
  }
}
