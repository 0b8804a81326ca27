// SPDX-License-Identifier: Apache-2.0
import { type Clock, repeat } from '../clock.ts'
import { STORAGE_LIMITS } from '../limits.ts'
import type { Row } from './cell.ts'
import { type CellStore, CellStoreError, type CellStoreErrorKind } from './cell-store.ts'
import { decoratedStore } from './decorated-cell-store.ts'
import { ORACLE_ROW } from './row-key.ts'

const LOOK_MS = 500
/** When nobody has asked the store for so long, it is asked for a row, so that its silence is noticed. */
const ASKED_EVERY_MS = 3_000

type WaitingCall = { readonly sinceMs: number; giveUp(reason: unknown): void }

/**
 * Bounds every wait for a store on other machines, and knows when that last answered. A call ends after
 * `storeCallMsMax` however often its engine has tried: a read with `deadline`, and a mutation, which may still be
 * applied, with `ambiguous`. A read whose signal is aborted ends with the signal's reason.
 *
 *     call at      1.0   1.2   1.3   6.3
 *     answer at    1.1   -     -     -      silent since 1.2: from 6.2 on calls are refused and not sent, until one of
 *                                           before, or a probe, is answered; at 11.2 that of 1.2 is given up
 */
export class StoreAnswers {
  /** The store, with all calls bounded. */
  readonly store: CellStore
  readonly #inner: CellStore
  readonly #clock: Clock
  readonly #stopping = new AbortController()
  readonly #waiting = new Set<WaitingCall>()
  #askedMs = -Infinity
  #answeredMs: number
  /** When the first call was made of those since the last answer. */
  #unansweredMs: number | undefined
  #looking: Promise<void> = Promise.resolve()

  constructor(inner: CellStore, clock: Clock) {
    this.#inner = inner
    this.#clock = clock
    this.#answeredMs = clock.monotonicMs()
    const read = <T>(call: () => Promise<T>, signal?: AbortSignal) =>
      this.#ask('deadline', call, signal)
    const write = <T>(call: () => Promise<T>) => this.#ask('ambiguous', call)
    this.store = decoratedStore(inner, {
      checkAndMutateRow: (row, step) => write(() => inner.checkAndMutateRow(row, step)),
      checkAndMutateRows: (steps) => write(() => inner.checkAndMutateRows(steps)),
      mutateRows: (entries) => write(() => inner.mutateRows(entries)),
      readModifyWriteRow: (row, increments) =>
        write(() => inner.readModifyWriteRow(row, increments)),
      readRows: (keys, filter, signal) => read(() => inner.readRows(keys, filter), signal),
      scanRows: (scan) => this.#scan(inner.scanRows(scan), scan.signal),
      scanRanges: (ranges, filter, mark) => this.#scan(inner.scanRanges(ranges, filter, mark)),
      splitPoints: () => read(() => inner.splitPoints()),
    })
  }

  /** Begins to give up calls that take too long. */
  start(): void {
    const { signal } = this.#stopping
    this.#looking = repeat(this.#clock, { everyMs: LOOK_MS, signal, work: () => this.#look() })
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#looking
  }

  /** For how many milliseconds calls have waited, or failed, and none was answered; 0 while none waits. */
  get silentMs(): number {
    return this.#unansweredMs === undefined ? 0 : this.#clock.monotonicMs() - this.#unansweredMs
  }

  /** Whether that is too long to wait for it. */
  get isSilent(): boolean {
    return this.silentMs >= STORAGE_LIMITS.storeSilenceMsMax
  }

  /** The time of the last answer, on this machine's clock; before the first one that of the opening. */
  get answeredMicros(): number {
    const agoMs = this.#clock.monotonicMs() - this.#answeredMs
    return Math.round(this.#clock.wallMicros() - agoMs * 1000)
  }

  #look(): void {
    const nowMs = this.#clock.monotonicMs()
    // The next look would be too late for it.
    const oldestMs = nowMs - STORAGE_LIMITS.storeCallMsMax + LOOK_MS
    for (const call of this.#waiting) if (call.sinceMs <= oldestMs) call.giveUp(undefined)
    if (nowMs - this.#askedMs >= ASKED_EVERY_MS || this.isSilent) this.#probe()
  }

  #probe(): void {
    const filter = [{ family: 'data', newest: 1 }] as const
    this.#send('deadline', () => this.#inner.readRows([ORACLE_ROW], filter)).catch(() => {})
  }

  #ask<T>(kind: CellStoreErrorKind, call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (signal?.aborted) return Promise.reject(signal.reason)
    return this.isSilent ? Promise.reject(refused(this.silentMs)) : this.#send(kind, call, signal)
  }

  #send<T>(kind: CellStoreErrorKind, call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    // What a store of this process works at once is no silence.
    const answer = call()
    const sinceMs = this.#clock.monotonicMs()
    this.#askedMs = sinceMs
    this.#unansweredMs ??= sinceMs
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const giveUp = (reason: unknown) => {
      ended()
      reject(reason ?? givenUp(kind))
    }
    const abort = () => giveUp(signal?.reason)
    const waiting = { sinceMs, giveUp }
    const ended = () => {
      this.#waiting.delete(waiting)
      signal?.removeEventListener('abort', abort)
    }
    this.#waiting.add(waiting)
    signal?.addEventListener('abort', abort)
    answer
      .then(
        (answered) => {
          if (!isSilence(answered)) this.#answered()
          resolve(answered)
        },
        (error) => {
          if (!(error instanceof CellStoreError) || !error.isAway) this.#answered()
          reject(error)
        },
      )
      .finally(ended)
    return promise
  }

  async *#scan(rows: AsyncIterable<Row>, signal?: AbortSignal): AsyncIterable<Row> {
    const iterator = rows[Symbol.asyncIterator]()
    let isDone = false
    try {
      for (;;) {
        const next = await this.#ask('deadline', () => iterator.next(), signal)
        isDone = next.done === true
        if (next.done) return
        yield next.value
      }
    } finally {
      // Not waited for: what does not answer does not end either.
      if (!isDone) iterator.return?.().catch(() => {})
    }
  }

  #answered(): void {
    this.#answeredMs = this.#clock.monotonicMs()
    this.#unansweredMs = undefined
  }
}

/** Whether it says of each row of a batch that the store was not there. */
function isSilence(answer: unknown): boolean {
  if (!Array.isArray(answer) || answer.length === 0) return false
  return answer.every((each) => each instanceof CellStoreError && each.isAway)
}

function refused(silentMs: number): CellStoreError {
  const message = `it has not answered for ${Math.floor(silentMs / 1000)} s.`
  return new CellStoreError('deadline', message, { isAway: true })
}

function givenUp(kind: CellStoreErrorKind): CellStoreError {
  const message = `a call was given up after ${STORAGE_LIMITS.storeCallMsMax / 1000} s.`
  return new CellStoreError(kind, message, { isAway: true })
}
