/** Settings of mailboxes: lanes, bounds, and what happens when one is full. */
@NullMarked
package io.turnwise.mailbox;

import org.jspecify.annotations.NullMarked;
