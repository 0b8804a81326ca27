// SPDX-License-Identifier: Apache-2.0
import type { Contender, Experiment } from '../harness/experiment.ts'
import { sharedStore } from '../store/bench-store.ts'
import { OPERATIONS } from '../store/operations.ts'
import { onSqliteTable, onStore } from '../store/store-contender.ts'
import { writing, writingGroups } from '../store/work.ts'

const SIZES = [1, 10, 100, 1_000] as const

/** How the cost of a sync is shared, by how many writes are waiting for one. */
export function groupCommit(rows: number): Experiment {
  const store = sharedStore({ rows, commit: 'one-phase' })
  const contendersOf = (size: number): Contender[] => [
    onSqliteTable(`better-sqlite3, ${size} rows a COMMIT`, rows, writingGroups(size), {
      point: { series: 'better-sqlite3, n rows a COMMIT', x: size },
    }),
    onStore(`raw puts, ${size} writers`, store, writing(OPERATIONS.write.raw, size), {
      point: { series: 'raw puts, n writers', x: size },
    }),
    onStore(`transactions, ${size} writers`, store, writing(OPERATIONS.write.own, size), {
      point: { series: 'transactions, n writers', x: size },
    }),
  ]
  return {
    name: 'group-commit',
    title: 'Durable writes by how many share a sync',
    unit: 'writes',
    seconds: 0.5,
    contenders: SIZES.flatMap(contendersOf),
    goals: [],
    plots: [
      {
        name: 'group-commit',
        title: 'Durable writes by how many share a sync',
        figure: 'operationsPerSecond',
        kind: 'lines',
        xTitle: 'rows in a COMMIT, or writers at once',
        yTitle: 'writes per second',
        xLogarithmic: true,
        yLogarithmic: true,
      },
    ],
  }
}
