/**
 * Puts polls into class files. Knows bytecode and nothing else: no loaded class is looked at, and
 * none is loaded.
 *
 * <p>No streams are used here. The weaver shares a JVM with what it weaves, and the JDK's streams
 * keep one profile for all: the first few thousand classes would teach the JIT the weaver's
 * pipelines, and a user's would run at a third of their speed.
 */
@NullMarked
package io.turnwise.agent.weaver;

import org.jspecify.annotations.NullMarked;
