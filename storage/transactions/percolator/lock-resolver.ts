// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { type CheckAndMutate, mayBeSentAgain } from '../../cells/cell-store.ts'
import { Backoff } from '../protocol/backoff.ts'
import type { ProtocolContext } from '../protocol/protocol-context.ts'
import { commitRow } from '../records/commit-row.ts'
import { type Lock, type RowGroup, rowGroupOfCells } from '../records/lock.ts'
import { rowGroupOf } from '../records/percolator-columns.ts'
import { rollBackSecondary, rollBackSeenPrimary, rollBackUnseenPrimary } from './rollback.ts'
import { readTransactionStatus, type TransactionStatus } from './transaction-status.ts'

/** What is known about the transaction that holds a lock. */
export type Resolution = Decided | { readonly kind: 'alive' }
export type Settle = (lock: Lock) => Promise<Resolution>
export type Decided = Extract<TransactionStatus, { kind: 'committed' | 'rolledBack' }>

/**
 * Finishes the transactions of others (Percolator 2.2): the primary of a lock is read; if it has committed, the lock is
 * rolled forward; if its owner is dead, back.
 */
export class LockResolver {
  readonly #context: ProtocolContext
  /**
   * By startTs: a decision is final (I3), and a transaction of many rows is met once for each of them. Undecided
   * transactions are never kept.
   */
  readonly #decided = new Map<Timestamp, Decided>()

  constructor(context: ProtocolContext) {
    this.#context = context
  }

  /**
   * Settles the transaction's outcome: rolls it back when its owner is dead, or counts as dead because it can no longer
   * commit. Leaves the lock itself in its row.
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
      // Whatever the result of this step, the next read of the primary shows the outcome.
      const step = this.#rollBackPrimary(status, lock)
      try {
        await cellStore.checkAndMutateRow(lock.primary.row, step)
      } catch (error) {
        if (!mayBeSentAgain(error) || !(await backoff.wait())) throw error
      }
    }
  }

  /** Settles the transaction, then clears the row of this lock. Resolves to what is known about the transaction. */
  async resolve(row: Uint8Array, lock: Lock, countsAsDead = false): Promise<Resolution> {
    const resolution = await this.settle(lock, countsAsDead)
    if (resolution.kind !== 'alive') await this.clear(row, lock, resolution)
    return resolution
  }

  /** Turns the row group of this lock into write records, or erases it. */
  async clear(row: Uint8Array, { startTs }: Lock, resolution: Decided): Promise<void> {
    const { cellStore } = this.#context
    const [image] = await cellStore.readRows([row], rowGroupOf(startTs))
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
        step: 'rollForward',
      })
    : rollBackSecondary(group, startTs)
}

const DECIDED_MAX = 2_048
const RESOLVE_RETRY = { firstMs: 10, totalMs: 5_000 }
