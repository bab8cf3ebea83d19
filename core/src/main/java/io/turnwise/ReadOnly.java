package io.turnwise;

/**
 * Marks a message whose handling changes nothing in the actor. Today only a marker: it promises the
 * intent, and a later version may run such turns side by side.
 */
public interface ReadOnly {}
