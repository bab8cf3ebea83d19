/**
 * Puts polls into class files. Knows bytecode and nothing else: no loaded class is looked at, and
 * none is loaded.
 */
@NullMarked
package io.turnwise.agent.weaver;

import org.jspecify.annotations.NullMarked;
