/** Timers in races, clocks that jump, and a process that stands still. */
@NullMarked
package io.turnwise.faults.time;

import org.jspecify.annotations.NullMarked;
