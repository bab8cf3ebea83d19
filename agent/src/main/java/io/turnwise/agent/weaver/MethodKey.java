package io.turnwise.agent.weaver;

/** A method within its class. Dispatch keeps both parts, whichever class it ends in. */
record MethodKey(String name, String descriptor) {
  boolean isConstructor() {
    return name.equals("<init>");
  }

  @Override
  public String toString() {
    return name + descriptor;
  }
}
