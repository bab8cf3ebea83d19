/** Random worlds of actors in which every single message is accounted for. */
@NullMarked
package io.turnwise.faults.property;

import org.jspecify.annotations.NullMarked;
