/** The door through which woven code enters the runtime. */
@NullMarked
package io.turnwise.weaving;

import org.jspecify.annotations.NullMarked;
