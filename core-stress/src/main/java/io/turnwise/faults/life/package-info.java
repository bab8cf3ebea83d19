/**
 * Ends: of actors, of systems, of the process, of the runtime's own threads, and of the patience of
 * listeners.
 */
@NullMarked
package io.turnwise.faults.life;

import org.jspecify.annotations.NullMarked;
