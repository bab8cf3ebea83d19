/** The one place that knows JDK internals: how a fiber is made, and how the way to it is opened. */
@NullMarked
package io.turnwise.internal.door;

import org.jspecify.annotations.NullMarked;
