// SPDX-License-Identifier: Apache-2.0

import type { Experiment } from '../harness/experiment.ts'
import type { WorkDone } from '../harness/sample.ts'
import { withEventLoopDelay } from '../load/event-loop-delay.ts'
import { measureHere } from '../load/measurement.ts'
import { runOpenLoop } from '../load/open-loop.ts'
import { Random } from '../load/random.ts'
import { COLUMN, rowKey, TRANSACTION_TABLE } from '../store/bench-rows.ts'
import { type BenchStore, sharedStore } from '../store/bench-store.ts'
import { onStore } from '../store/store-contender.ts'
import type { Work } from '../store/work.ts'

const RATE = 1_000
const SEED = 20_101_008

/** What small requests feel of a scan of everything that runs beside them in the same process. */
export function longScan(rows: number): Experiment {
  const store = sharedStore({ rows, commit: 'auto', fill: 'transactions' })
  const title = `${RATE} small transactions a second, beside a scan of the whole table`
  return {
    name: 'long-scan',
    title,
    unit: 'transactions',
    contenders: [
      onStore(
        'alone',
        store,
        (one) => (seconds, signal) =>
          measureHere(() => withEventLoopDelay(() => smallTransactions(one, seconds, signal))),
      ),
      onStore('beside a long scan', store, besideScan),
    ],
    goals: [],
    plots: [
      {
        ...{ name: 'long-scan', title, kind: 'bars' },
        figure: 'figures.eventLoopDelayMaxMs',
        yTitle: 'longest delay of the event loop, ms',
      },
    ],
    notes: [
      'Nine transactions in ten read a cell and one writes a cell, at a fixed rate; latencies count from the intended beginning. The scan goes over the table again and again, as one transaction each time.',
    ],
  }
}

function besideScan(store: BenchStore): Work {
  return (seconds, signal) =>
    measureHere(() =>
      withEventLoopDelay(async () => {
        const ended = new AbortController()
        const scanning = scanUntil(store, ended.signal)
        try {
          const done = await smallTransactions(store, seconds, signal)
          ended.abort()
          return { ...done, figures: { rowsScannedPerSecond: (await scanning) / seconds } }
        } finally {
          ended.abort()
          await scanning
        }
      }),
    )
}

/** Answers how many rows were scanned until the signal. */
async function scanUntil({ storage }: BenchStore, signal: AbortSignal): Promise<number> {
  let scanned = 0
  while (!signal.aborted) {
    const transaction = await storage.begin({ readOnly: true })
    const range = { start: rowKey(TRANSACTION_TABLE, 0), end: rowKey(TRANSACTION_TABLE + 1, 0) }
    for await (const _ of transaction.scanRows({ ...range, columns: [COLUMN] })) {
      scanned += 1
      if (signal.aborted) break
    }
    await transaction.commit()
  }
  return scanned
}

function smallTransactions(
  store: BenchStore,
  seconds: number,
  signal: AbortSignal,
): Promise<WorkDone> {
  const random = new Random(SEED)
  const first = Math.round(performance.now() * 1000)
  return runOpenLoop({
    ...{ seconds, signal },
    ratePerSecond: RATE,
    spinning: true,
    operation: async (sequence) => {
      // In turn and not at random: two writes of one row at once would conflict.
      if (sequence % 10 === 0)
        return await store.putInTransaction(sequence % store.rows, first + sequence)
      const transaction = await store.storage.begin({ readOnly: true })
      await transaction.getRow(rowKey(TRANSACTION_TABLE, random.below(store.rows)), [COLUMN])
      return await transaction.commit()
    },
  })
}
