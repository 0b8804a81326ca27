// SPDX-License-Identifier: Apache-2.0
import type { Contender } from '../harness/experiment.ts'
import type { Shared } from '../harness/shared.ts'
import type { FilledStore } from './filled-store.ts'
import { SqliteTable } from './sqlite-table.ts'
import type { Work } from './work.ts'

/** A contender over a store that it shares with its neighbours. */
export function onStore(
  name: string,
  shared: Shared<FilledStore>,
  prepare: (store: FilledStore) => Work,
): Contender {
  return {
    name,
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
): Contender {
  return {
    name,
    async open({ temporaryFolder }) {
      const table = new SqliteTable(await temporaryFolder('table'), rows)
      return { run: prepare(table), close: async () => table.close() }
    },
  }
}
