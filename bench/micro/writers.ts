// SPDX-License-Identifier: Apache-2.0

import { sharedStore } from '../embedded/embedded-store.ts'
import { OPERATIONS } from '../embedded/operations.ts'
import { onStore } from '../embedded/store-contender.ts'
import { DURABLE_WRITE_SAMPLES, writing } from '../embedded/work.ts'
import type { Experiment } from '../harness/experiment.ts'

const ONE = '1 writer'
const MANY = '64 writers'

export function writers(rows: number): Experiment {
  const store = sharedStore({ rows, commit: 'one-phase', fill: 'transactions' })
  return {
    name: 'writers',
    title: 'Durable one-cell transactions by number of writers, one-phase',
    unit: 'transactions',
    ...DURABLE_WRITE_SAMPLES,
    // For as long V8 compiles what a transaction does.
    warmUpSeconds: 3,
    contenders: [
      onStore(ONE, store, writing(OPERATIONS.write.own, 1)),
      onStore(MANY, store, writing(OPERATIONS.write.own, 64)),
    ],
    goals: [{ what: '64 writers / 1 writer, durable', of: MANY, to: ONE, must: 8, aim: 12 }],
  }
}
