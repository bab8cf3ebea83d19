/** Simulations as tests of JUnit. */
@NullMarked
package io.turnwise.testkit.junit;

import org.jspecify.annotations.NullMarked;
