// SPDX-License-Identifier: Apache-2.0
import type { Contender } from '../harness/experiment.ts'
import type { Sample } from '../harness/sample.ts'
import type { BenchStore, SharedBenchStore } from './bench-store.ts'
import { SqliteTable } from './sqlite-table.ts'

/** One measured stretch of work; `SharedBenchStore` and `SqliteTable` bring what it works on. */
export type Work = (seconds: number, signal: AbortSignal) => Promise<Sample>

type Extra = Pick<Contender, 'point'>

/** A contender over a store that it shares with its neighbours. */
export function onStore(
  name: string,
  shared: SharedBenchStore,
  prepare: (store: BenchStore) => Work,
  extra: Extra = {},
): Contender {
  return {
    name,
    ...extra,
    async open(surroundings) {
      const store = await shared.acquire(surroundings)
      return { run: prepare(store), close: () => shared.release() }
    },
  }
}

/** The ceiling: a contender over a bare table of better-sqlite3. */
export function onSqliteTable(
  name: string,
  rows: number,
  prepare: (table: SqliteTable) => Work,
  extra: Extra = {},
): Contender {
  return {
    name,
    ...extra,
    async open({ temporaryFolder }) {
      const table = new SqliteTable(await temporaryFolder('table'), rows)
      return { run: prepare(table), close: async () => table.close() }
    },
  }
}
