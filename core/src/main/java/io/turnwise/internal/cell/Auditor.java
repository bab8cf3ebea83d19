package io.turnwise.internal.cell;

import io.turnwise.observation.CloseReport;

/** Is told of every close in this JVM. For tests, which look what must hold then. */
public interface Auditor {
  /** On the thread that closes, before anything is stopped. */
  void closes(LocalActorSystem system);

  /** On the same thread, when everything is. */
  void closed(LocalActorSystem system, CloseReport report);
}
