/** Class files that were written against the weaver. */
@NullMarked
package io.turnwise.faults.weaving;

import org.jspecify.annotations.NullMarked;
