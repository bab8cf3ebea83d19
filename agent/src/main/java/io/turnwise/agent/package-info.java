/** The agent: which classes are woven, when, and what became of them. */
@NullMarked
package io.turnwise.agent;

import org.jspecify.annotations.NullMarked;
