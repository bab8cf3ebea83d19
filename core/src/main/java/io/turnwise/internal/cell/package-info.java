/** Actors at work: cells, calls, children, watchers, the system. */
@NullMarked
package io.turnwise.internal.cell;

import org.jspecify.annotations.NullMarked;
