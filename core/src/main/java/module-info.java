import org.jspecify.annotations.NullMarked;

/** An actor runtime: fair turns, handlers that may block, crashes that stay where they happen. */
@NullMarked
module io.turnwise {
  requires static org.jspecify;
  requires java.management; // the dump that a running process can be asked for
  requires static jdk.attach; // only where no flag or agent opened the door
  requires static java.instrument; // only in the agent

  exports io.turnwise;
  exports io.turnwise.mailbox;
  exports io.turnwise.observation;
  exports io.turnwise.scheduling;
}
