/**
 * Weaves every class of a large corpus of public jars, lets the JVM verify each of them, and runs
 * programs woven and unwoven to compare what they say.
 */
@NullMarked
package io.turnwise.weavecheck;

import org.jspecify.annotations.NullMarked;
