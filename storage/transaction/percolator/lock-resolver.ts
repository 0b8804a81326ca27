// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cell-store/cell.ts'
import { type CheckAndMutate, mayBeSentAgain } from '../../cell-store/cell-store.ts'
import { Backoff } from '../protocol/backoff.ts'
import type { ProtocolContext } from '../protocol/protocol-context.ts'
import { commitRow } from '../records/commit-row.ts'
import { type Lock, type RowGroup, rowGroupOfCells } from '../records/lock.ts'
import { rowGroupOf } from '../records/percolator-columns.ts'
import { rollBackSecondary, rollBackSeenPrimary, rollBackUnseenPrimary } from './rollback.ts'
import { readTransactionStatus, type TransactionStatus } from './transaction-status.ts'

/** What is certain about the transaction that holds a lock. */
export type Resolution = Decided | { readonly kind: 'alive' }
export type Settle = (lock: Lock) => Promise<Resolution>
export type Decided = Extract<TransactionStatus, { kind: 'committed' | 'rolledBack' }>

/**
 * Finishes the transactions of strangers (Percolator 2.2): a lock that one meets is looked up at its
 * primary; if that committed, the lock is rolled forward, if its owner is dead, back.
 */
export class LockResolver {
  readonly #context: ProtocolContext
  /**
   * By startTs: a decision is final (I3), and a transaction of many rows is met once for each of
   * them. Locks that still may change are never kept.
   */
  readonly #decided = new Map<Timestamp, Decided>()

  constructor(context: ProtocolContext) {
    this.#context = context
  }

  /**
   * Settles the transaction's outcome, rolling it back when its owner is dead, or counts as dead
   * because it can no longer commit. Leaves the met lock itself.
   */
  async settle(lock: Lock, countsAsDead = false): Promise<Resolution> {
    const { cellStore, liveness } = this.#context
    const known = this.#decided.get(lock.startTs)
    if (known !== undefined) return known
    const transaction = { primary: lock.primary, startTs: lock.startTs }
    const backoff = new Backoff(this.#context, RESOLVE_RETRY)
    for (;;) {
      const status = await readTransactionStatus(cellStore, transaction)
      if (isDecided(status)) return this.#keep(lock.startTs, status)
      const owner = status.kind === 'locked' ? status.lock : lock
      // Also with the primary's lock missing: its prewrite may be on the way while its owner lives.
      const isDead = countsAsDead || (await liveness.isOwnerDead(owner))
      if (!isDead) return { kind: 'alive' }
      // Whatever the answer to this step, the next look at the primary tells what became of it.
      const step = this.#rollBackPrimary(status, lock)
      try {
        await cellStore.checkAndMutateRow(lock.primary.row, step)
      } catch (error) {
        if (!mayBeSentAgain(error) || !(await backoff.wait())) throw error
      }
    }
  }

  /** Settles, and then clears the row on which the lock was met. Resolves to what was certain. */
  async resolve(row: Uint8Array, lock: Lock, countsAsDead = false): Promise<Resolution> {
    const resolution = await this.settle(lock, countsAsDead)
    if (resolution.kind !== 'alive') await this.clear(row, lock, resolution)
    return resolution
  }

  /** Turns the met row group into write records, or erases it. */
  async clear(row: Uint8Array, { startTs }: Lock, resolution: Decided): Promise<void> {
    const { cellStore } = this.#context
    const [image] = await cellStore.readRows([row], [rowGroupOf(startTs)])
    const group = rowGroupOfCells(row, image?.cells ?? [])
    if (group === undefined) return
    await cellStore.checkAndMutateRow(row, clearing(group, startTs, resolution))
  }

  #rollBackPrimary(status: TransactionStatus, lock: Lock): CheckAndMutate {
    const owner = {
      primary: lock.primary,
      startTs: lock.startTs,
      by: Buffer.from(this.#context.liveness.incarnation, 'hex'),
    }
    return status.kind === 'locked'
      ? rollBackSeenPrimary(status, owner)
      : rollBackUnseenPrimary(owner)
  }

  #keep(startTs: Timestamp, decided: Decided): Decided {
    if (this.#decided.size >= DECIDED_MAX) this.#decided.clear()
    this.#decided.set(startTs, decided)
    return decided
  }
}

function isDecided(status: TransactionStatus): status is Decided {
  return status.kind === 'committed' || status.kind === 'rolledBack'
}

function clearing(group: RowGroup, startTs: number, resolution: Decided): CheckAndMutate {
  return resolution.kind === 'committed'
    ? commitRow(group, {
        conditionColumn: group.columns[0].column,
        startTs,
        commitTs: resolution.commitTs,
      })
    : rollBackSecondary(group, startTs)
}

const DECIDED_MAX = 2_048
const RESOLVE_RETRY = { firstMs: 10, totalMs: 5_000 }
