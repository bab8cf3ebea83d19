/**
 * Deadlines: a hierarchical wheel and the thread that turns it. Knows neither scheduler nor actors.
 */
@NullMarked
package io.turnwise.internal.timer;

import org.jspecify.annotations.NullMarked;
