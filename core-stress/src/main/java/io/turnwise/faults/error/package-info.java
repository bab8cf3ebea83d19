/**
 * Errors of the VM and of handlers: stacks that overflow, memory that runs out, throwables of every
 * kind, interrupts.
 */
@NullMarked
package io.turnwise.faults.error;

import org.jspecify.annotations.NullMarked;
