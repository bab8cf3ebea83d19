package io.turnwise.weaving;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a class that was woven when it was built, so that no weaver does it again. Written by the
 * weaver. Not for use by hand: a class so marked that was not woven cannot be preempted.
 */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
public @interface Woven {}
