// SPDX-License-Identifier: Apache-2.0
import { EMBEDDED_LIMITS } from '../../../storage/cells/call-check.ts'
import type { Row } from '../../../storage/cells/cell.ts'
import {
  answerEach,
  type CellStore,
  CellStoreError,
  type CheckAndMutate,
  type Increment,
  type KeyRange,
  type RowMutations,
  type RowScan,
  type RowStep,
  type ScanMark,
  type StepAnswer,
} from '../../../storage/cells/cell-store.ts'
import type { RowFilter } from '../../../storage/cells/row-filter.ts'
import { keyAfter } from '../../../storage/cells/row-key.ts'
import { withoutSeen } from '../../cell-store/without-seen.ts'
import { readAllRows } from '../checkers/cell-invariants.ts'
import type { Fault } from './faults.ts'
import type { Sender, Surroundings } from './gateway.ts'
import type { SimulatedClock } from './simulated-clock.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import { kindOfStep, nameOfRow, startTsOfStep } from './step-kind.ts'

export type Network = Surroundings & {
  /** The store itself, which never fails. */
  readonly inner: CellStore
  /** Its ranges have so many rows each; undefined: it has one. */
  readonly splitRows?: number | undefined
  /** Told of every conditional mutation in the moment in which it is applied; `repeated` of duplicates. */
  readonly applied: (call: AppliedStep) => Promise<void>
}

export type AppliedStep = {
  readonly process: SimulatedProcess
  /** Who in the process sent it; see `Gateway`. */
  readonly sender: Sender
  readonly row: Uint8Array
  readonly step: CheckAndMutate
  readonly matched: boolean
}

/** Values are short in a simulation, and some are to be in `data`. */
export const SIMULATED_LIMITS = { ...EMBEDDED_LIMITS, inlineValueBytesMax: 255 }

/**
 * The store as one process reaches it. Each call is two events: it is applied, and its answer
 * arrives; between the two, and before, everybody else may act. What is sent is fixed in the moment
 * of the call. Rows that are read together are read at different moments.
 */
export class SimulatedCellStore implements CellStore {
  readonly atomicScope = 'row'
  readonly limits = SIMULATED_LIMITS
  readonly #network: Network
  readonly #process: SimulatedProcess
  readonly #clock: SimulatedClock

  constructor(network: Network, process: { process: SimulatedProcess; clock: SimulatedClock }) {
    this.#network = network
    this.#process = process.process
    this.#clock = process.clock
  }

  checkAndMutateRow(row: Uint8Array, step: CheckAndMutate): Promise<boolean> {
    const { inner, applied } = this.#network
    const sender = this.#network.sender.getStore() ?? 'background'
    const name = `${kindOfStep(step)} ${nameOfRow(row)} ${startTsOfStep(step) ?? ''}`
    return this.#mutate(name, async () => {
      const matched = await inner.checkAndMutateRow(row, step)
      await applied({ process: this.#process, sender, row, step, matched })
      return matched
    })
  }

  /** Each by itself, at moments of its own. */
  checkAndMutateRows(steps: readonly RowStep[]): Promise<StepAnswer[]> {
    return answerEach(steps, (step) => this.checkAndMutateRow(step.row, step))
  }

  readModifyWriteRow(row: Uint8Array, increments: readonly Increment[]): Promise<bigint[]> {
    return this.#mutate('increment', () => this.#network.inner.readModifyWriteRow(row, increments))
  }

  async mutateRows(entries: readonly RowMutations[]): Promise<Array<CellStoreError | null>> {
    return await Promise.all(
      entries.map(async (entry) => {
        for (const family of new Set(entry.mutations.map((one) => one.family))) {
          // Only garbage collection changes these families without a condition.
          if (family === 'write') this.#network.counters.count('versions collected')
          if (family === 'rollback') this.#network.counters.count('rollback record collected')
          if (family === 'guard') this.#network.counters.count('guard collected')
        }
        try {
          const [error] = await this.#mutate(`mutate ${nameOfRow(entry.row)}`, () =>
            this.#network.inner.mutateRows([entry]),
          )
          return error ?? null
        } catch (error) {
          if (error instanceof CellStoreError) return error
          throw error
        }
      }),
    )
  }

  async readRows(keys: readonly Uint8Array[], filter: RowFilter): Promise<Array<Row | null>> {
    const { inner, random } = this.#network
    const half = keys.length > 1 ? random.below(keys.length) : 0
    const parts = [keys.slice(0, half), keys.slice(half)].filter((part) => part.length > 0)
    const images = await Promise.all(
      parts.map((part) =>
        this.#read(`read ${part.map(nameOfRow).join()}`, () => inner.readRows(part, filter)),
      ),
    )
    return images.flat()
  }

  /** A few rows at a time, each time at another moment. */
  async *scanRows(scan: RowScan): AsyncIterable<Row> {
    const { inner, random } = this.#network
    let { start, end, limit: left = Number.POSITIVE_INFINITY } = scan
    for (;;) {
      scan.signal?.throwIfAborted()
      const limit = Math.min(left, 1 + random.below(12))
      const { signal: _, ...rest } = scan
      const part = { ...rest, start, ...(end === undefined ? {} : { end }), limit }
      const rows = await this.#read(`scan ${nameOfRow(start)}`, () =>
        Array.fromAsync(inner.scanRows(part)),
      )
      if (rows.some(hasOnlyLocks) && scan.filter.length > 1) {
        this.#network.counters.count('scan met a row that had only a lock')
      }
      yield* rows
      left -= rows.length
      const last = rows.at(-1)
      if (last === undefined || rows.length < limit || left <= 0) return
      if (scan.reverse) end = last.key
      else start = keyAfter(last.key)
    }
  }

  /** Each of them at moments of its own; now and then as if it did not know what has changed. */
  async *scanRanges(
    ranges: readonly KeyRange[],
    filter: RowFilter,
    mark?: ScanMark,
  ): AsyncIterable<Row> {
    const knows = mark !== undefined && this.#network.random.below(4) > 0
    const scan = this.#scanEach.bind(this)
    yield* knows ? withoutSeen(scan, ranges, filter, mark) : scan(ranges, filter)
  }

  async *#scanEach(ranges: readonly KeyRange[], filter: RowFilter): AsyncIterable<Row> {
    const found = ranges.map((range) => Array.fromAsync(this.scanRows({ ...range, filter })))
    for (const rows of await Promise.all(found)) yield* rows
  }

  splitPoints(): Promise<Uint8Array[]> {
    const { inner, splitRows } = this.#network
    return this.#read('split points', async () => {
      if (splitRows === undefined) return await inner.splitPoints()
      const rows = await readAllRows(inner)
      return rows.flatMap(({ key }, at) => (at % splitRows === splitRows - 1 ? [key] : []))
    })
  }

  async close(): Promise<void> {}

  #mutate<T>(name: string, apply: () => Promise<T>): Promise<T> {
    return this.#call(name, apply, 'ambiguous', (fault) => fault)
  }

  /** Nothing can be lost of a read but its answer. */
  #read<T>(name: string, apply: () => Promise<T>): Promise<T> {
    return this.#call(name, apply, 'deadline', (fault) =>
      fault === 'zombie' || fault === 'answerLost' || fault === 'duplicate' ? 'requestLost' : fault,
    )
  }

  #call<T>(
    name: string,
    apply: () => Promise<T>,
    lostKind: 'ambiguous' | 'deadline',
    translate: (fault: Fault) => Fault,
  ): Promise<T> {
    const { scheduler, faults, counters } = this.#network
    if (this.#process.isDead) return never()
    const fault = translate(faults.draw())
    if (fault !== 'none') counters.count(`fault ${fault}`)
    counters.count('calls')
    this.#jumpClock()
    if (fault === 'pauseBefore') this.#process.pauseUntil(scheduler.nowMs + faults.pauseMs())
    if (fault === 'crashBefore') {
      this.#die(name)
      return never()
    }
    scheduler.note(`${this.#process.name} sends ${name} ${fault}`)
    // What a paused process sends leaves when it goes on.
    const departsMs = Math.max(0, this.#process.pausedUntilMs - scheduler.nowMs)
    const answer = new Promise<T>((resolve, reject) => {
      const fail = (error: CellStoreError, afterMs: number) =>
        scheduler.after(afterMs, `error ${name}`, () => reject(error), this.#process)
      const applyOnce = (afterMs: number, answered: (applying: Promise<T>) => void) =>
        scheduler.after(afterMs, `applies ${name}`, () => answered(this.#withNote(name, apply())))
      const patienceMs = departsMs + faults.patienceMs()
      const arrivesMs = departsMs + faults.delayMs()
      switch (fault) {
        case 'refused':
          fail(new CellStoreError('notApplied', 'the store is busy'), arrivesMs)
          return
        case 'requestLost':
          fail(new CellStoreError(lostKind, 'the request was lost'), patienceMs)
          return
        case 'answerLost':
          applyOnce(arrivesMs, ignored)
          fail(new CellStoreError(lostKind, 'the answer was lost'), patienceMs)
          return
        case 'zombie':
          fail(new CellStoreError(lostKind, 'the request is on its way'), patienceMs)
          applyOnce(patienceMs + faults.lateMs(), ignored)
          return
        case 'duplicate':
          applyOnce(arrivesMs + faults.lateMs(), ignored)
      }
      applyOnce(arrivesMs, (applying) => {
        const deliver = (settle: () => void) =>
          scheduler.after(faults.delayMs(), `answer ${name}`, settle, this.#process)
        applying.then(
          (value) => deliver(() => resolve(value)),
          (error) => deliver(() => reject(error)),
        )
      })
    })
    if (fault === 'crashAfter') this.#die(name)
    return answer
  }

  async #withNote<T>(name: string, applying: Promise<T>): Promise<T> {
    const value = await applying
    this.#network.scheduler.note(`${name} = ${noteOf(value)}`)
    return value
  }

  #jumpClock(): void {
    const jumpMs = this.#network.faults.clockJumpMs()
    if (jumpMs === 0) return
    this.#network.counters.count('fault clockJump')
    this.#clock.jumpWall(jumpMs)
  }

  #die(name: string): void {
    this.#network.scheduler.note(`${this.#process.name} crashes at ${name}`)
    this.#process.crash()
  }
}

function ignored(applying: Promise<unknown>): void {
  applying.catch(() => undefined)
}

function hasOnlyLocks({ cells }: Row): boolean {
  return cells.every(({ family }) => family === 'lock')
}

function never(): Promise<never> {
  return new Promise(() => {})
}

function noteOf(value: unknown): string {
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (!Array.isArray(value)) return typeof value
  return value.map((part) => (part === null ? '-' : summaryOf(part))).join()
}

function summaryOf(part: unknown): string {
  if (typeof part === 'bigint') return String(part)
  const cells = (part as Row).cells
  return cells === undefined
    ? '?'
    : cells.map((cell) => `${cell.family}${cell.timestamp}`).join(' ')
}
