/** Weaving as a step of a Maven build. */
@NullMarked
package io.turnwise.weaving.maven;

import org.jspecify.annotations.NullMarked;
