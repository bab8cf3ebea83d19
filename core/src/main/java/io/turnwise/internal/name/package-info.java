/** What things may be called. */
@NullMarked
package io.turnwise.internal.name;

import org.jspecify.annotations.NullMarked;
