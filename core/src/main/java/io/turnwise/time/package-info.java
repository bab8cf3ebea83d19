/** Timers: what happens later, once or again and again, for actors and for any other code. */
@NullMarked
package io.turnwise.time;

import org.jspecify.annotations.NullMarked;
