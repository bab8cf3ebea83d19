package io.turnwise.agent.weaver;

/** Why a class or a method stayed as it was. */
public enum SkipReason {
  ALREADY_WOVEN("woven when it was built"),
  SUBROUTINES("uses jsr and ret, which compilers stopped writing with Java 6"),
  METHOD_TOO_LARGE("would no longer fit into 64 KB"),
  NOT_COMPILED("would pass the 8,000 bytes above which HotSpot does not compile a method"),
  TOO_COMPLEX("would take the weaver too long"),
  CONSTANTS_FULL("has no constant left for the poll's name"),
  UNKNOWN_VERSION("a class file newer than the weaver knows"),
  NO_SAFEPOINT("its class loader cannot see the class that polls call"),
  RUNNING("a call that was in the method when its class was woven: no polls until it returns"),
  HIDDEN("a hidden class, which the JVM shows to no agent"),
  NOT_REDIRECTED("a call that a simulation cannot answer: it sees the real world"),
  FAILED("the weaver failed; please report it");

  private final String explanation;

  SkipReason(String explanation) {
    this.explanation = explanation;
  }

  public String explanation() {
    return explanation;
  }
}
