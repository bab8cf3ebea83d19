/** Workers, lent fibers and the queues between them. Knows tasks, not actors. */
@NullMarked
package io.turnwise.internal.scheduler;

import org.jspecify.annotations.NullMarked;
