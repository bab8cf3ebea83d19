/**
 * Trees of supervisors, broken on purpose: children and supervisors that fail everywhere, poison,
 * storms of restarts, starts that hang, and very many children.
 */
@NullMarked
package io.turnwise.faults.supervision;

import org.jspecify.annotations.NullMarked;
