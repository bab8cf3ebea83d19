/** What can be seen of a running system: snapshots, dead letters, close reports. */
@NullMarked
package io.turnwise.observation;

import org.jspecify.annotations.NullMarked;
