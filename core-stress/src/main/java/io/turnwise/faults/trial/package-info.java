/**
 * What every row stands on: how it is to run, the ledger it keeps, traffic beside it, and JVMs of
 * its own.
 */
@NullMarked
package io.turnwise.faults.trial;

import org.jspecify.annotations.NullMarked;
