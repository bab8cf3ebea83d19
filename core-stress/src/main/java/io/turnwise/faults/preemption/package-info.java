/**
 * Rows about handlers that are stopped or ended in the middle: woven, each in a JVM of its own.
 * They are judged by what became of every message, lock and {@code finally}; times are printed, and
 * judged only at full size, where nobody else should be using the machine.
 */
@NullMarked
package io.turnwise.faults.preemption;

import org.jspecify.annotations.NullMarked;
