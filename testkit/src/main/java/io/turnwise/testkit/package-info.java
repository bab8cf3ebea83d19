/**
 * Tests of actors, in any test framework: {@link io.turnwise.testkit.Testkit} opens a system whose
 * time and turns belong to the test, or an ordinary one; {@link io.turnwise.testkit.Probe} stands
 * in for the actors around the one under test.
 */
@NullMarked
package io.turnwise.testkit;

import org.jspecify.annotations.NullMarked;
