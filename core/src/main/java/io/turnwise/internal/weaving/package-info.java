/** What polls in woven code look at. Below everything else. */
@NullMarked
package io.turnwise.internal.weaving;

import org.jspecify.annotations.NullMarked;
