@NullMarked
package io.turnwise.agent.weaver;

import org.jspecify.annotations.NullMarked;
