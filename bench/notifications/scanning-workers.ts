// SPDX-License-Identifier: Apache-2.0
import { createHistogram } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { systemRandomness } from '../../storage/storage.ts'
import { recordMs, type Sample } from '../harness/sample.ts'
import { measureHere } from '../load/measurement.ts'
import { type DirtyTable, rowOf } from './dirty-table.ts'

/** What an observer takes for a row, beside what the store takes. */
const RUN_MS = 2
const STEP_SECONDS = 0.25
/** Workers that are nearer to each other than this share of the table are in one place. */
const NEAR_SHARE = 1 / 64

export type Movement = 'goes round' | 'teleports'

/**
 * So many workers look for dirty rows and run them, each with a scanner of its own, for so long. One that finds a row
 * that another worker has, or has just had, is too near to it: it goes to another place, or it goes on.
 */
export async function scanWithWorkers(
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
