/** Too much of something: floods, churn, wide fans, greedy neighbours. */
@NullMarked
package io.turnwise.faults.load;

import org.jspecify.annotations.NullMarked;
