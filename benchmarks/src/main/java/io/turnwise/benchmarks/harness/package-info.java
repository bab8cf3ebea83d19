/** Runs peers, each in a process of its own and one after another, and collects what they print. */
@NullMarked
package io.turnwise.benchmarks.harness;

import org.jspecify.annotations.NullMarked;
