/** What memory-model tests have in common. */
@NullMarked
package io.turnwise.stress;

import org.jspecify.annotations.NullMarked;
