// SPDX-License-Identifier: Apache-2.0
import { onSqliteTable, sharedStore } from '../embedded/embedded-store.ts'
import { OPERATIONS } from '../embedded/operations.ts'
import { DURABLE_WRITE_SAMPLES, writing, writingGroups } from '../embedded/work.ts'
import type { Experiment } from '../harness/experiment.ts'
import { onShared } from '../harness/shared.ts'

const WRITERS = 64
const RAW = 'raw put'
const ONE_PHASE = 'transaction, one-phase'
const TWO_PHASE = 'transaction, two-phase'
const SQLITE_ONE = 'better-sqlite3, one row a COMMIT'
const SQLITE_MANY = `better-sqlite3, ${WRITERS} rows a COMMIT`

export function writeOneCell(rows: number): Experiment {
  const store = sharedStore({ rows, commit: 'one-phase' })
  const twoPhase = sharedStore({ rows, commit: 'two-phase', fill: 'transactions' })
  return {
    name: 'write-one-cell',
    title: `Durable writes of one cell, ${WRITERS} writers`,
    unit: 'writes',
    ...DURABLE_WRITE_SAMPLES,
    // Transactions have much more to be compiled than the raw puts beside them.
    warmUpSeconds: 3,
    contenders: [
      onShared(RAW, store, writing(OPERATIONS.write.raw, WRITERS)),
      onShared(ONE_PHASE, store, writing(OPERATIONS.write.own, WRITERS)),
      onShared(TWO_PHASE, twoPhase, writing(OPERATIONS.write.own, WRITERS)),
      onSqliteTable(SQLITE_ONE, rows, writingGroups(1)),
      onSqliteTable(SQLITE_MANY, rows, writingGroups(WRITERS)),
    ],
    goals: [
      {
        what: 'one-phase write transaction / raw durable put',
        ...{ of: ONE_PHASE, to: RAW, must: 0.75, aim: 0.95, paper: 0.23 },
      },
      {
        what: 'two-phase write transaction / raw durable put',
        ...{ of: TWO_PHASE, to: RAW, paper: 0.23 },
      },
      // What a shared sync is worth on this disk for SQLite itself, compared with our 64 writers and one.
      { what: 'better-sqlite3, 64 rows a COMMIT / one row', of: SQLITE_MANY, to: SQLITE_ONE },
    ],
    notes: [
      'Latencies are of a closed loop. better-sqlite3 writes from one place, without latencies of its own.',
    ],
  }
}

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
      onShared(ONE, store, writing(OPERATIONS.write.own, 1)),
      onShared(MANY, store, writing(OPERATIONS.write.own, 64)),
    ],
    goals: [{ what: '64 writers / 1 writer, durable', of: MANY, to: ONE, must: 8, aim: 12 }],
  }
}
