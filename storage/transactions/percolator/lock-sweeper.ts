// SPDX-License-Identifier: Apache-2.0
import type { Cell, Row, Timestamp } from '../../cells/cell.ts'
import { keyAfter } from '../../cells/row-key.ts'
import { rowPages } from '../../cells/row-pages.ts'
import { InvariantViolation } from '../../invariant.ts'
import { STORAGE_LIMITS } from '../../limits.ts'
import type { ProtocolContext } from '../protocol/protocol-context.ts'
import { decodeLock } from '../records/lock.ts'
import type { LockResolver } from './lock-resolver.ts'

/** Absent keys are those of the whole store. */
export type SweptRange = {
  readonly start?: Uint8Array
  readonly end?: Uint8Array
  readonly reached?: (next: Uint8Array) => void
}

export type SweptLocks = { readonly resolved: number; readonly alive: number }

/**
 * Resolves the locks that nobody met. Whoever meets the lock of a dead owner resolves it (2.2), so nobody has to look
 * for one; but a row that is never read would keep its lock for ever.
 */
export class LockSweeper {
  readonly #context: ProtocolContext
  readonly #resolver: LockResolver

  constructor(context: ProtocolContext, resolver: LockResolver) {
    this.#context = context
    this.#resolver = resolver
  }

  /**
   * One pass over every lock of the store, or of a range, with a call of `reached` after each page. Those of
   * transactions that began before the safe point are settled and cleared, whoever owns them: they can no longer commit
   * (F1). Rejects when one of these cannot be resolved, because then history below the safe point is still needed; with
   * CellStoreError; and with the signal's reason.
   */
  async sweep(
    safePoint: Timestamp = 0,
    signal?: AbortSignal,
    within: SweptRange = {},
  ): Promise<SweptLocks> {
    let resolved = 0
    let alive = 0
    for await (const { key, cells } of this.#lockedRows(signal, within)) {
      for (const cell of cells) {
        const isEnded = cell.timestamp < safePoint
        if (isEnded) await this.#resolver.resolve(key, decodeLock(cell.timestamp, cell.value), true)
        if (isEnded || (await this.#resolveDead(key, cell))) resolved += 1
        else alive += 1
      }
    }
    if (resolved > 0) {
      this.#context.log.info({ resolved }, 'resolved locks that ended processes left behind')
    }
    return { resolved, alive }
  }

  /** A damaged lock is reported and left as it is: it must not prevent the others from being resolved. */
  async #resolveDead(row: Uint8Array, cell: Cell): Promise<boolean> {
    try {
      const lock = decodeLock(cell.timestamp, cell.value)
      // A commit of this process that is under way is about to clear its own locks.
      const { liveness } = this.#context
      const isOwn = lock.incarnation === liveness.incarnation
      if (isOwn && !(await liveness.isOwnerDead(lock))) return false
      return (await this.#resolver.resolve(row, lock)).kind !== 'alive'
    } catch (error) {
      if (!(error instanceof InvariantViolation)) throw error
      const facts = { row: Buffer.from(row).toString('hex'), error: error.message }
      this.#context.log.error(facts, 'a lock cannot be resolved')
      return false
    }
  }

  async *#lockedRows(
    signal: AbortSignal | undefined,
    { reached, ...range }: SweptRange,
  ): AsyncGenerator<Row> {
    const pages = rowPages(this.#context.cellStore, {
      ...range,
      filter: [{ family: 'lock' }],
      pageRows: STORAGE_LIMITS.scanPageRows,
      signal,
    })
    for await (const page of pages) {
      yield* page
      const last = page.at(-1)
      if (last !== undefined) reached?.(keyAfter(last.key))
    }
  }
}
