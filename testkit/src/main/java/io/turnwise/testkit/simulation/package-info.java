/** Whole actor systems on one thread, in which a seed decides what happens next. */
@NullMarked
package io.turnwise.testkit.simulation;

import org.jspecify.annotations.NullMarked;
