/** Settings that decide when an actor runs, for how long, and on which threads. */
@NullMarked
package io.turnwise.scheduling;

import org.jspecify.annotations.NullMarked;
