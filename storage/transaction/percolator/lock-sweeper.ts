// SPDX-License-Identifier: Apache-2.0
import type { Cell, Row, Timestamp } from '../../cell-store/cell.ts'
import { rowPages } from '../../cell-store/row-pages.ts'
import { repeat } from '../../clock.ts'
import { InvariantViolation } from '../../invariant.ts'
import { STORAGE_LIMITS } from '../../limits.ts'
import { LOCK_TTL_MS } from '../protocol/liveness.ts'
import type { ProtocolContext } from '../protocol/protocol-context.ts'
import { decodeLock, type Lock } from '../records/lock.ts'
import type { LockResolver } from './lock-resolver.ts'

/**
 * Resolves locks that no reader or writer meets. Without it a row whose transaction committed, but whose owner died
 * before rolling it forward, would stay locked until it happens to be read.
 */
export class LockSweeper {
  readonly #context: ProtocolContext
  readonly #resolver: LockResolver
  readonly #ageMsMin: number
  readonly #stopping = new AbortController()
  #running: Promise<void> = Promise.resolve()
  /**
   * Transactions that the previous pass skipped because they were young. One that is found again without a heartbeat in
   * between is checked however young it seems: the oracle's time does not advance while it is ahead of the wall clocks
   * of all processes, and then no lock would ever grow old.
   */
  #spared: ReadonlySet<string> = new Set()

  /** `ageMsMin` skips locks that are most likely alive; 0 checks every lock. */
  constructor(context: ProtocolContext, resolver: LockResolver, ageMsMin = 2 * LOCK_TTL_MS) {
    this.#context = context
    this.#resolver = resolver
    this.#ageMsMin = ageMsMin
  }

  start(): void {
    const { clock, log } = this.#context
    this.#running = repeat(clock, {
      everyMs: SWEEP_INTERVAL_MS,
      signal: this.#stopping.signal,
      isDue: true,
      work: () => this.sweep(),
      failed: (error) => log.warn({ error: String(error) }, 'a sweep for locks did not finish'),
    })
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  /** One pass over every lock of the store. Rejects with CellStoreError. */
  async sweep(): Promise<{ readonly resolved: number; readonly alive: number }> {
    let resolved = 0
    let alive = 0
    const { liveness, log } = this.#context
    const oldestSpared = liveness.wallMicros() - this.#ageMsMin * 1000
    const spared = new Set<string>()
    const isSpared = (lock: Lock) => {
      if (this.#ageMsMin === 0 || lock.wallMicros <= oldestSpared) return false
      const name = `${lock.startTs}/${lock.wallMicros}`
      spared.add(name)
      return !this.#spared.has(name)
    }
    for await (const { key, cells } of this.#lockedRows()) {
      this.#stopping.signal.throwIfAborted()
      for (const cell of cells) {
        if (await this.#isResolved(key, cell, isSpared)) resolved += 1
        else alive += 1
      }
    }
    this.#spared = spared
    if (resolved > 0) log.info({ resolved }, 'resolved locks that ended processes left behind')
    return { resolved, alive }
  }

  /**
   * Settles and clears every lock of a transaction that began before the safe point, whoever owns it: it can no longer
   * commit (F1). Rejects when one cannot be resolved, because then history below the safe point is still needed.
   */
  async resolveBelow(safePoint: Timestamp): Promise<number> {
    let resolved = 0
    for await (const { key, cells } of this.#lockedRows({ until: safePoint })) {
      for (const cell of cells) {
        await this.#resolver.resolve(key, decodeLock(cell.timestamp, cell.value), true)
        resolved += 1
      }
    }
    return resolved
  }

  /** A damaged lock is reported and left as it is: it must not prevent the others from being resolved. */
  async #isResolved(
    row: Uint8Array,
    cell: Cell,
    isSpared: (lock: Lock) => boolean,
  ): Promise<boolean> {
    try {
      const lock = decodeLock(cell.timestamp, cell.value)
      if (isSpared(lock)) return false
      // Commits of this process that are under way are about to clear their own locks.
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

  async *#lockedRows(timestamps: { readonly until?: Timestamp } = {}): AsyncGenerator<Row> {
    const pages = rowPages(this.#context.cellStore, {
      filter: [{ family: 'lock', timestamps }],
      pageRows: STORAGE_LIMITS.scanPageRows,
      signal: this.#stopping.signal,
    })
    for await (const page of pages) yield* page
  }
}

const SWEEP_INTERVAL_MS = 5_000
