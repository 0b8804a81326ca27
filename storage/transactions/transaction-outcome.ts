// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../cells/cell.ts'
import { systemRowKey } from '../cells/row-key.ts'
import type { StorageError } from '../errors.ts'
import type { Settle } from './percolator/lock-resolver.ts'
import { rollBackUnseenPrimary } from './percolator/rollback.ts'
import { readTransactionStatus } from './percolator/transaction-status.ts'
import type { ProtocolContext } from './protocol/protocol-context.ts'
import { OUTCOME_COLUMN, outcomePath, startTsOfId } from './records/transaction-id.ts'
import type { TransactionRegistry } from './transaction-registry.ts'

/** The outcome of a transaction, asked for by its id. */
export type TransactionOutcome =
  | { readonly kind: 'active' }
  | { readonly kind: 'committed'; readonly commitTs: Timestamp }
  | { readonly kind: 'rolledBack'; readonly reason: string }
  /** The history that would show it has been collected. */
  | { readonly kind: 'unknown' }
  /** No such transaction can ever have begun here. */
  | { readonly kind: 'neverBegun' }

/**
 * The outcome from this process' memory, else from the transaction's outcome row, which is its primary: so it survives
 * a crash of the client and of the server. Rejects with CellStoreError, and with the `refusal` of a standby.
 */
export async function findOutcome(
  context: ProtocolContext,
  settle: Settle,
  registry: TransactionRegistry,
  question: {
    readonly id: string
    /**
     * Milliseconds that another process may hold the transaction open; undefined when this process is the only one, so
     * that a transaction it does not know is not open anywhere.
     */
    readonly openMsMax?: number
    /** Of a store that follows another one: its rejection wherever only the other one can tell, or decide. */
    readonly refusal?: StorageError | undefined
  },
): Promise<TransactionOutcome> {
  const { id, openMsMax, refusal } = question
  const startTs = startTsOfId(id)
  if (startTs === undefined) return { kind: 'neverBegun' }
  const now = await context.oracle.nextToRead()
  if (startTs > now.timestamp && refusal === undefined) return { kind: 'neverBegun' }
  if (registry.isActive(id)) return { kind: 'active' }
  const remembered = registry.endOf(id)
  if (remembered !== undefined && remembered.kind !== 'unknown') return remembered
  const primary = { row: systemRowKey(outcomePath(id)), column: OUTCOME_COLUMN }
  for (;;) {
    const status = await readTransactionStatus(context.cellStore, { primary, startTs })
    if (status.kind === 'committed') return status
    // What a standby does not have may still come, and it must not write what would end the transaction.
    if (refusal !== undefined) throw refusal
    if (status.kind === 'locked') {
      const resolution = await settle(status.lock)
      if (resolution.kind === 'alive') return { kind: 'active' }
      continue
    }
    // The proof may have been collected; then even a rollback record proves nothing (I9).
    const { safePoint, timestamp } = await context.oracle.nextToRead()
    if (safePoint > startTs) return { kind: 'unknown' }
    if (status.kind === 'rolledBack') return { kind: 'rolledBack', reason: 'rolled_back' }
    if (openMsMax === undefined) return { kind: 'rolledBack', reason: 'never_committed' }
    if (timestamp - startTs < openMsMax * 1000) return { kind: 'active' }
    // Decided now: once this record exists, a later commit of the transaction is refused.
    const by = Buffer.from(context.liveness.incarnation, 'hex')
    await context.cellStore.checkAndMutateRow(
      primary.row,
      rollBackUnseenPrimary({ primary, startTs, by }),
    )
  }
}
