// SPDX-License-Identifier: Apache-2.0

import type { Clock } from '../clock.ts'
import { StorageError } from '../errors.ts'
import type { Randomness } from '../randomness.ts'
import { nextTurn } from '../turns/turns.ts'
import { Backoff } from './protocol/backoff.ts'
import type { Transaction } from './transaction.ts'

/** Begins a transaction of the store's own, which counts for no client. */
export type BeginOwn = () => Promise<Transaction>

/** Runs `work` in a transaction that only reads. */
export async function reading<T>(
  { begin }: { readonly begin: BeginOwn },
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const transaction = await begin()
  try {
    return await work(transaction)
  } finally {
    transaction.rollback()
  }
}

/** Long work, a transaction for each part of it. */
export type Batches = {
  /** Does and commits the next batch; false when that was the last one, or when there was none. */
  readonly next: (transaction: Transaction) => Promise<boolean>
  /** Called for each batch that will be tried again, from a new snapshot. */
  readonly conflicted?: () => void
}

/**
 * Runs batch after batch; what a batch commits says where the next one begins. Rejects with the signal's reason, and
 * with every failure of a batch except conflicts.
 */
export async function runBatches(
  parts: { readonly begin: BeginOwn; readonly clock: Clock; readonly randomness: Randomness },
  { next, conflicted }: Batches,
  signal: AbortSignal,
): Promise<void> {
  let backoff = new Backoff(parts, CONFLICT_RETRY)
  for (;;) {
    signal.throwIfAborted()
    const outcome = await tryBatch(parts.begin, next)
    if (outcome === 'last') return
    const isConflict = outcome === 'conflict'
    if (isConflict) conflicted?.()
    if (!isConflict || !(await backoff.wait(signal))) backoff = new Backoff(parts, CONFLICT_RETRY)
    await nextTurn()
  }
}

/**
 * Runs short work that others wait for, and that commits, in a transaction of its own: again from a new snapshot where
 * that met a conflict, for five seconds and no longer. Rejects with the signal's reason, with every failure that is
 * no conflict, and with the last conflict.
 */
export async function runShort<T>(
  parts: { readonly begin: BeginOwn; readonly clock: Clock; readonly randomness: Randomness },
  work: (transaction: Transaction) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const backoff = new Backoff(parts, SHORT_RETRY)
  for (;;) {
    signal.throwIfAborted()
    const transaction = await parts.begin()
    let conflict: StorageError
    try {
      return await work(transaction)
    } catch (error) {
      // A standby may be away for hours: who waits for the result is to be told at once.
      if (!isConflict(error) || error.code === 'no_second_copy') throw error
      conflict = error
    } finally {
      transaction.rollback()
    }
    if (!(await backoff.wait(signal))) throw conflict
  }
}

async function tryBatch(
  begin: BeginOwn,
  next: Batches['next'],
): Promise<'moved' | 'last' | 'conflict'> {
  const transaction = await begin()
  try {
    return (await next(transaction)) ? 'moved' : 'last'
  } catch (error) {
    if (isConflict(error)) return 'conflict'
    throw error
  } finally {
    transaction.rollback()
  }
}

/** Also after a lost answer: the next transaction first reads how far the work has come. */
export function isConflict(error: unknown): error is StorageError {
  return error instanceof StorageError && error.isWorthRerun
}

/** So few that their commit delays the writers in the queue only for a moment. */
export const BATCH_ROWS_MAX = 250
const CONFLICT_RETRY = { firstMs: 2, totalMs: 1_000 }
/** As long as a prewrite waits for the lock of another transaction. */
const SHORT_RETRY = { firstMs: 2, totalMs: 5_000 }
