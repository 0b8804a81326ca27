// SPDX-License-Identifier: Apache-2.0

import type { Timestamp } from '../../cells/cell.ts'
import { CellStoreError, mayBeSentAgain, requireAnswers } from '../../cells/cell-store.ts'
import { StorageError } from '../../errors.ts'
import { invariant } from '../../invariant.ts'
import { Backoff } from '../protocol/backoff.ts'
import type { ProtocolContext } from '../protocol/protocol-context.ts'
import { commitRow } from '../records/commit-row.ts'
import { inPages } from './in-pages.ts'
import { readTransactionStatus } from './transaction-status.ts'
import type { WriteSet } from './write-set.ts'

/**
 * The commit point (Percolator 2.2, Figure 6, lines 50-58): the primary's lock becomes a write record. Throws
 * `transaction_rolled_back` when that certainly did not happen; resolves to `unknown` when an answer was lost and the
 * present cells of the row prove nothing.
 */
export async function commitPrimary(
  context: ProtocolContext,
  writeSet: WriteSet,
  commitTs: Timestamp,
): Promise<'committed' | 'unknown'> {
  const { primary, primaryColumn, startTs } = writeSet
  const stamps = { startTs, commitTs, step: 'commit' } as const
  const step = commitRow(primary, { conditionColumn: primaryColumn, ...stamps })
  const backoff = new Backoff(context, COMMIT_RETRY)
  let anAnswerWasLost = false
  for (;;) {
    try {
      if (await context.cellStore.checkAndMutateRow(primary.row, step)) return 'committed'
      // Only this call can write the first record of this startTs, so without a lost answer a rollback erased the lock.
      if (!anAnswerWasLost) throw rolledBack(startTs)
      return await findOutLostAnswer(context, writeSet, commitTs)
    } catch (error) {
      // An oracle that is being closed cannot say whether the history still exists.
      if (anAnswerWasLost && isClosed(error)) return 'unknown'
      if (!(error instanceof CellStoreError)) throw error
      // From here on the outcome is undetermined: the write record may exist, and others may have read it, so the
      // client must not be told that this failed. Only what a later attempt finds in the row can settle it. A step that
      // was refused or never sent has changed nothing, and leaves the outcome as certain as it was.
      if (error.kind === 'ambiguous') anAnswerWasLost = true
      if (mayBeSentAgain(error) && (await backoff.wait())) continue
      if (anAnswerWasLost) return 'unknown'
      throw error
    }
  }
}

/**
 * An earlier attempt may have committed, and then the repeated one finds no lock. A write record proves the commit.
 * Anything else proves a rollback only while the safe point is not past startTs: after that the write record may have
 * been collected, and even a rollback record may be a late one (I9).
 */
async function findOutLostAnswer(
  context: ProtocolContext,
  { primary, primaryColumn, startTs }: WriteSet,
  commitTs: Timestamp,
): Promise<'committed' | 'unknown'> {
  const status = await readTransactionStatus(context.cellStore, {
    primary: { row: primary.row, column: primaryColumn },
    startTs,
  })
  if (status.kind === 'committed') {
    invariant(status.commitTs === commitTs, 'I4', { startTs, commitTs, found: status.commitTs })
    return 'committed'
  }
  const { safePoint } = await context.oracle.next()
  if (safePoint > startTs) return 'unknown'
  if (status.kind === 'rolledBack') throw rolledBack(startTs)
  context.log.error({ startTs, commitTs, status: status.kind }, 'I11: a commit left no record')
  return 'unknown'
}

/** Conditional on each lock; a row that a reader has rolled forward meanwhile is left alone. */
export async function commitSecondaries(
  context: ProtocolContext,
  { secondaries, startTs }: WriteSet,
  commitTs: Timestamp,
): Promise<void> {
  const stamps = { startTs, commitTs, step: 'commitSecondary' } as const
  await inPages(secondaries, async (page) => {
    const steps = page.map((group) => ({
      row: group.row,
      ...commitRow(group, { conditionColumn: group.columns[0].column, ...stamps }),
    }))
    requireAnswers(await context.cellStore.checkAndMutateRows(steps))
  })
}

function isClosed(error: unknown): boolean {
  return error instanceof StorageError && error.code === 'closed'
}

function rolledBack(startTs: Timestamp): StorageError {
  return new StorageError(
    'transaction_rolled_back',
    'Another process took this transaction for dead and rolled it back.',
    { startTimestamp: startTs },
  )
}

const COMMIT_RETRY = { firstMs: 10, totalMs: 10_000 }
