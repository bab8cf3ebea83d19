import org.jspecify.annotations.NullMarked;

/** An actor runtime: fair turns, handlers that may block, crashes that stay where they happen. */
@NullMarked
@SuppressWarnings("module") // the testkit is built after core
module io.turnwise {
  requires static org.jspecify;
  requires java.management; // the dump that a running process can be asked for
  requires jdk.management; // what threads allocate
  requires static jdk.attach; // only where no flag or agent opened the door
  requires java.instrument; // the agent; not static, or it could not be loaded into a running JVM

  exports io.turnwise;
  exports io.turnwise.mailbox;
  exports io.turnwise.observation;
  exports io.turnwise.scheduling;
  exports io.turnwise.supervision;
  exports io.turnwise.time;
  exports io.turnwise.weaving; // woven user code lands here
  exports io.turnwise.internal.door to
      java.instrument, // which calls the agent
      io.turnwise.testkit; // which has clocks redirected
  exports io.turnwise.internal.cell to
      io.turnwise.testkit; // which drives a system without threads
  exports io.turnwise.internal.scheduler to
      io.turnwise.testkit; // which directs what comes next
  exports io.turnwise.internal.weaving to
      io.turnwise.testkit; // and what time it is
}
