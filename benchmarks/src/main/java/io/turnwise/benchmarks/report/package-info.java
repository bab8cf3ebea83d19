/** Shows rows to people. */
@NullMarked
package io.turnwise.benchmarks.report;

import org.jspecify.annotations.NullMarked;
