/** Queues of messages, fused with the question whether their owner is scheduled. */
@NullMarked
package io.turnwise.internal.mailbox;

import org.jspecify.annotations.NullMarked;
