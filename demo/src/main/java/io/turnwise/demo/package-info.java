/** A small shop of actors under load, and a live picture of it in the terminal. */
@NullMarked
package io.turnwise.demo;

import org.jspecify.annotations.NullMarked;
