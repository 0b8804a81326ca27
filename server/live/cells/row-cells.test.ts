// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { type InspectedCell, openStorage } from '../../../storage/storage.ts'
import {
  type Catalog,
  createTable,
  encodePrimaryKey,
  requireTable,
  type TableDefinition,
} from '../../../storage/tables/tables.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { TurnQueue, Turns, turnTaker } from '../../guard/budgets/turns.ts'
import { textOf } from '../../requests/answers/answer-body.ts'
import { AnswerBudget } from '../../requests/answers/query-answer.ts'
import { catalogAt } from '../../snapshot.ts'
import { RowCells, standingLockOf } from './row-cells.ts'
import { shownRow } from './shown-row.ts'

async function accounts() {
  const storage = await openStorage({ engine: 'memory' })
  const transaction = await storage.begin()
  const columns = [
    { name: 'id', type: 'TEXT', notNull: true },
    { name: 'balance', type: 'INTEGER', notNull: false },
  ] as const
  const definition = { name: 'account', columns, primaryKey: [{ column: 'id', descending: false }] }
  await createTable(transaction, await storage.catalog(transaction), definition, {
    ifNotExists: false,
  })
  await transaction.commit()
  const catalog = await catalogAt(storage)
  await storage.close()
  return { catalog, table: requireTable(catalog, 'account') }
}

type Context = { readonly catalog: Catalog; readonly table: TableDefinition }

/** The answer, and how many turns it has taken beside its first. */
async function shownOf({ catalog, table }: Context, cells: readonly InspectedCell[]) {
  let nowMs = 0
  let turns = 0
  const clock = { monotonicMs: () => (nowMs += 10) }
  const taker = { ...turnTaker(), hasTurn: () => (turns += 1) }
  const answer = new RowCells(catalog, shownRow(table, ['joe']), {
    budget: new AnswerBudget(),
    turns: new Turns(new TurnQueue(clock), taker),
  })
  await answer.add(cells)
  return { shown: JSON.parse(textOf(await answer.body())), turns }
}

test("Joe's row in Figure 4: locked by a transfer whose primary is Bob's row", async () => {
  const { catalog, table } = await accounts()
  const rowKey = encodePrimaryKey(table, ['joe'])
  const primary = { row: encodePrimaryKey(table, ['bob']), column: '0' }
  const lock = {
    startTs: 7,
    primary,
    incarnation: 'ab'.repeat(16),
    wallMicros: 1_000_000,
    content: { kind: 'inline', value: Uint8Array.of(0xff) },
  } as const
  const common = { family: 'lock', qualifier: '0', value: new Uint8Array() } as const
  const cells: InspectedCell[] = [
    { ...common, timestamp: 7, meaning: { kind: 'lock', lock, isPrimary: false } },
    {
      ...common,
      family: 'write',
      timestamp: 6,
      meaning: { kind: 'write', startTs: 5, content: { kind: 'delete' } },
    },
    { ...common, family: 'rollback', timestamp: 4, meaning: { kind: 'rollback' } },
    { ...common, family: 'guard', timestamp: 3, meaning: { kind: 'guard', startTs: 2 } },
  ]
  const { shown } = await shownOf({ catalog, table }, cells)
  const facts = {
    kind: 'put',
    primary: { table: 'account', key: ['bob'], column: '0' },
    owner: 'ab'.repeat(16),
    lockedAt: '1970-01-01T00:00:01.000Z',
    isPrimary: false,
  }
  assert.deepEqual(shown.lock, [{ column: '0', timestamp: 7, ...facts }])
  // What the lock carries is not a row that can be decoded, and is shown all the same.
  assert.deepEqual(shown.data, [{ column: '0', timestamp: 7, inline: true, value: '/w==' }])
  assert.deepEqual(shown.write, [{ column: '0', timestamp: 6, kind: 'delete', startTimestamp: 5 }])
  assert.deepEqual(shown.rollback, [{ column: '0', timestamp: 4 }])
  assert.deepEqual(shown.guard, [{ column: '0', timestamp: 3 }])
  const standing = { row: rowKey, column: '0', lock, isPrimary: false, ownerIsDead: true }
  assert.deepEqual(standingLockOf(catalog, standing), {
    cell: { table: 'account', key: ['joe'], column: '0' },
    timestamp: 7,
    ...facts,
    ownerIsDead: true,
  })
})

test('the list of locks is empty when nobody commits', async (t) => {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY)')
  assert.deepEqual((await server.get('/v1/locks')).body, { locks: [], isComplete: true })
})

test('a long value is shown in pieces, whether it can be decoded or not', async () => {
  const { catalog, table } = await accounts()
  const value = new Uint8Array(1024 * 1024)
  const cell = { qualifier: '0', family: 'data', timestamp: 1, value, meaning: { kind: 'data' } }
  const cells = [cell] as unknown as InspectedCell[]
  const { shown, turns } = await shownOf({ catalog, table }, cells)
  assert.ok(turns > 16, `${turns}`)
  assert.equal(Buffer.from(shown.data[0].value, 'base64').length, value.length)
})

test('a row whose versions are too much for one answer is refused, and smaller ones are whole', async (t) => {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE doc (id INTEGER PRIMARY KEY, a TEXT)')
  const set = { sql: 'SET a = :a ON doc WHERE id = 1' }
  const texts = ['b', 'c'].map((unit) => unit.repeat(1_500_000))
  for (const a of texts) await server.rows(set.sql, { params: { a } })
  const path = '/v1/tables/doc/cells/1'
  const { body } = await server.get(path)
  assert.deepEqual(
    body.data.map((one: { row: { a: string } }) => one.row.a.charAt(0)),
    ['c', 'b'],
  )
  assert.equal(body.write.length, 2)
  // Each of them takes six bytes in JSON.
  const params = { a: '\u0001'.repeat(2_500_000) }
  for (let version = 0; version < 5; version += 1) await server.rows(set.sql, { params })
  const refused = await server.get(path)
  assert.deepEqual([refused.status, refused.body.limit], [413, 'answerBytesMax'])
})
