package io.turnwise.internal.cell;

import io.turnwise.observation.CloseReport;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * After every test of core: what must hold in each system that the test has closed, at rest before
 * the close and after it ({@link Audit}). Found by JUnit through its service file.
 */
public final class AfterEveryTest implements BeforeEachCallback, AfterEachCallback {
  private static final Auditing AUDITING = new Auditing();

  @Override
  public void beforeEach(ExtensionContext test) {
    LocalActorSystem.auditBy(AUDITING);
  }

  @Override
  public void afterEach(ExtensionContext test) {
    List<String> defects = AUDITING.take();
    if (!defects.isEmpty())
      throw new AssertionError("Defects of the runtime:\n  " + String.join("\n  ", defects));
  }

  /** What was found since the last time, taken out; for a test that breaks something. */
  static List<String> takeDefects() {
    return AUDITING.take();
  }

  private static final class Auditing implements Auditor {
    private static final ThreadLocal<Audit> OPEN = new ThreadLocal<>();

    // Guarded by this: any thread may close a system.
    private final List<String> defects = new ArrayList<>();

    @Override
    public void closes(LocalActorSystem system) {
      var audit = new Audit(system);
      OPEN.set(audit);
      add(system, audit.lookWhileOpen(List.of()));
    }

    @Override
    public void closed(LocalActorSystem system, CloseReport report) {
      Audit audit = OPEN.get();
      OPEN.remove();
      if (report.complete()) add(system, audit.lookAfterClose());
    }

    private synchronized void add(LocalActorSystem system, List<String> found) {
      for (String defect : found) defects.add("In " + system.name() + ": " + defect);
    }

    synchronized List<String> take() {
      List<String> taken = List.copyOf(defects);
      defects.clear();
      return taken;
    }
  }
}
