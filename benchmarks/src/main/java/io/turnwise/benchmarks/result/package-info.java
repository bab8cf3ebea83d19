/** What was measured: one repetition, the repetitions of one peer together, and both as JSON. */
@NullMarked
package io.turnwise.benchmarks.result;

import org.jspecify.annotations.NullMarked;
