/** Whole systems run from seeds: many seeds, and long days. */
@NullMarked
package io.turnwise.faults.simulation;

import org.jspecify.annotations.NullMarked;
