// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { MemoryCellStore } from '../../../storage/cells/memory/memory-cell-store.ts'
import { restoreBackup } from '../../../storage/operations/operations.ts'
import { openGateway, openStorage } from '../../../storage/storage.ts'
import { percolite } from '../../../test/cli/percolite.ts'
import { startTestServer, type TestServer } from '../../../test/server/test-server.ts'
import { testFolder } from '../../../test/test-folder.ts'

const ALWAYS = 'CREATE TABLE t (id INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY, a TEXT UNIQUE)'
const BY_DEFAULT = ALWAYS.replace('ALWAYS', 'BY DEFAULT')
const ROWS = '/v1/tables/t/rows'

const inserted = async (server: TestServer, a: string): Promise<number> =>
  (await server.rows(`INSERT INTO t (a) VALUES ('${a}') RETURNING id`))[0].id

describe('an identity column', () => {
  test('has the next number where an INSERT leaves it out, by whichever way that comes', async (t) => {
    const server = await startTestServer(t)
    await server.rows(ALWAYS)
    const sql = "INSERT INTO t (a) VALUES ('a'), ('b') RETURNING *"
    assert.deepEqual(await server.rows(sql), [
      { id: 1, a: 'a' },
      { id: 2, a: 'b' },
    ])
    const one = await server.post(ROWS, { a: 'c' })
    assert.deepEqual([one.body, one.headers.location], [{ id: 3, a: 'c' }, `${ROWS}/3`])
    const { body } = await server.post(ROWS, [{ a: 'd' }, {}])
    assert.deepEqual(body, [
      { id: 4, a: 'd' },
      { id: 5, a: null },
    ])
    const upsert =
      "INSERT INTO t (a) VALUES ('a') ON CONFLICT (a) DO UPDATE SET a = 'z' RETURNING *"
    assert.deepEqual(await server.rows(upsert), [{ id: 1, a: 'z' }])
  })

  test('that is no key has a number in a row that a SET makes', async (t) => {
    const server = await startTestServer(t)
    const column = 'n INTEGER GENERATED ALWAYS AS IDENTITY (START WITH -1)'
    await server.rows(`CREATE TABLE t (id TEXT PRIMARY KEY, ${column}, a TEXT)`)
    const set = "SET a = 'x' ON t WHERE id = 'bob' RETURNING n"
    assert.deepEqual(await server.rows(set), [{ n: -1 }])
    assert.deepEqual(await server.rows(set), [{ n: -1 }])
    assert.deepEqual(await server.rows(set.replace('bob', 'joe')), [{ n: 0 }])
    for (const sql of [
      "SET n = 7 ON t WHERE id = 'bob'",
      "SET n = 7 ON t WHERE id < 'c'",
      "INSERT INTO t (id) VALUES ('bob') ON CONFLICT DO UPDATE SET n = 7",
      "INSERT INTO t (id, n) VALUES ('sue', 7)",
    ]) {
      const { body } = await server.query(sql)
      assert.deepEqual([body.code, body.columnName], ['invalid_request', 'n'], sql)
    }
  })

  test('GENERATED ALWAYS takes no other value, unless it is said to', async (t) => {
    const server = await startTestServer(t)
    await server.rows(ALWAYS)
    for (const { status, body } of [
      await server.query("INSERT INTO t (id, a) VALUES (7, 'x')"),
      await server.post(ROWS, { id: 7 }),
      await server.post(ROWS, [{ id: 7 }]),
      await server.send({ method: 'PUT', path: `${ROWS}/7`, json: { a: 'x' } }),
    ]) {
      assert.deepEqual([status, body.code], [400, 'invalid_request'])
      assert.match(body.hint, /OVERRIDING SYSTEM VALUE/)
    }
    const made = await server.query("SET a = 'x' ON t WHERE id = 7")
    assert.equal(made.body.code, 'row_not_found')
    await server.rows("INSERT INTO t (id, a) OVERRIDING SYSTEM VALUE VALUES (7, 'x')")
    const query = '?overriding=system'
    assert.equal((await server.post(`${ROWS}${query}`, { id: 8 })).status, 201)
    assert.equal((await server.post(`${ROWS}${query}`, [{ id: 9 }])).status, 201)
    const put = { method: 'PUT', path: `${ROWS}/9`, json: { a: 'nine' } } as const
    assert.deepEqual((await server.send(put)).body, { id: 9, a: 'nine' })
    await server.rows("SET a = 'seven' ON t WHERE id = 7")
  })

  test('a row that is put again keeps its number, and what GET answered can be put back', async (t) => {
    for (const kind of ['ALWAYS', 'BY DEFAULT']) {
      const server = await startTestServer(t)
      const column = `n INTEGER GENERATED ${kind} AS IDENTITY`
      await server.rows(`CREATE TABLE t (id TEXT PRIMARY KEY, a TEXT, ${column})`)
      await server.rows("INSERT INTO t (id, a) VALUES ('x', 'one'), ('y', 'two'), ('z', 'three')")
      const { body: before } = await server.get(`${ROWS}/y`)
      assert.deepEqual(before, { id: 'y', a: 'two', n: 2 })
      const put = (json: unknown) => server.send({ method: 'PUT', path: `${ROWS}/y`, json })
      for (const json of [before, { a: 'two' }]) {
        const { status, body } = await put(json)
        assert.deepEqual([status, body], [200, before])
      }
      const several = await server.post(`${ROWS}?mode=put`, [
        ...[{ id: 'new', a: 'four' }, { id: 'x', a: 'five' }, before],
        ...[{ id: 'z', a: 'three', n: '3' }, { id: 'newer' }],
      ])
      assert.equal(several.status, 201, several.text)
      const numbers = several.body.map(({ id, n }: { id: string; n: number }) => [id, n])
      const made = numbers.filter(([id]: [string]) => id.startsWith('new'))
      assert.deepEqual(numbers.slice(1, 4), [
        ['x', 1],
        ['y', 2],
        ['z', 3],
      ])
      assert.ok(
        made.every(([, n]: [string, number]) => n > 3),
        JSON.stringify(numbers),
      )
      const other = await put({ a: 'two', n: 77 })
      assert.equal(other.status, kind === 'ALWAYS' ? 400 : 200, other.text)
      assert.equal((await server.get(`${ROWS}/y`)).body.n, kind === 'ALWAYS' ? 2 : 77)
    }
  })

  test('a row whose key is GENERATED ALWAYS can be put again, alone and among several', async (t) => {
    const server = await startTestServer(t)
    await server.rows(ALWAYS)
    await server.rows("INSERT INTO t (a) VALUES ('x')")
    const { body: row } = await server.get(`${ROWS}/1`)
    assert.equal((await server.post(`${ROWS}?mode=put`, [row])).status, 201)
    assert.deepEqual((await server.get(`${ROWS}/1`)).body, row)
    assert.equal((await server.post(`${ROWS}?mode=put`, [row, { id: 5 }])).status, 400)
  })

  test('all numbers taken is what SHOW CREATE TABLE says, and it runs', async (t) => {
    const server = await startTestServer(t)
    await server.rows(ALWAYS)
    await server.rows(`ALTER TABLE t ALTER COLUMN id RESTART WITH ${2n ** 63n - 1n}`)
    await server.rows("INSERT INTO t (a) VALUES ('last')")
    const [{ statement }] = await server.rows('SHOW CREATE TABLE t')
    assert.match(statement, /START WITH 9223372036854775808\)/)
    await server.rows('DROP TABLE t')
    await server.rows(statement)
    assert.equal((await server.query("INSERT INTO t (a) VALUES ('x')")).body.code, 'out_of_range')
    const beyond = await server.query(
      `ALTER TABLE t ALTER COLUMN id RESTART WITH ${2n ** 63n + 1n}`,
    )
    assert.equal(beyond.body.code, 'out_of_range')
  })

  test('BY DEFAULT takes another value, which moves no counter, and RESTART goes on above it', async (t) => {
    const server = await startTestServer(t)
    await server.rows(BY_DEFAULT)
    await server.rows("INSERT INTO t (id, a) VALUES (1, 'x'), (2, 'y')")
    const { body } = await server.query("INSERT INTO t (a) VALUES ('z')")
    assert.deepEqual([body.code, body.key], ['already_exists', [1]])
    assert.match(body.hint, /ALTER TABLE t ALTER COLUMN id RESTART WITH n/)
    await server.rows('ALTER TABLE t ALTER COLUMN id RESTART WITH 3')
    assert.equal(await inserted(server, 'z'), 3)
  })

  test('does not give a number again that was rolled back', async (t) => {
    const server = await startTestServer(t)
    await server.rows(ALWAYS)
    await server.query("BEGIN; INSERT INTO t (a) VALUES ('x'); ROLLBACK")
    assert.equal(await inserted(server, 'x'), 2)
  })

  test('is restarted for those that are in the middle of it, too', async (t) => {
    const server = await startTestServer(t)
    await server.rows(ALWAYS)
    const transaction = await server.begin()
    await server.rows("INSERT INTO t (a) VALUES ('x')", { transaction })
    await server.rows('ALTER TABLE t ALTER COLUMN id RESTART WITH 1')
    const { body } = await server.post(`/v1/transactions/${transaction}/commit`)
    assert.equal(body.code, 'schema_changed')
    assert.equal(await inserted(server, 'x'), 1)
  })

  test('starts again with its table, and is shown with the number that is next', async (t) => {
    const server = await startTestServer(t)
    await server.rows(ALWAYS)
    await inserted(server, 'x')
    const [shown] = await server.rows('SHOW CREATE TABLE t')
    assert.match(shown.statement, /id INTEGER GENERATED ALWAYS AS IDENTITY \(START WITH 33\),/)
    await server.rows('DROP TABLE t')
    await server.rows(shown.statement)
    assert.deepEqual((await server.rows('SHOW CREATE TABLE t'))[0], shown)
    await server.rows('DROP TABLE t')
    await server.rows(ALWAYS)
    assert.equal(await inserted(server, 'x'), 1)
    const [described] = await server.rows('DESCRIBE t')
    assert.equal(described.default, 'GENERATED ALWAYS AS IDENTITY')
    const { body } = await server.get('/v1/tables/t')
    assert.deepEqual(body.columns[0].default, { identity: 'always' })
    const [explained] = await server.rows("EXPLAIN INSERT INTO t (a) VALUES ('y')")
    assert.match(explained.text, /adds 1 row with the next id/)
  })
})

describe('an identity column is refused', () => {
  const refused: ReadonlyArray<readonly [string, string, RegExp]> = [
    [
      'of another type',
      'CREATE TABLE n (id TEXT GENERATED ALWAYS AS IDENTITY PRIMARY KEY)',
      /INTEGER/,
    ],
    [
      'beside another one',
      'CREATE TABLE n (id INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY, m INTEGER GENERATED ALWAYS AS IDENTITY)',
      /at most one/,
    ],
    [
      'with a default',
      'CREATE TABLE n (id INTEGER DEFAULT 1 GENERATED ALWAYS AS IDENTITY PRIMARY KEY)',
      /source of values/,
    ],
    [
      'in a table that is there',
      'ALTER TABLE t ADD COLUMN n INTEGER GENERATED ALWAYS AS IDENTITY',
      /rows/,
    ],
    [
      'with a counter of more than 64 bits',
      'ALTER TABLE t ALTER COLUMN id RESTART WITH 9223372036854775809',
      /./,
    ],
    ['a restart where it is none', 'ALTER TABLE t ALTER COLUMN a RESTART WITH 1', /not GENERATED/],
    ['another default', 'ALTER TABLE t ALTER COLUMN id SET DEFAULT 1', /RESTART WITH/],
  ]
  for (const [what, sql, detail] of refused) {
    test(what, async (t) => {
      const server = await startTestServer(t)
      await server.rows(ALWAYS)
      const { status, body } = await server.query(sql)
      assert.equal(status, 400, sql)
      assert.match(body.detail, detail)
    })
  }
})

describe('no number is handed out twice', () => {
  test('by two gateways to which many insert at the same time', async (t) => {
    const store = new MemoryCellStore()
    const one = await startTestServer(t, { deps: { storage: await openGateway(store) } })
    const other = await startTestServer(t, { deps: { storage: await openGateway(store) } })
    await one.rows(ALWAYS)
    const clients = [one, other, one, other].map(async (server, client) => {
      for (let at = 0; at < 60; at++) await inserted(server, `${client} ${at}`)
    })
    await Promise.all(clients)
    const [counted] = await one.rows('SCAN COUNT(*) AS n, COUNT(DISTINCT id) AS ids FROM t')
    assert.deepEqual(counted, { n: 240, ids: 240 })
  })

  test('by a server that was started again, nor by one of a backup', async (t) => {
    const folder = await testFolder(t, 'identity')
    const data = join(folder, 'data')
    const first = await openStorage({ engine: 'sqlite', dataDirectory: data })
    const server = await startTestServer(t, { deps: { storage: first } })
    await server.rows(ALWAYS)
    const before = await inserted(server, 'before')
    await first.backUp({ folder: join(folder, 'backup'), check: true, percolite: 'test' })
    await server.server.close()
    const again = await openStorage({ engine: 'sqlite', dataDirectory: data })
    const restarted = await startTestServer(t, { deps: { storage: again } })
    assert.ok((await inserted(restarted, 'again')) > before)
    await restoreBackup(join(folder, 'backup'), join(folder, 'restored'), { check: true })
    const copy = await openStorage({ engine: 'sqlite', dataDirectory: join(folder, 'restored') })
    const restored = await startTestServer(t, { deps: { storage: copy } })
    assert.ok((await inserted(restored, 'copy')) > before)
  })

  for (const definition of [ALWAYS, BY_DEFAULT]) {
    const kind = definition === ALWAYS ? 'ALWAYS' : 'BY DEFAULT'
    test(`after an export and an import of what is GENERATED ${kind}`, async (t) => {
      const server = await startTestServer(t)
      await server.rows(definition)
      await server.rows("INSERT INTO t (a) VALUES ('a'), ('b')")
      const out = join(await testFolder(t, 'export'), 'out')
      const target = await startTestServer(t)
      const exported = await percolite(['export', (await server.listen()).url, '--out', out])
      assert.equal(exported.code, 0, exported.errors)
      const imported = await percolite(['import', (await target.listen()).url, out])
      assert.equal(imported.code, 0, imported.errors)
      assert.deepEqual(await target.rows('SCAN * FROM t'), await server.rows('SCAN * FROM t'))
      assert.deepEqual(
        await target.rows('SHOW CREATE TABLE t'),
        await server.rows('SHOW CREATE TABLE t'),
      )
      assert.equal(await inserted(target, 'c'), 33)
    })
  }
})
