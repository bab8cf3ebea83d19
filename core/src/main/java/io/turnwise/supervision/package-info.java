/**
 * What happens after a crash: supervisors, their children, and the rules by which those come back.
 */
@NullMarked
package io.turnwise.supervision;

import org.jspecify.annotations.NullMarked;
