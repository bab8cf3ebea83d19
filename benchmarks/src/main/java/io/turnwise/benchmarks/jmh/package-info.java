/** What single steps of Turnwise cost, measured with JMH. */
@NullMarked
package io.turnwise.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
