// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { percolite } from '../../test/cli/percolite.ts'
import { problemsOf } from '../../test/client-sdk/compiled-program.ts'
import { startTestServer } from '../../test/server/test-server.ts'

const TABLES = `CREATE TABLE account (
  id TEXT PRIMARY KEY, no INTEGER NOT NULL GENERATED ALWAYS AS IDENTITY, state TEXT CHECK (state IN ('open', 'shut')),
  seen TIMESTAMP NOT NULL DEFAULT now(), meta JSON
); CREATE TABLE "Database" (id BOOLEAN PRIMARY KEY)`

const DATABASE = `export type Database = {
  Database: {
    id: ColumnType<boolean, boolean, never>
  }
  account: {
    id: ColumnType<string, string, never>
    no: ColumnType<number, never, never>
    state: ColumnType<'open' | 'shut' | null, 'open' | 'shut' | null | undefined, 'open' | 'shut' | null>
    seen: ColumnType<string, string | Date | undefined, string | Date>
    meta: ColumnType<unknown, unknown | undefined, unknown>
  }
}
`

test('types --kysely writes what is read, inserted and set of each column', async (t) => {
  const server = await startTestServer(t)
  for (const sql of TABLES.split('; ')) assert.equal((await server.query(sql)).status, 200, sql)
  const { url } = await server.listen()
  const { code, output, errors } = await percolite(['types', url, '--kysely'])
  assert.deepEqual([code, errors], [0, ''])
  assert.match(output, /^import type \{ ColumnType \} from 'kysely'$/m)
  assert.equal(output.slice(output.indexOf('export type Database = ')), DATABASE)
  const above = `${output}
import type { Kysely } from 'kysely'
declare const db: Kysely<Database>
export const account = db.selectFrom('account').selectAll().executeTakeFirstOrThrow()
`
  const right = [
    "db.insertInto('account').values({ id: 'a', meta: { x: 1 } })",
    "db.updateTable('account').set({ seen: new Date(), state: 'shut' })",
    "account.then(({ no, state }) => no + (state === 'open' ? 1 : 2))",
  ]
  assert.deepEqual(problemsOf(above, right), [])
  const wrong = [
    "db.insertInto('account').values({ id: 'a', no: 1 })",
    "db.updateTable('account').set({ id: 'b' })",
    "db.updateTable('account').set({ state: 'late' })",
  ]
  assert.deepEqual(
    problemsOf(above, wrong).map(({ line }) => line),
    [0, 1, 2],
  )
})
