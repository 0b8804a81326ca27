// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { afterEach, beforeEach } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { ObserverDefinition } from '../../storage/tables/tables.ts'
import { planError, SqlSession } from '../../test/sql-session.ts'

let session: SqlSession
beforeEach(async () => {
  session = await SqlSession.open(
    'CREATE TABLE page (url TEXT PRIMARY KEY, body TEXT, "per cent" INTEGER)',
    'CREATE TABLE broker (id INTEGER PRIMARY KEY, sum INTEGER)',
  )
})
afterEach(() => session.close())

async function observer(name: string): Promise<ObserverDefinition | undefined> {
  return (await session.catalog()).observer(name)?.observer
}

test('SHOW OBSERVERS tells of every observer of the store, by table', async () => {
  await session.run('CREATE OBSERVER invert ON page ("per cent", body)')
  await session.run('CREATE WEAK OBSERVER fold ON broker (sum)')
  await session.run('CREATE OBSERVER IF NOT EXISTS invert ON broker (id)')
  await session.run('ALTER OBSERVER fold PAUSE')
  await session.run('CREATE TABLE lot (id INTEGER PRIMARY KEY, ends TIMESTAMP)')
  await session.run('CREATE OBSERVER close ON lot (ends) DUE ends')
  const { columns, rows } = await session.run('SHOW OBSERVERS')
  assert.deepEqual(
    columns.map(({ name }) => name),
    ['name', 'table', 'weak', 'columns', 'due', 'state', 'backfilled'],
  )
  assert.deepEqual(
    rows.map((row) => row.slice(0, 6)),
    [
      ['fold', 'broker', true, 'sum', null, 'paused'],
      ['close', 'lot', false, 'ends', 'ends', 'active'],
      ['invert', 'page', false, 'body, "per cent"', null, 'active'],
    ],
  )
  assert.equal(rows[0]?.[6], true)
  await session.run('ALTER OBSERVER fold RESUME')
  assert.equal((await observer('fold'))?.state, 'active')
  await session.run(
    'DROP OBSERVER invert; DROP OBSERVER IF EXISTS invert; DROP OBSERVER fold; DROP TABLE lot',
  )
  assert.deepEqual((await session.run('SHOW OBSERVERS')).rows, [])
})

test('REPLAY FROM takes a stamp, an ISO time, or a parameter that is one', async () => {
  await session.run('CREATE OBSERVER invert ON page (body)')
  const replayed = async (from: string, parameters = {}) => {
    await session.run(`ALTER OBSERVER invert REPLAY FROM ${from}`, parameters)
    return (await observer('invert'))?.replayFrom
  }
  // Each goes further back than the one before, whose backfill may not have ended; that of CREATE OBSERVER
  // would go back the furthest.
  while ((await observer('invert'))?.isBackfilled === false) await setTimeout(1)
  assert.equal(await replayed(':since', { since: '1769860800000002' }), 1769860800000002)
  assert.equal(await replayed(':since', { since: 1769860800000001 }), 1769860800000001)
  assert.equal(await replayed("'2026-01-31T12:00:00Z'"), 1769860800000000)
  assert.equal(await replayed('1769860799999999'), 1769860799999999)
})

test('an observer that cannot be is refused where its mistake stands', async () => {
  await session.run('CREATE OBSERVER invert ON page (body)')
  await session.run('CREATE WEAK OBSERVER fold ON broker (sum)')
  const refused: ReadonlyArray<readonly [string, string, number]> = [
    ['CREATE OBSERVER invert ON broker (sum)', 'already_exists', 17],
    ['CREATE OBSERVER IF NOT EXISTS Invert ON broker (sum)', 'already_exists', 31],
    ['CREATE OBSERVER o ON nosuch (a)', 'unknown_table', 22],
    ['CREATE OBSERVER o ON page (body, nosuch)', 'unknown_column', 34],
    ['CREATE OBSERVER o ON page (body, body)', 'invalid_request', 34],
    ['DROP OBSERVER nosuch', 'unknown_observer', 15],
    ['ALTER OBSERVER nosuch PAUSE', 'unknown_observer', 16],
    ['ALTER OBSERVER fold REPLAY FROM 1', 'invalid_request', 16],
    ["ALTER OBSERVER invert REPLAY FROM 'soon'", 'type_mismatch', 35],
    ['ALTER OBSERVER invert REPLAY FROM 9007199254740992', 'out_of_range', 35],
    ['ALTER OBSERVER invert REPLAY FROM :since', 'invalid_request', 35],
    ['ALTER TABLE page DROP COLUMN body', 'invalid_request', 30],
  ]
  for (const [text, code, column] of refused) {
    await assert.rejects(session.run(text), planError(code, { column }), text)
  }
  await assert.rejects(session.run('ALTER OBSERVER invert REPLAY FROM 9007199254740991'), {
    code: 'timestamp_in_future',
  })
})

test('NOTIFY tells a weak observer of one row, which need not exist, and writes no row', async () => {
  await session.run('CREATE OBSERVER invert ON page (body)')
  await session.run('CREATE WEAK OBSERVER fold ON broker (sum)')
  const told = await session.run('NOTIFY fold ON broker WHERE id = :id', { id: 7 })
  assert.deepEqual(told, { columns: [], rows: [], rowsAffected: 0 })
  assert.deepEqual(await session.rows('SCAN * FROM broker'), [])
  const refused: ReadonlyArray<readonly [string, string, number]> = [
    ["NOTIFY invert ON page WHERE url = 'a'", 'invalid_request', 8],
    ['NOTIFY fold ON nosuch WHERE id = 1', 'unknown_table', 16],
    ['NOTIFY fold ON page WHERE id = 1', 'unknown_observer', 8],
    ['NOTIFY fold ON broker WHERE id > 1', 'invalid_request', 29],
    ['NOTIFY fold ON broker WHERE id = NULL', 'not_null_violation', 29],
  ]
  for (const [text, code, column] of refused) {
    await assert.rejects(session.run(text), planError(code, { column }), text)
  }
})
