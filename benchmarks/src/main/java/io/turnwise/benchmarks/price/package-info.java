/**
 * What the weaver's polls cost: small programs of every kind of loop and recursion, each run
 * unwoven and woven, in turn.
 */
@NullMarked
package io.turnwise.benchmarks.price;

import org.jspecify.annotations.NullMarked;
