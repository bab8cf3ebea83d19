/** Actors, their references, and the system they live in. */
@NullMarked
package io.turnwise;

import org.jspecify.annotations.NullMarked;
