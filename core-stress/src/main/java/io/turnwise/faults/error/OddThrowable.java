package io.turnwise.faults.error;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What may be thrown beside plain exceptions. */
enum OddThrowable {
  RUNTIME_EXCEPTION(() -> new IllegalStateException("on purpose")),
  SNEAKY_CHECKED(() -> new IOException("undeclared")),
  INTERRUPTED(() -> new InterruptedException("thrown, not set")),
  OWN_ERROR(() -> new Error("own")),
  OWN_THROWABLE(() -> new Throwable("neither exception nor error")),
  ASSERTION(() -> new AssertionError("asserted")),
  LINKAGE(() -> new NoClassDefFoundError("io/turnwise/NoSuchThing")),
  INITIALIZER(() -> new ExceptionInInitializerError(new IllegalStateException("in <clinit>"))),
  STACK_OVERFLOW(StackOverflowError::new),
  OUT_OF_MEMORY(() -> new OutOfMemoryError("made up")),
  CLASS_CAST(() -> new ClassCastException("made up: not the runtime's business")),
  NO_TEXT(() -> new RuntimeException((@Nullable String) null)),
  NO_STACK(Stackless::new),
  TEXT_THROWS(TextThrows::new),
  TEXT_OVERFLOWS(TextOverflows::new),
  PRINTING_THROWS(PrintingThrows::new),
  CYCLIC_CAUSE(OddThrowable::cyclic),
  CAUSE_OF_ITSELF(CauseOfItself::new);

  private final Supplier<Throwable> maker;

  OddThrowable(Supplier<Throwable> maker) {
    this.maker = maker;
  }

  Throwable make() {
    return maker.get();
  }

  private static Throwable cyclic() {
    var one = new RuntimeException("one");
    var other = new RuntimeException("other", one);
    one.initCause(other);
    return one;
  }

  private static final class Stackless extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Stackless() {
      super("no stack", null, false, false);
    }
  }

  private static final class TextThrows extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new IllegalStateException("no text");
    }

    @Override
    public String toString() {
      throw new IllegalStateException("no text");
    }
  }

  private static final class TextOverflows extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    @SuppressWarnings("InfiniteRecursion") // on purpose
    public String getMessage() {
      return getMessage() + ".";
    }
  }

  private static final class PrintingThrows extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public StackTraceElement[] getStackTrace() {
      throw new IllegalStateException("no stack");
    }

    @Override
    public void printStackTrace(PrintStream to) {
      throw new Error("not to be printed");
    }

    @Override
    public void printStackTrace(PrintWriter to) {
      throw new Error("not to be printed");
    }
  }

  private static final class CauseOfItself extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public synchronized Throwable getCause() {
      return this;
    }
  }
}
