/** Programs started in every way, and what they are told. */
@NullMarked
package io.turnwise.faults.start;

import org.jspecify.annotations.NullMarked;
