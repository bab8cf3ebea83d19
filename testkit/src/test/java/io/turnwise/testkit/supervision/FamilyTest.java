package io.turnwise.testkit.supervision;

import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorSpec;
import io.turnwise.testkit.Testkit;
import io.turnwise.testkit.VirtualTestkit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/** A supervisor with its family, on virtual time. Crashes are what these tests are about. */
abstract class FamilyTest {
  final VirtualTestkit kit = Testkit.onVirtualTime();
  final Family family = new Family(kit);

  @BeforeAll
  static void quietLog() {
    Family.quietLog(true);
  }

  @AfterAll
  static void loudLog() {
    Family.quietLog(false);
  }

  @AfterEach
  void close() {
    family.openGate();
    kit.allowCrashes();
    kit.allowDeadLetters();
    kit.close();
  }

  final Supervisor start(SupervisorSpec spec) {
    Supervisor supervisor = Supervisor.start(kit.system(), "sup", spec);
    kit.run();
    return supervisor;
  }
}
