// SPDX-License-Identifier: Apache-2.0
import { createHistogram } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { openSqliteCellStore } from '../../storage/cells/sqlite/sqlite-cell-store.ts'
import {
  NotificationScanner,
  notifyCellOf,
} from '../../storage/observers/notifications/notification-scanner.ts'
import { type CellStore, type Randomness, systemRandomness } from '../../storage/storage.ts'
import { eraseNotify, setNotify } from '../../storage/transactions/records/notify-cell.ts'
import type { Contender, Experiment } from '../harness/experiment.ts'
import { recordMs, type Sample } from '../harness/sample.ts'
import { measureHere } from '../load/closed-loop.ts'
import { Random } from '../load/random.ts'

const WORKERS = 8

type ScanningSize = {
  readonly rows: number
  readonly dirty: number
  /** Of each sample, of which the plots have the last. */
  readonly seconds: number
  readonly repetitions: number
}

const SCANNING_SIZE: ScanningSize = {
  ...{ rows: 16_384, dirty: 4_096 },
  ...{ seconds: 20, repetitions: 3 },
}

const NAMES = {
  'goes round': 'workers that go round',
  teleports: 'workers that teleport where they meet',
} as const satisfies Record<Movement, string>

/** Workers that look for notifications clump together, unless they jump away where they meet (paper 2.4). */
export function scanning(size: ScanningSize = SCANNING_SIZE): Experiment {
  const { rows, dirty, seconds, repetitions } = size
  const movements = ['goes round', 'teleports'] as const
  return {
    name: 'scanning',
    title: `${WORKERS} workers look for notifications: ${dirty.toLocaleString('en')} of ${rows.toLocaleString('en')} rows have one at any time`,
    unit: 'runs',
    ...{ seconds, repetitions, warmUpSeconds: 0 },
    contenders: movements.map((movement) => contender(movement, size)),
    goals: [
      {
        what: 'runs, with teleporting / without',
        ...{ of: NAMES.teleports, to: NAMES['goes round'] },
      },
      {
        what: 'different places of the workers, with teleporting / without',
        ...{ of: NAMES.teleports, to: NAMES['goes round'], figure: 'figures.places' },
      },
    ],
    plots: [
      {
        ...{ name: 'scanning-places', title: 'Different places in which the workers are' },
        ...{ kind: 'times', values: 'places', yTitle: 'places' },
      },
      {
        ...{ name: 'scanning-runs', title: 'Notifications that were run' },
        ...{ kind: 'times', values: 'runs', yTitle: 'runs per second' },
      },
    ],
    notes: [
      'Each worker has a scanner of the product, over one durable store. A row that was run makes another one dirty, so that there is always as much to do. Workers that are nearer to each other than a 64th of the table are in one place. `inVainPerRun` are rows that a worker found and another one had taken meanwhile; `waitedP50Ms` and `waitedP99Ms` are how long rows had been dirty when they were run.',
      'Those that go round begin in random places, and each round where the one before ended. The product always teleports.',
    ],
  }
}

function contender(movement: Movement, { rows, dirty }: ScanningSize): Contender {
  return {
    name: NAMES[movement],
    async open({ temporaryFolder }) {
      const dataDirectory = await temporaryFolder('dirty')
      const table = await DirtyTable.open({ dataDirectory, rows, dirty })
      return {
        run: (seconds, signal) =>
          scanWithWorkers(table, { workers: WORKERS, movement }, seconds, signal),
        close: () => table.close(),
      }
    },
  }
}

/** What an observer takes for a row, beside what the store takes. */
const RUN_MS = 2
const STEP_SECONDS = 0.25
/** Workers that are nearer to each other than this share of the table are in one place. */
const NEAR_SHARE = 1 / 64

type Movement = 'goes round' | 'teleports'

/**
 * So many workers look for dirty rows and run them, each with a scanner of its own, for so long. One that finds a row
 * that another worker has, or has just had, is too near to it: it goes to another place, or it goes on.
 */
async function scanWithWorkers(
  table: DirtyTable,
  { workers, movement }: { readonly workers: number; readonly movement: Movement },
  seconds: number,
  signal: AbortSignal,
): Promise<Sample> {
  const round = new Round(table, workers, movement)
  const places: number[] = []
  const runs: number[] = []
  const sample = await measureHere(async () => {
    const deadlineMs = performance.now() + seconds * 1000
    const isOver = () => signal.aborted || performance.now() >= deadlineMs
    const working = Promise.all(
      Array.from({ length: workers }, (_, worker) => round.work(worker, isOver)),
    )
    const lastStepMs = deadlineMs - STEP_SECONDS * 1000
    for (let before = 0; !isOver() && performance.now() <= lastStepMs; ) {
      await delay(STEP_SECONDS * 1000)
      places.push(placesOf(round.positions, table.rows))
      runs.push((round.runs - before) / STEP_SECONDS)
      before = round.runs
    }
    await working
    return { operations: round.runs }
  })
  const waitedMs = (percentile: number) => round.waited.percentile(percentile) / 1e6
  return {
    ...sample,
    figures: {
      places: places.reduce((sum, count) => sum + count, 0) / Math.max(1, places.length),
      inVainPerRun: round.met / Math.max(1, round.runs),
      waitedP50Ms: waitedMs(50),
      waitedP99Ms: waitedMs(99),
    },
    overTime: { stepSeconds: STEP_SECONDS, values: { places, runs } },
  }
}

class Round {
  readonly positions: number[]
  readonly waited = createHistogram()
  runs = 0
  /** Rows that were found and had been taken by another worker. */
  met = 0
  readonly #table: DirtyTable
  readonly #movement: Movement
  /** The advisory locks of the paper: rows that are being run. */
  readonly #held = new Set<number>()

  constructor(table: DirtyTable, workers: number, movement: Movement) {
    this.#table = table
    this.#movement = movement
    this.positions = new Array<number>(workers).fill(0)
  }

  async work(worker: number, isOver: () => boolean): Promise<void> {
    // One that goes round begins each round where it has ended the one before.
    const begin = systemRandomness.fraction()
    const scanner = this.#table.scanner(
      this.#movement === 'teleports'
        ? systemRandomness
        : { ...systemRandomness, fraction: () => begin },
    )
    const { signal } = new AbortController()
    while (!isOver()) {
      const { found } = await scanner.nextPage(signal)
      for (const { key } of found) {
        if (isOver()) return
        const row = rowOf(key)
        this.positions[worker] = row
        if (await this.#run(row)) continue
        this.met += 1
        if (this.#movement === 'goes round') continue
        scanner.teleport()
        break
      }
    }
  }

  /** False when another worker has it, or has had it since it was found. */
  async #run(row: number): Promise<boolean> {
    if (this.#held.has(row)) return false
    this.#held.add(row)
    try {
      if (!(await this.#table.isDirty(row))) return false
      await delay(RUN_MS)
      recordMs(this.waited, await this.#table.clean(row))
      this.runs += 1
      return true
    } finally {
      this.#held.delete(row)
    }
  }
}

/** How many different places the workers are in, on a table that is a ring. */
export function placesOf(positions: readonly number[], rows: number): number {
  const near = rows * NEAR_SHARE
  const sorted = positions.toSorted((left, right) => left - right)
  const gaps = sorted.filter((position, at) => {
    const next = sorted[(at + 1) % sorted.length] as number
    const gap = at + 1 < sorted.length ? next - position : next + rows - position
    return gap > near
  })
  return Math.max(1, gaps.length)
}

const OBSERVER = 1
const FIRST_BYTE = 1
const FILL_ROWS = 1_000
const SEED = 20_101_004

/** A durable store of rows of which always as many have a notify cell: each one that is run makes another one dirty. */
class DirtyTable {
  readonly rows: number
  readonly #cellStore: CellStore
  readonly #random = new Random(SEED)
  /** When each row was made dirty; 0 where it is clean. */
  readonly #dirtySinceMs: Float64Array
  #timestamp = 1

  private constructor(rows: number, cellStore: CellStore) {
    this.rows = rows
    this.#cellStore = cellStore
    this.#dirtySinceMs = new Float64Array(rows)
  }

  static async open(options: {
    readonly dataDirectory: string
    readonly rows: number
    readonly dirty: number
  }): Promise<DirtyTable> {
    const { dataDirectory, rows, dirty } = options
    const table = new DirtyTable(rows, await openSqliteCellStore({ dataDirectory }))
    for (let filled = 0; filled < dirty; filled += FILL_ROWS) {
      const count = Math.min(FILL_ROWS, dirty - filled)
      await table.#mutate(Array.from({ length: count }, () => table.#makeDirty()))
    }
    return table
  }

  /** The product's own scanner. */
  scanner(randomness: Randomness): NotificationScanner {
    return new NotificationScanner(this.#cellStore, randomness, {
      observerId: OBSERVER,
      start: Buffer.of(FIRST_BYTE),
      end: Buffer.of(FIRST_BYTE + 1),
    })
  }

  /** As a run looks at the acknowledgment: whether there is still something to do. */
  async isDirty(row: number): Promise<boolean> {
    const [found] = await this.#cellStore.readRows([keyOf(row)], notifyCellOf(OBSERVER))
    return found != null
  }

  /** The row is done with. Returns for how many milliseconds it had waited. */
  async clean(row: number): Promise<number> {
    const waitedMs = performance.now() - (this.#dirtySinceMs[row] as number)
    this.#dirtySinceMs[row] = 0
    const erased = { row: keyOf(row), mutations: [eraseNotify(OBSERVER, this.#timestamp)] }
    await this.#mutate([this.#makeDirty(row), erased])
    return waitedMs
  }

  async close(): Promise<void> {
    await this.#cellStore.close()
  }

  #makeDirty(unlike?: number) {
    let row = this.#random.below(this.rows)
    while (this.#dirtySinceMs[row] !== 0 || row === unlike) row = this.#random.below(this.rows)
    this.#dirtySinceMs[row] = performance.now()
    this.#timestamp += 1
    return { row: keyOf(row), mutations: [setNotify(OBSERVER, this.#timestamp)] }
  }

  async #mutate(entries: Parameters<CellStore['mutateRows']>[0]): Promise<void> {
    for (const error of await this.#cellStore.mutateRows(entries)) if (error !== null) throw error
  }
}

function keyOf(row: number): Uint8Array {
  const key = Buffer.alloc(5)
  key[0] = FIRST_BYTE
  key.writeUInt32BE(row, 1)
  return key
}

/** The number of the row. */
function rowOf(key: Uint8Array): number {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).readUInt32BE(1)
}
