// SPDX-License-Identifier: Apache-2.0

import { checkMutations, checkRowKey } from '../../../storage/cells/call-check.ts'
import type { Row } from '../../../storage/cells/cell.ts'
import {
  answerEach,
  CellStoreError,
  type CheckAndMutate,
  type Increment,
  type KeyRange,
  type RowMutations,
  type RowScan,
  type RowStep,
  type StepAnswer,
} from '../../../storage/cells/cell-store.ts'
import type {
  CellView,
  EmbeddedCellStore,
  StepList,
} from '../../../storage/cells/embedded-cell-store.ts'
import { counterValue, incrementedCell } from '../../../storage/cells/mutation-application.ts'
import type { Note } from '../../../storage/cells/note.ts'
import type { RowFilter } from '../../../storage/cells/row-filter.ts'
import type { WriteBatch } from '../../../storage/cells/sqlite/groups/write-batch.ts'
import { Redo, type RedoLogUse } from '../../../storage/cells/sqlite/redo/redo.ts'
import { silentLog } from '../../../storage/storage-log.ts'
import type { CellImage } from './cell-image.ts'
import type { Surroundings } from './gateway.ts'
import { SIMULATED_LIMITS } from './simulated-cell-store.ts'
import type { SimulatedClock } from './simulated-clock.ts'
import type { SimulatedDisk } from './simulated-disk.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import { type Evaluated, SimulatedWriter } from './simulated-writer.ts'
import { nameOfRow } from './step-kind.ts'
import type { WriterFaults } from './writer-faults.ts'

/**
 * A store inside the process that owns it. Three states of it are kept apart: the disk, which
 * survives the process; the writer's, on which predicates are evaluated; and the view, which the main
 * thread reads. The view is a read transaction of the engine: while one is open, what has become
 * visible since is not in it, so it has to be ended before a mutation is answered.
 */
export class SimulatedEmbeddedStore implements EmbeddedCellStore {
  readonly atomicScope = 'store'
  readonly limits = SIMULATED_LIMITS
  readonly view: CellView
  readonly #world: Surroundings
  readonly #process: SimulatedProcess
  readonly #clock: SimulatedClock
  readonly #faults: WriterFaults
  readonly #writer: SimulatedWriter
  readonly #redo: Redo
  readonly #seen: CellImage
  /** Visible, but not to the read transaction that is open. */
  #unseen: RowMutations[] = []

  constructor(
    world: Surroundings,
    own: {
      readonly process: SimulatedProcess
      readonly clock: SimulatedClock
      readonly disk: SimulatedDisk
      readonly faults: WriterFaults
      readonly redoLog: RedoLogUse
      /** Whether a group may be visible before it is durable. */
      readonly mayShowFirst: boolean
      readonly memtableCells: number
      /** The redo log broke one of its rules. */
      readonly broken: (cause: unknown) => void
      /** What a start has made of the file. */
      readonly recovered: (tables: CellImage) => void
    },
  ) {
    this.#world = world
    this.#process = own.process
    this.#clock = own.clock
    this.#faults = own.faults
    const state = own.disk.open(world.random.fraction())
    this.#seen = state.tables.copy()
    this.#writer = new SimulatedWriter({
      ...world,
      faults: own.faults,
      mayShowFirst: own.mayShowFirst,
      process: own.process,
      disk: own.disk,
      state,
      shown: (changes) => this.#show(changes),
      answering: () => this.#endReadTransaction(),
      broken: own.broken,
    })
    this.#redo = new Redo({
      ...{ thread: this.#writer, use: own.redoLog, memtableCells: own.memtableCells },
      beforeDrop: () => this.#endReadTransaction(),
      onFailure: own.broken,
      ...{ log: silentLog, clock: own.clock },
    })
    this.#writer.recover(this.#redo)
    this.#endReadTransaction()
    own.recovered(state.tables)
    this.view = this.#redo.view({
      readRows: (keys, filter) => this.#reading().view.readRows(keys, filter),
      // A chunk may always be shorter than asked for; so most scans have several here.
      readChunk: (request) => {
        const rowsMax = Math.min(request.rowsMax, 1 + world.random.below(12))
        return this.#reading().view.readChunk({ ...request, rowsMax })
      },
    })
  }

  /** The rows that have a lock in the view. */
  get locked(): CellImage['locked'] {
    return this.#seen.locked
  }

  checkAndMutateRow(row: Uint8Array, step: CheckAndMutate): Promise<boolean> {
    return this.#mutate<boolean>(
      `step ${nameOfRow(row)}`,
      stepsBatch({ row, ...step }),
      (image, resolve) => {
        const matched = image.read(row, step.when) !== null
        const changes = [{ row, mutations: matched ? step.ifMatched : step.otherwise }]
        return { changes, steps: [{ row, step, matched }], answer: () => resolve(matched) }
      },
    )
  }

  checkAndMutateRows(steps: readonly RowStep[]): Promise<StepAnswer[]> {
    return answerEach(steps, (step) => this.checkAndMutateRow(step.row, step))
  }

  applyAtomically(list: StepList, note?: Note): Promise<boolean[]> {
    const batch = [...list]
    const name = `batch ${batch.map(({ row }) => nameOfRow(row)).join()}`
    const evaluate = (image: CellImage, resolve: (matched: boolean[]) => void) => {
      const matched = batch.map(({ row, when }) => image.read(row, when) !== null)
      const steps = batch.map((step, at) => ({
        row: step.row,
        step,
        matched: matched[at] === true,
      }))
      const changes = batch.map(({ row, ifMatched, otherwise }, at) => ({
        row,
        mutations: matched[at] ? ifMatched : otherwise,
      }))
      return { changes, steps, note, answer: () => resolve(matched) }
    }
    return this.#mutate<boolean[]>(name, { kind: 'steps', steps: batch, note }, evaluate)
  }

  async mutateRows(entries: readonly RowMutations[]): Promise<Array<CellStoreError | null>> {
    return await Promise.all(entries.map((entry) => this.#mutateRow(entry)))
  }

  readModifyWriteRow(row: Uint8Array, increments: readonly Increment[]): Promise<bigint[]> {
    return this.#mutate<bigint[]>(
      'increment',
      { kind: 'increment', row, increments },
      (image, resolve) => {
        const cells = increments.map((increment) => {
          const { family, qualifier } = increment
          const found = image.read(row, [{ family, qualifier, newest: 1 }])
          return incrementedCell(found?.cells[0], increment)
        })
        const mutations = cells.map((cell) => ({ kind: 'setCell', ...cell }) as const)
        const answer = () => resolve(cells.map(({ value }) => counterValue(value)))
        return { changes: [{ row, mutations }], steps: [], answer }
      },
    )
  }

  async readRows(keys: readonly Uint8Array[], filter: RowFilter): Promise<Array<Row | null>> {
    await this.#turn('reads')
    return this.view.readRows(keys, filter)
  }

  async *scanRanges(ranges: readonly KeyRange[], filter: RowFilter): AsyncIterable<Row> {
    for (const range of ranges) yield* this.scanRows({ ...range, filter })
  }

  /** A few rows at a time, each time in another turn. */
  async *scanRows(scan: RowScan): AsyncIterable<Row> {
    const { filter, reverse = false, signal } = scan
    let left = scan.limit ?? Number.POSITIVE_INFINITY
    let rest: { start: Uint8Array; end: Uint8Array | undefined } | undefined = {
      start: scan.start,
      end: scan.end,
    }
    while (rest !== undefined && left > 0) {
      await this.#turn('scans')
      signal?.throwIfAborted()
      const { start, end } = rest
      const range = { start, ...(end === undefined ? {} : { end }), reverse, filter }
      const chunk = this.view.readChunk({ ...range, rowsMax: Infinity, bytesMax: Infinity })
      for (const row of chunk.rows.slice(0, left)) yield row
      left -= chunk.rows.length
      rest = chunk.rest
    }
  }

  async splitPoints(): Promise<Uint8Array[]> {
    return []
  }

  /** Everything that is queued is carried out first. */
  async close(): Promise<void> {
    await this.#mutate<void>('close', stepsBatch(), (_image, resolve) => {
      return { changes: [], steps: [], answer: () => resolve() }
    })
    this.#redo.stop()
    await this.#redo.flushAll()
    this.#writer.close()
  }

  async #mutateRow({ row, mutations }: RowMutations): Promise<CellStoreError | null> {
    const step = { when: [], ifMatched: [], otherwise: mutations }
    try {
      await this.#mutate<void>(
        `mutate ${nameOfRow(row)}`,
        stepsBatch({ row, ...step }),
        (_image, resolve) => ({
          changes: [{ row, mutations }],
          steps: [{ row, step, matched: false }],
          answer: () => resolve(),
        }),
      )
      return null
    } catch (error) {
      if (error instanceof CellStoreError) return error
      throw error
    }
  }

  /** Queued in the turn of the call, unless the process dies in it. */
  #mutate<T>(
    name: string,
    batch: WriteBatch,
    evaluate: (image: CellImage, resolve: (answer: T) => void) => Evaluated,
  ): Promise<T> {
    const { scheduler, faults, counters } = this.#world
    if (this.#process.isDead) return never()
    const fault = faults.draw()
    if (fault !== 'none') counters.count(`fault ${fault}`)
    counters.count('calls')
    this.#clock.jumpWall(faults.clockJumpMs())
    scheduler.note(`${this.#process.name} queues ${name} ${fault}`)
    if (fault === 'pauseBefore') this.#process.pauseUntil(scheduler.nowMs + faults.pauseMs())
    if (fault === 'crashBefore') return this.#die(name)
    const answer = new Promise<T>((resolve, reject) => {
      for (const { row, ifMatched, otherwise } of batch.kind === 'steps' ? batch.steps : []) {
        checkRowKey(row, SIMULATED_LIMITS)
        checkMutations(ifMatched, SIMULATED_LIMITS)
        checkMutations(otherwise, SIMULATED_LIMITS)
      }
      this.#writer.submit({ batch, evaluate: (image) => evaluate(image, resolve), reject })
    })
    if (fault !== 'crashAfter') return answer
    answer.catch(() => undefined)
    return this.#die(name)
  }

  /** The read transaction may end by itself in any turn, or last until something is answered. */
  #show(changes: readonly RowMutations[]): void {
    const { random, scheduler } = this.#world
    this.#unseen.push(...changes)
    if (random.fraction() < 0.3) this.#endReadTransaction()
    const end = () => this.#endReadTransaction()
    scheduler.after(this.#faults.writerMs() * 4, 'ends its read transaction', end, this.#process)
  }

  #endReadTransaction(): void {
    this.#seen.apply(this.#unseen.splice(0))
  }

  #reading(): CellImage['cells'] {
    this.#writer.assertOpen()
    return this.#seen.cells
  }

  /** Now, or after whatever else comes before. */
  async #turn(name: string): Promise<void> {
    const { random, scheduler } = this.#world
    if (this.#process.isDead) return never()
    if (random.fraction() < 0.5) return
    await new Promise<void>((resolve) =>
      scheduler.after(this.#faults.writerMs(), name, resolve, this.#process),
    )
  }

  #die(name: string): Promise<never> {
    this.#world.scheduler.note(`${this.#process.name} crashes at ${name}`)
    this.#process.crash()
    return never()
  }
}

function stepsBatch(...steps: readonly RowStep[]): WriteBatch {
  return { kind: 'steps', steps }
}

function never(): Promise<never> {
  return new Promise(() => {})
}
