// SPDX-License-Identifier: Apache-2.0
import type { Sample } from '../harness/sample.ts'
import { type ClosedLoop, measureHere, runClosedLoop } from '../load/closed-loop.ts'
import { Random } from '../load/random.ts'
import type { FilledStore } from './filled-store.ts'
import { type Operation, SCAN_ROWS } from './operations.ts'
import { readHalf } from './rows.ts'
import type { SqliteTable } from './sqlite-table.ts'

/** One measured stretch of work. */
export type Work = (seconds: number, signal: AbortSignal) => Promise<Sample>

/** How an operation is done to a store. */
type Prepare = (store: FilledStore) => Operation

// Every contender draws the same rows in the same order.
const READ_SEED = 20_101_004
const SCAN_SEED = 20_101_005
const WRITE_SEED = 20_101_006

/** Reads are a few microseconds: the clock is looked at once in so many. */
const READS_PER_LOOK = 64

/**
 * What is written is moved into the tables half a second later, and then all together. A sample of one second has
 * hardly begun to pay for it, so those of durable writes are longer; and none begins before what the one before it
 * has written is moved, or it would pay for that one.
 */
export const DURABLE_WRITE_SAMPLES = { secondsFactor: 3, pauseSeconds: 0.6 }

/** One reader or several, one random row after the other, each read awaited. */
export function reading(prepare: Prepare, readers = 1): (store: FilledStore) => Work {
  return (store) => {
    const read = prepare(store)
    const random = new Random(READ_SEED)
    const { first, count } = readHalf(store.rows)
    return looping({
      clients: readers,
      operationsPerLook: readers === 1 ? READS_PER_LOOK : 1,
      operation: async (sequence) => {
        const found = await read(first + random.below(count), sequence)
        if (found === null || found === undefined) throw new Error('A row that was loaded is gone.')
      },
    })
  }
}

/** One reader, a hundred rows from a random row on. */
export function scanning(prepare: Prepare): (store: FilledStore) => Work {
  return (store) => {
    const scan = prepare(store)
    const random = new Random(SCAN_SEED)
    const half = readHalf(store.rows)
    const starts = Math.max(1, half.count - SCAN_ROWS)
    const expected = Math.min(half.count, SCAN_ROWS)
    const operation = async (sequence: number) => {
      const count = await scan(half.first + random.below(starts), sequence)
      if (count !== expected) throw new Error(`A scan found ${count} rows of ${expected}.`)
    }
    return looping({ clients: 1, operation })
  }
}

/**
 * So many writers at once, who wait until each write is on disk. Each has rows of its own, so that nobody waits for
 * anybody and nobody conflicts: what is measured is the cost of committing.
 */
export function writing(prepare: Prepare, writers: number): (store: FilledStore) => Work {
  return (store) => {
    const write = prepare(store)
    const random = new Random(WRITE_SEED)
    const rowsOfEach = Math.max(1, Math.floor(readHalf(store.rows).first / writers))
    let written = store.rows
    return looping({
      clients: writers,
      takesLatency: true,
      operation: async (_, writer) => write(writer + writers * random.below(rowsOfEach), written++),
    })
  }
}

/** `group` rows in one COMMIT of a bare table; operations are rows. */
export function writingGroups(group: number): (table: SqliteTable) => Work {
  return ({ rows, putGroup }) => {
    const random = new Random(WRITE_SEED)
    const { first: count } = readHalf(rows)
    let written = rows
    const write = () => [random.below(count), written++] as const
    const operation = async () => putGroup(Array.from({ length: group }, write))
    return looping({ clients: 1, operation }, group)
  }
}

function looping(loop: Omit<ClosedLoop, 'seconds' | 'signal'>, unitsPerOperation = 1): Work {
  return (seconds, signal) =>
    measureHere(async () => {
      const done = await runClosedLoop({ ...loop, seconds, signal })
      return { ...done, operations: done.operations * unitsPerOperation }
    })
}
