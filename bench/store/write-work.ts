// SPDX-License-Identifier: Apache-2.0
import { runClosedLoop } from '../load/closed-loop.ts'
import { measureHere } from '../load/measurement.ts'
import { Random } from '../load/random.ts'
import { readHalf } from './bench-rows.ts'
import type { BenchStore } from './bench-store.ts'
import type { SqliteTable } from './sqlite-table.ts'
import type { Work } from './store-contender.ts'

const SEED = 20_101_006

/**
 * What is written is moved into the tables half a second later, and then all together. A sample of one second has
 * hardly begun to pay for it, so those of durable writes are longer; and none begins before what the one before it
 * has written is moved, or it would pay for that one.
 */
export const DURABLE_WRITE_SAMPLES = { secondsFactor: 3, pauseSeconds: 0.6 }

/** So many writers at once put a raw cell each, and wait until it is on disk. */
export function putRaw(writers: number): (store: BenchStore) => Work {
  return (store) => writeEach(store.rows, writers, (row, sequence) => store.putRaw(row, sequence))
}

/** The same, each in a transaction of its own. */
export function putInTransactions(writers: number): (store: BenchStore) => Work {
  return (store) =>
    writeEach(store.rows, writers, (row, sequence) => store.putInTransaction(row, sequence))
}

/**
 * Each writer has rows of its own, so that nobody waits for anybody and nobody conflicts: what is
 * measured is the cost of committing.
 */
function writeEach(
  rows: number,
  writers: number,
  write: (row: number, sequence: number) => Promise<void>,
): Work {
  const random = new Random(SEED)
  const rowsOfEach = Math.max(1, Math.floor(readHalf(rows).first / writers))
  let written = rows
  return (seconds, signal) =>
    measureHere(() =>
      runClosedLoop({
        ...{ seconds, signal },
        clients: writers,
        takesLatency: true,
        operation: (_, writer) => write(writer + writers * random.below(rowsOfEach), written++),
      }),
    )
}

/** `group` rows in one COMMIT of a bare table; operations are rows. */
export function putTableGroups(group: number): (table: SqliteTable) => Work {
  return ({ rows, putGroup }) => {
    const random = new Random(SEED)
    let written = rows
    return (seconds, signal) =>
      measureHere(async () => {
        const { operations } = await runClosedLoop({
          ...{ seconds, signal },
          clients: 1,
          operation: async () =>
            putGroup(
              Array.from(
                { length: group },
                () => [random.below(readHalf(rows).first), written++] as const,
              ),
            ),
        })
        return { operations: operations * group }
      })
  }
}
