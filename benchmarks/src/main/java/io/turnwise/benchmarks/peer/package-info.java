/**
 * The runtimes that are compared, and the small surface through which the workloads use them:
 * {@link io.turnwise.benchmarks.peer.ActorRuntime} from outside, {@link
 * io.turnwise.benchmarks.peer.Self} from inside.
 */
@NullMarked
package io.turnwise.benchmarks.peer;

import org.jspecify.annotations.NullMarked;
