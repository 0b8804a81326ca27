// SPDX-License-Identifier: Apache-2.0
import { compareRowKeys } from '../cells/row-key.ts'
import { encodeIndexKey } from '../tables/bytes/index-key.ts'
import { dueIndexOf, isDue } from '../tables/due-index.ts'
import { columnOf } from '../tables/table-definition.ts'
import { BATCH_ROWS_MAX, runBatches } from '../transactions/own-transactions.ts'
import { BackgroundLoop } from '../transactions/protocol/background-loop.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { nowOf } from '../values/days.ts'
import { type DueOfTable, type HandedOut, handOutDue } from './due-rows.ts'
import type { ObserverDependencies } from './observer-parts.ts'

/**
 * Looks again and again for what is due of one observer, and hands it out. Entries of rows that were handed out stay as
 * old versions until they are collected, so a look goes on where the last one ended. What is written later with a time
 * of before is found from the beginning of the index, for which a tenth of the time is taken; while such a look takes
 * long, the others go on beside it.
 */
export class DueLooks {
  readonly #deps: ObserverDependencies
  readonly #observerId: number
  readonly #beside: BackgroundLoop
  /** When to look next, by the monotonic clock. */
  #lookMs = 0
  /** When to look from the beginning next, and how long the last such look read; no end to it while many are left. */
  #wholeMs = 0
  #wholeTookMs = Number.POSITIVE_INFINITY
  /** Before this key there was no entry at the last look. */
  #handedOut: Uint8Array | undefined

  constructor(deps: ObserverDependencies, observerId: number) {
    this.#deps = deps
    this.#observerId = observerId
    this.#beside = new BackgroundLoop(deps, {
      pass: async (signal) => await this.#lookBeside(signal),
      failureMessage: 'looking for rows that were written after their time was interrupted',
    })
  }

  /** The key up to which all was handed out a moment ago; undefined where many may be left, or nobody has looked. */
  get handedOut(): Uint8Array | undefined {
    const isLately = this.#deps.clock.monotonicMs() - this.#lookMs < LATELY_MS
    return isLately && Number.isFinite(this.#wholeTookMs) ? this.#handedOut : undefined
  }

  /** Resolves to the milliseconds after which to look again. Rejects with CellStoreError and the signal's reason. */
  async handOut(signal: AbortSignal): Promise<number> {
    const { clock, randomness, oracle, others } = this.#deps
    const beganMs = clock.monotonicMs()
    if (beganMs < this.#lookMs) return this.#lookMs - beganMs
    const isWhole = this.#isWholeDue && this.#wholeTookMs <= LONG_MS
    const look = await this.#look({ isWhole, end: undefined }, signal)
    if (look?.isAll) this.#handedOut = look.until
    else if (look && !isWhole) this.#handedOut = look.last
    if (isWhole) this.#lookedAtAll(look)
    if (this.#isWholeDue && this.#wholeTookMs > LONG_MS) {
      this.#beside.start()
      this.#beside.wake()
    }
    const nowMs = clock.monotonicMs()
    const lookMs =
      (others === undefined ? LOOK_MS.alone : LOOK_MS.shared) * (0.5 + randomness.fraction())
    const untilNextMs =
      look?.nextMicros === undefined
        ? lookMs
        : Math.max(1, Number(look.nextMicros) / 1000 - oracle.wallClock.micros() / 1000)
    this.#lookMs = nowMs + (look?.isAll === false ? 0 : Math.min(lookMs, untilNextMs))
    return this.#lookMs - nowMs
  }

  /** Ends a look from the beginning that is under way beside the others, and resolves when it has ended. */
  async stop(): Promise<void> {
    await this.#beside.stop()
  }

  async #lookBeside(signal: AbortSignal): Promise<undefined> {
    if (this.#handedOut === undefined || !this.#isWholeDue) return
    this.#lookedAtAll(await this.#look({ isWhole: true, end: this.#handedOut }, signal))
  }

  get #isWholeDue(): boolean {
    return this.#deps.clock.monotonicMs() >= this.#wholeMs
  }

  #lookedAtAll(look: Look | undefined): void {
    if (!look?.isAll) return
    this.#wholeTookMs = look.tookMs
    this.#wholeMs = this.#deps.clock.monotonicMs() + look.tookMs * WHOLE_EVERY
  }

  /**
   * Hands out what is due from the beginning or from where the last look ended: all before `end`, or one batch.
   * Resolves to undefined for an observer that is paused or was dropped.
   */
  async #look(
    { isWhole, end }: { readonly isWhole: boolean; readonly end: Uint8Array | undefined },
    signal: AbortSignal,
  ): Promise<Look | undefined> {
    const { clock, oracle } = this.#deps
    let look: Look | undefined
    let rowsMax = BATCH_ROWS_MAX
    let tookMs = 0
    const next = async (transaction: Transaction) => {
      const found = await this.#found(transaction)
      if (found === undefined) return false
      const beganMs = clock.monotonicMs()
      const now = oracle.wallClock.micros()
      const start = look?.last ?? (isWhole ? undefined : this.#onwards(found, now))
      const handed = await handOutDue(transaction, found, { start, end, now, rowsMax, signal })
      tookMs += clock.monotonicMs() - beganMs
      if (handed.rows > 0) await transaction.commit()
      const isAll = handed.rows < rowsMax
      if (isWhole && !isAll) this.#wholeTookMs = Number.POSITIVE_INFINITY
      look = { ...handed, isAll, until: keyOfTime(found, now - LATE_MICROS), tookMs }
      rowsMax = BATCH_ROWS_MAX
      return !isAll && end !== undefined
    }
    // One row that is written all the time keeps only itself.
    const conflicted = () => {
      rowsMax = Math.max(1, Math.floor(rowsMax / 4))
    }
    await runBatches(this.#deps, { next, conflicted }, signal)
    return look
  }

  /** Where the last look ended; what was due lately where there was none, or where the clock was set back since. */
  #onwards(found: DueOfTable, now: number): Uint8Array {
    const handedOut = this.#handedOut
    const isBefore = handedOut && compareRowKeys(handedOut, keyOfTime(found, now)) <= 0
    return isBefore ? handedOut : keyOfTime(found, now - LATE_MICROS)
  }

  async #found(transaction: Transaction): Promise<DueOfTable | undefined> {
    const observers = (await this.#deps.catalog(transaction)).observers()
    const found = observers.find(({ observer }) => observer.id === this.#observerId)
    if (found === undefined || found.observer.state === 'paused') return undefined
    const { table, observer } = found
    return isDue(observer) ? { table, observer } : undefined
  }
}

type Look = HandedOut & {
  /** Whether nothing was left that is due. */
  readonly isAll: boolean
  /** Before this key all of it was. */
  readonly until: Uint8Array
  /** Without the commits. */
  readonly tookMs: number
}

/** Where the entries of rows begin that are due later than at this moment: of days, on another day. */
function keyOfTime({ table, observer }: DueOfTable, micros: number): Uint8Array {
  const { type } = columnOf(table, observer.due).column
  return encodeIndexKey(table, dueIndexOf(observer), [nowOf(type, BigInt(micros)) + 1n])
}

/** A row that was written a moment ago may be due before the next one that is known. */
const LOOK_MS = { alone: 200, shared: 400 } as const
/** Most of those who have written a time that is over by now have committed it after so long. */
const LATE_MICROS = 1_000_000
/** Looks from the beginning come after so many times what the last one has read. */
const WHOLE_EVERY = 9
/** One that takes as long as this is not waited for. */
const LONG_MS = 50
/** So long after the time for a look it is as if there had been none. */
const LATELY_MS = 5_000
