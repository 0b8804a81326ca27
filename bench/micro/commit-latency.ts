// SPDX-License-Identifier: Apache-2.0

import type { Contender, Experiment } from '../harness/experiment.ts'
import { withEventLoopDelay } from '../load/event-loop-delay.ts'
import { measureHere } from '../load/measurement.ts'
import { runOpenLoop } from '../load/open-loop.ts'
import { type BenchStore, sharedStore } from '../store/bench-store.ts'
import { onStore } from '../store/store-contender.ts'
import type { Work } from '../store/work.ts'

const RATES = [1_000, 5_000] as const

export function commitLatency(rows: number): Experiment {
  const store = sharedStore({ rows, commit: 'auto' })
  const contendersAt = (rate: number): Contender[] => [
    onStore(`raw puts, ${rate} a second`, store, (one) =>
      atRate(one, rate, (row, sequence) => one.putRaw(row, sequence)),
    ),
    onStore(`transactions, ${rate} a second`, store, (one) =>
      atRate(one, rate, (row, sequence) => one.putInTransaction(row, sequence)),
    ),
  ]
  const title = 'Latency of durable one-cell writes at a fixed rate'
  const plot = { title, kind: 'bars', yTitle: 'milliseconds' } as const
  return {
    name: 'commit-latency',
    title,
    unit: 'writes',
    contenders: RATES.flatMap(contendersAt),
    goals: [],
    plots: [
      { ...plot, name: 'commit-latency-p50', title: `${title}, median`, figure: 'latency.p50' },
      { ...plot, name: 'commit-latency-p99', title: `${title}, p99`, figure: 'latency.p99' },
    ],
    notes: [
      'Open loop: writes begin at the stated rate, whether or not earlier ones have ended, and a latency counts from the intended beginning. The driver spins in the same event loop, so the CPU time is mostly its own.',
    ],
  }
}

/** The rows are taken in turn, so that a slow commit is not met by the next write of its row. */
function atRate(
  { rows }: BenchStore,
  ratePerSecond: number,
  write: (row: number, sequence: number) => Promise<void>,
): Work {
  let written = rows
  return (seconds, signal) =>
    measureHere(() =>
      withEventLoopDelay(() =>
        runOpenLoop({
          ...{ ratePerSecond, seconds, signal },
          spinning: true,
          operation: () => {
            const sequence = written++
            return write(sequence % rows, sequence)
          },
        }),
      ),
    )
}
