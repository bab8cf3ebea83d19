/**
 * The workloads, each written once for all peers of the JVM, and their catalogue. Every workload
 * checks its own result and throws {@link io.turnwise.benchmarks.workload.WrongResultException}
 * rather than report a number for work that was not done.
 */
@NullMarked
package io.turnwise.benchmarks.workload;

import org.jspecify.annotations.NullMarked;
