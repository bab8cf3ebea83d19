/**
 * What a supervisor decides: who stops, who starts, when, and when to give up. Knows neither actors
 * nor timers, only a {@link io.turnwise.internal.supervisor.Nursery} that has them.
 */
@NullMarked
package io.turnwise.internal.supervisor;

import org.jspecify.annotations.NullMarked;
