/** The command line of the benchmarks. */
@NullMarked
package io.turnwise.benchmarks;

import org.jspecify.annotations.NullMarked;
