/**
 * Breaks the runtime on purpose and checks, with books of its own, that nothing is lost. The rows
 * are described in the module's README.
 */
@NullMarked
package io.turnwise.faults;

import org.jspecify.annotations.NullMarked;
