// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { MemoryCellStore } from '../../../storage/cells/memory/memory-cell-store.ts'
import { openGateway, openStorage, type Storage } from '../../../storage/storage.ts'
import { percolite } from '../../../test/cli/percolite.ts'
import { startTestServer, type TestServer } from '../../../test/server/test-server.ts'
import { testFolder } from '../../../test/test-folder.ts'

const DEFINED = [
  'CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER CHECK (balance >= 0), cap INTEGER)',
  "INSERT INTO account (id, balance, cap) VALUES ('bob', 5, 10)",
  'ALTER TABLE account RENAME COLUMN cap TO most',
  'ALTER TABLE account ADD CONSTRAINT below CHECK (balance <= most)',
]
const CREATED = 'SHOW CREATE TABLE account'

async function define(server: TestServer): Promise<void> {
  for (const sql of DEFINED) assert.equal((await server.query(sql)).status, 200, sql)
}

/** Both checks are there and refuse what they did, and the definition is `shown` in the same words. */
async function requireChecked(server: TestServer, shown: unknown): Promise<void> {
  assert.deepEqual(await server.rows(CREATED), shown)
  const { checks } = (await server.get('/v1/tables/account')).body
  assert.deepEqual(
    checks.map(({ name, state }: { name: string; state: string }) => [name, state]),
    [
      ['account_balance_check', 'ready'],
      ['below', 'ready'],
    ],
  )
  for (const [sql, name] of [
    ["SET balance = 11 ON account WHERE id = 'bob'", 'below'],
    ["SET most = 4 ON account WHERE id < 'c'", 'below'],
    ["INSERT INTO account (id, balance) VALUES ('ann', -1)", 'account_balance_check'],
  ] as const) {
    const { status, body } = await server.query(sql)
    assert.deepEqual([status, body.code, body.constraint], [409, 'check_failed', name], sql)
  }
  assert.deepEqual(await server.rows('SCAN * FROM account'), [{ id: 'bob', balance: 5, most: 10 }])
}

async function over(t: TestContext, storage: Storage): Promise<TestServer> {
  return await startTestServer(t, { deps: { storage } })
}

describe('the checks of a table', () => {
  test('move with it to another engine, and are kept there', async (t) => {
    const dataDirectory = await testFolder(t, 'checks')
    const storage = await openStorage({ engine: 'sqlite', dataDirectory })
    const server = await over(t, storage)
    await define(server)
    const shown = await server.rows(CREATED)
    const cells = new MemoryCellStore()
    await storage.moveTo(cells, { to: 'there', url: '', follow: false, compare: true })
    await requireChecked(await over(t, await openGateway(cells)), shown)
  })

  test('come back from a backup, and from a restart', async (t) => {
    const folder = await testFolder(t, 'checks')
    const [data, backup, restored] = ['data', 'backup', 'restored'].map((name) =>
      join(folder, name),
    )
    const open = async (dataDirectory = '') =>
      over(t, await openStorage({ engine: 'sqlite', dataDirectory }))
    const first = await open(data)
    await define(first)
    const shown = await first.rows(CREATED)
    await first.server.close()
    const args = ['backup', '--data', data as string, '--out', backup as string]
    assert.equal((await percolite(args)).code, 0)
    const back = await percolite(['restore', backup as string, '--data', restored as string])
    assert.equal(back.code, 0, back.errors)
    await requireChecked(await open(restored), shown)
    await requireChecked(await open(data), shown)
  })

  test('stand in the schema.sql of an export, and are made by its import', async (t) => {
    const [from, into] = [await startTestServer(t), await startTestServer(t)]
    await define(from)
    const out = join(await testFolder(t, 'checks'), 'out')
    const made = await percolite(['export', (await from.listen()).url, '--out', out])
    assert.equal(made.code, 0, made.errors)
    const schema = await readFile(join(out, 'schema.sql'), 'utf8')
    assert.match(schema, /CONSTRAINT account_balance_check CHECK \(balance >= 0\)/)
    assert.match(schema, /CONSTRAINT below CHECK \(balance <= most\)/)
    const taken = await percolite(['import', (await into.listen()).url, out])
    assert.equal(taken.code, 0, taken.errors)
    await requireChecked(into, await from.rows(CREATED))
  })
})

test('percolite import names each line that fails a CHECK in the file of errors, and takes the others', async (t) => {
  const server = await startTestServer(t)
  await define(server)
  const { url } = await server.listen()
  const folder = await testFolder(t, 'checks')
  const errorsFile = join(folder, 'errors.ndjson')
  const take = async (name: string, lines: readonly string[], ...flags: readonly string[]) => {
    const file = join(folder, name)
    await writeFile(file, lines.join('\n'))
    const told = ['--errors', errorsFile, '--max-errors', '5', ...flags]
    const { code, output } = await percolite(['import', url, file, '--table', 'account', ...told])
    const errors = (await readFile(errorsFile, 'utf8')).split('\n').filter(Boolean)
    return { code, output, errors: errors.map((line) => JSON.parse(line)) }
  }
  const about = ({
    line,
    row,
    error,
  }: {
    line: number
    row: unknown
    error: { code: string; constraint: string }
  }) => [line, row, error.code, error.constraint]

  const lines = [
    '{"id":"ann","balance":1,"most":2}',
    '{"id":"eve","balance":3,"most":2}',
    '{"id":"joe","balance":null,"most":-1}',
    '{"id":"kim","balance":-1}',
  ]
  const ndjson = await take('a.ndjson', lines)
  assert.equal(ndjson.code, 1)
  assert.match(ndjson.output, /^2 rows written, 2 refused/)
  assert.deepEqual(ndjson.errors.map(about).toSorted(), [
    [2, { id: 'eve', balance: 3, most: 2 }, 'check_failed', 'below'],
    [4, { id: 'kim', balance: -1 }, 'check_failed', 'account_balance_check'],
  ])
  const csv = await take('a.csv', ['id,balance,most', 'bob,11,10', 'zoe,1,1'], '--mode', 'put')
  assert.match(csv.output, /^1 rows written, 1 refused/)
  assert.deepEqual(
    csv.errors.map(({ line, error }) => [line, error.code]),
    [[2, 'check_failed']],
  )
  const balances = await server.rows('SCAN id, balance FROM account')
  assert.deepEqual(
    balances.map(({ id, balance }) => [id, balance]),
    [
      ['ann', 1],
      ['bob', 5],
      ['joe', null],
      ['zoe', 1],
    ],
  )
})
