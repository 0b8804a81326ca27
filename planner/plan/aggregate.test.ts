// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { planError, SqlSession } from '../../test/sql-session.ts'
import type { Measured } from './explain.ts'

let session: SqlSession
before(async () => {
  session = await SqlSession.open(
    `CREATE TABLE sale (shop TEXT, day INTEGER, id INTEGER, amount INTEGER, rate REAL, paid BOOLEAN,
       PRIMARY KEY (shop, day DESC, id))`,
    'CREATE INDEX byDay ON sale (day) STORING (amount)',
    'CREATE INDEX byAmount ON sale (amount)',
    `INSERT INTO sale (shop, day, id, amount, rate, paid) VALUES ('a', 1, 1, 10, 0.5, TRUE),
       ('a', 1, 2, NULL, 1.5, FALSE), ('a', 2, 1, 5, NULL, NULL), ('b', 1, 1, 7, 2.5, TRUE),
       ('b', 3, 1, NULL, NULL, FALSE)`,
  )
})
after(() => session.close())

test('aggregates pass over NULL, COUNT(*) does not', async () => {
  const text =
    'SCAN COUNT(*) AS n, COUNT(amount) AS c, SUM(amount) AS s, MIN(amount) AS lo, MAX(shop) AS hi, AVG(amount) AS mean, SUM(rate) AS r FROM sale'
  const { columns, rows } = await session.run(text)
  assert.deepEqual(
    columns.map(({ type }) => type),
    ['INTEGER', 'INTEGER', 'INTEGER', 'INTEGER', 'TEXT', 'REAL', 'REAL'],
  )
  assert.deepEqual(rows, [[5n, 3n, 22n, 5n, 'b', 22 / 3, 4.5]])
})

test('of no rows there is one group, unless GROUP BY asks for those that are there', async () => {
  const none = "FROM sale WHERE shop = 'nobody'"
  const all = await session.run(`SCAN COUNT(*), SUM(amount), AVG(rate), MIN(paid) ${none}`)
  assert.deepEqual(all.rows, [[0n, null, null, null]])
  assert.deepEqual((await session.run(`SCAN shop, COUNT(*) ${none} GROUP BY shop`)).rows, [])
  const nulls = await session.run(
    "SCAN SUM(amount), COUNT(amount) FROM sale WHERE shop = 'b' AND day = 3",
  )
  assert.deepEqual(nulls.rows, [[null, 0n]])
})

test('expressions combine aggregates with columns of the group', async () => {
  const text =
    "SCAN shop || '!' AS shop, day, coalesce(SUM(amount), 0) + COUNT(*) * 100 AS x FROM sale GROUP BY shop, day"
  assert.deepEqual((await session.run(text)).rows, [
    ['a!', 2n, 105n],
    ['a!', 1n, 210n],
    ['b!', 3n, 100n],
    ['b!', 1n, 107n],
  ])
})

test('groups come in the order of the key, or against it, and LIMIT counts them', async () => {
  const rows = async (text: string) => (await session.run(text)).rows
  const text = 'SCAN day, SUM(amount) FROM sale GROUP BY day'
  assert.deepEqual(await rows(text), [
    [1n, 17n],
    [2n, 5n],
    [3n, null],
  ])
  assert.deepEqual(await rows(`${text} ORDER BY day DESC LIMIT 1`), [[3n, null]])
  assert.deepEqual(await rows("SCAN day, COUNT(*) FROM sale WHERE shop = 'a' GROUP BY day"), [
    [2n, 1n],
    [1n, 2n],
  ])
})

test('pages of groups of any size are the whole answer, and no group is cut', async () => {
  const text = 'SCAN shop, day, COUNT(*), SUM(amount) FROM sale GROUP BY day, shop'
  const whole = (await session.run(text)).rows
  for (let size = 1; size <= whole.length + 1; size += 1) {
    const pages = await Array.fromAsync(session.pages(text, size), ({ rows }) => rows)
    for (const page of pages) assert.ok(page.length > 0 && page.length <= size)
    assert.deepEqual(pages.flat(), whole)
  }
})

test('the least and the greatest of a key end the walk where they stand', async () => {
  const measured = async (text: string) => {
    const plan = (await session.run(`EXPLAIN ANALYZE ${text}`)).rows[0]?.[1] as string
    const { entriesRead, rowsRead } = JSON.parse(plan).measured as Required<Measured>
    return entriesRead + rowsRead
  }
  const texts: ReadonlyArray<readonly [string, unknown, number]> = [
    ["SCAN MAX(day) FROM sale WHERE shop = 'a'", 2n, 1],
    ["SCAN MIN(day) FROM sale WHERE shop = 'b'", 1n, 1],
    ['SCAN MAX(day) + 1 FROM sale USE INDEX byDay', 4n, 1],
    ['SCAN MIN(day) FROM sale USE INDEX byDay', 1n, 1],
    ["SCAN MIN(day) FROM sale WHERE shop = 'a' AND amount > 5", 1n, 2],
    ['SCAN MIN(amount) FROM sale USE INDEX byAmount', 5n, 3],
    ['SCAN MAX(amount) FROM sale USE INDEX byAmount', 10n, 1],
    ['SCAN MIN(day), MAX(day) FROM sale', 1n, 5],
  ]
  for (const [text, value, read] of texts) {
    assert.deepEqual((await session.run(text)).rows[0]?.[0], value, text)
    assert.equal(await measured(text), read, text)
  }
})

test('a sum beyond 64 bits is an error, but only where it ends there; a mean has no such bound', async () => {
  await session.run('CREATE TABLE big (id INTEGER PRIMARY KEY, n INTEGER)')
  const max = '9223372036854775807'
  await session.run(`INSERT INTO big (id, n) VALUES (1, ${max}), (2, 1), (3, -1)`)
  assert.deepEqual((await session.run('SCAN SUM(n) FROM big')).rows, [[BigInt(max)]])
  const two = 'SCAN AVG(n), SUM(n) FROM big WHERE id < 3'
  await assert.rejects(session.run(two), planError('out_of_range', { column: 14 }))
  const mean = await session.run('SCAN AVG(n) FROM big WHERE id < 3')
  assert.deepEqual(mean.rows, [[Number(2n ** 63n) / 2]])
})

test('what has no meaning in a group is refused where it stands', async () => {
  const refused: ReadonlyArray<readonly [string, string, number]> = [
    ['SCAN shop, COUNT(*) FROM sale', 'invalid_request', 6],
    ['SCAN amount, COUNT(*) FROM sale GROUP BY shop', 'invalid_request', 6],
    ['SCAN * FROM sale GROUP BY shop', 'invalid_request', 1],
    ['SCAN COUNT(*) FROM sale GROUP BY paid ORDER BY paid', 'invalid_request', 48],
    ['SCAN COUNT(*) FROM sale GROUP BY 1', 'invalid_request', 34],
    ['SCAN DISTINCT shop FROM sale GROUP BY shop', 'invalid_request', 39],
    ['SCAN DISTINCT shop FROM sale ORDER BY day LIMIT 1', 'invalid_request', 39],
    ['SCAN shop FROM sale GROUP BY shop HAVING day > 1', 'invalid_request', 42],
    ['SCAN shop FROM sale GROUP BY shop HAVING COUNT(*)', 'type_mismatch', 42],
    ['SCAN COUNT(*) FILTER (WHERE day) FROM sale', 'type_mismatch', 29],
    ['SCAN COUNT(*) FROM sale GROUP BY nosuch', 'unknown_column', 34],
    ['SCAN shop, COUNT(*) FROM sale GROUP BY shop ORDER BY day', 'invalid_request', 54],
    ['SCAN COUNT(*) FROM sale ORDER BY shop', 'invalid_request', 34],
    ['SCAN SUM(shop) FROM sale', 'type_mismatch', 6],
    ['SCAN AVG(paid) FROM sale', 'type_mismatch', 6],
  ]
  for (const [text, code, column] of refused) {
    await assert.rejects(session.run(text), planError(code, { column }), text)
  }
})

test('REALs are summed where a sum on the way is too large, and the answer is not', async () => {
  const large = await SqlSession.open(
    'CREATE TABLE star (id INTEGER PRIMARY KEY, mass REAL)',
    'INSERT INTO star (id, mass) VALUES (1, 1e308), (2, 1e308), (3, -1e308)',
  )
  const text = 'SCAN SUM(mass), AVG(mass) FROM star'
  assert.deepEqual((await large.run(text)).rows, [[1e308, 1e308 / 3]])
  const two = 'FROM star WHERE id < 3'
  assert.deepEqual((await large.run(`SCAN AVG(mass) ${two}`)).rows, [[1e308]])
  await assert.rejects(large.run(`SCAN SUM(mass) ${two}`), planError('out_of_range', { column: 6 }))
  await large.close()
})
