// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { StorageError } from '../../storage/storage.ts'
import { planError, SqlSession } from '../../test/sql-session.ts'
import type { Explanation, Measured } from '../plan/explain.ts'
import type { PlanError } from '../plan-error.ts'

let session: SqlSession
before(async () => {
  session = await SqlSession.open(
    `CREATE TABLE trade (id INTEGER PRIMARY KEY, customer TEXT, time INTEGER, price REAL, note TEXT,
       FAMILY notes (note))`,
    'CREATE INDEX byCustomer ON trade (customer, time DESC)',
    'CREATE UNIQUE INDEX byTime ON trade (time) STORING (price)',
  )
  const values = Array.from({ length: 1_500 }, (_, id) => {
    const time = id % 10 === 0 ? 'NULL' : id
    return `(${id}, '${'abc'[id % 3]}', ${time}, ${id}.5, 'note ${id}')`
  })
  const columns = '(id, customer, time, price, note)'
  await session.run(`INSERT INTO trade ${columns} VALUES ${values.join(', ')}`)
})
after(() => session.close())

const explain = async (text: string): Promise<Explanation> =>
  JSON.parse((await session.run(`EXPLAIN ${text}`)).rows[0]?.[1] as string)
const measure = async (text: string): Promise<Measured> =>
  JSON.parse((await session.run(`EXPLAIN ANALYZE ${text}`)).rows[0]?.[1] as string).measured
const first = async (text: string): Promise<unknown[]> =>
  (await session.run(text)).rows.map(([value]) => value)

test('rows behind an index are read by multi-gets, never one by one', async () => {
  const measured = await measure("SCAN note FROM trade WHERE customer = 'a'")
  assert.deepEqual(measured, {
    rowsRead: 500,
    entriesRead: 500,
    cellsRead: 1_000,
    roundTrips: 3,
    rowsReturned: 500,
    rowsAffected: 0,
  })
})

test('a covering index never touches a row, and what its entries tell is filtered first', async () => {
  const covering = await measure("SCAN id, time FROM trade WHERE customer = 'a' AND id < 30")
  assert.deepEqual([covering.rowsRead, covering.entriesRead, covering.rowsReturned], [0, 500, 10])
  const filtered = "SCAN note FROM trade WHERE customer = 'a' AND id < 30 AND price > 4"
  const { entryFilter, filter } = await explain(filtered)
  assert.deepEqual(
    [entryFilter, filter, (await explain(filtered)).covering],
    [['id < 30'], ['price > 4'], false],
  )
  assert.equal((await measure(filtered)).rowsRead, 10)
})

test('the primary key behind the columns of an index bounds it, but not behind unique ones', async () => {
  const text = "SCAN note FROM trade WHERE customer = 'a' AND time = 3 AND id > 2"
  const hinted = text.replace('WHERE', 'USE INDEX byCustomer WHERE')
  const { bounds, entryFilter } = await explain(hinted)
  assert.deepEqual([bounds, entryFilter], [["customer = 'a'", 'time = 3', 'id > 2'], []])
  assert.deepEqual(await first(hinted), ['note 3'])
  const nulls = "SCAN id FROM trade WHERE customer = 'a' AND time IS NULL"
  for (const condition of ['id = 30', 'id IN (30, 31, 60)', 'id >= 1470', 'id < 31', 'id = 0']) {
    const by = (key: string) => `${nulls.replace('WHERE', `USE ${key} WHERE`)} AND ${condition}`
    const walked = await first(by('PRIMARY KEY'))
    assert.deepEqual(await first(by('INDEX byCustomer')), walked)
    const { entriesRead } = await measure(by('INDEX byCustomer'))
    assert.equal(entriesRead, walked.length)
  }
  const unique = await explain('SCAN id FROM trade USE INDEX byTime WHERE time IS NULL AND id > 5')
  assert.deepEqual([unique.bounds, unique.entryFilter], [['time IS NULL'], ['id > 5']])
})

test('a comparison with a text that no key can hold finds what it says, and does not fail', async () => {
  const long = await SqlSession.open(
    'CREATE TABLE page (path TEXT PRIMARY KEY, title TEXT, mark TEXT)',
    'CREATE INDEX byTitle ON page (title DESC)',
    'CREATE UNIQUE INDEX byMark ON page (mark)',
    "INSERT INTO page (path, title, mark) VALUES ('a', 'a', 'a'), ('y', 'y', 'y')",
  )
  const text = `b${'x'.repeat(5_000)}`
  for (const column of ['path', 'title', 'mark']) {
    const found = async (condition: string) =>
      (await long.run(`SCAN path FROM page WHERE ${column} ${condition}`, { text })).rows.flat()
    assert.deepEqual(await found('= :text'), [])
    assert.deepEqual(await found("IN (:text, 'y')"), ['y'])
    assert.deepEqual(await found('< :text'), ['a'])
    assert.deepEqual(await found('<= :text'), ['a'])
    assert.deepEqual(await found('> :text'), ['y'])
    assert.deepEqual(await found('>= :text'), ['y'])
    assert.deepEqual(await found('LIKE :text'), [])
    assert.deepEqual((await found("BETWEEN 'a' AND :text")).length, 1)
  }
  for (const column of ['path', 'mark']) {
    assert.deepEqual((await long.run(`GET * FROM page WHERE ${column} = :text`, { text })).rows, [])
  }
  assert.equal((await long.run('DELETE FROM page WHERE path = :text', { text })).rowsAffected, 0)
  await assert.rejects(
    long.run("SET title = '' ON page WHERE path = :text", { text }),
    (error) => error instanceof StorageError && error.code === 'limit_exceeded',
  )
  await long.close()
})

test('thousands of ranges without a row leave the rest of the process its turns', async () => {
  const list = Array.from({ length: 5_000 }, (_, place) => `nobody ${place}`)
  const transaction = await session.storage.begin({ readOnly: true })
  const catalog = await session.storage.catalog(transaction)
  const stopped = new AbortController()
  setImmediate(() => stopped.abort(new Error('enough')))
  const text = 'SCAN id FROM trade USE INDEX byCustomer WHERE customer IN :list'
  const options = { parameters: { list }, signal: stopped.signal }
  await assert.rejects(session.runIn(transaction, catalog, text, options), /enough/)
  transaction.rollback()
})

test('only the families that a statement names are read', async () => {
  const read = async (columns: string) =>
    (await measure(`GET ${columns} FROM trade WHERE id IN (1, 2, 3)`)).cellsRead
  assert.deepEqual([await read('price'), await read('note'), await read('*')], [3, 3, 6])
  assert.equal((await measure('SCAN note FROM trade WHERE id < 10')).cellsRead, 10)
})

test('GET by a unique index takes two round trips, and answers in the order asked', async () => {
  const text = 'GET id, note FROM trade WHERE time IN (7, 3, 10, 9999, 3)'
  assert.deepEqual(await first(text), [7n, 3n])
  const { rule, key } = await explain(text)
  assert.deepEqual([rule, key], ['full unique index', 'UNIQUE INDEX byTime (time)'])
  const { roundTrips, entriesRead, rowsRead } = await measure(text)
  assert.deepEqual([roundTrips, entriesRead, rowsRead], [2, 2, 2])
  assert.equal((await measure('GET price FROM trade WHERE time = 7')).rowsRead, 0)
})

test('GET … FOR UPDATE by a unique index conflicts with whoever takes its values', async () => {
  for (const time of [10_001, 1]) {
    const reader = await session.storage.begin()
    const catalog = await session.storage.catalog(reader)
    const text = `GET * FROM trade WHERE time = ${time} FOR UPDATE`
    await session.runIn(reader, catalog, text)
    await session.runIn(reader, catalog, 'SET price = 0 ON trade WHERE id = 5')
    const change = time === 1 ? 'price = 1.5' : `time = ${time}`
    await session.run(`SET ${change} ON trade WHERE id = 1`)
    await assert.rejects(
      reader.commit(),
      (error) => error instanceof StorageError && error.code === 'write_conflict',
    )
    await session.run('SET time = 1 ON trade WHERE id = 1')
  }
  await session.run('SET price = 5.5 ON trade WHERE id = 5')
})

test('NULL sorts first ascending, is less than nothing, and is found by IS NULL', async () => {
  assert.deepEqual(await first('SCAN time FROM trade ORDER BY time LIMIT 2'), [null, null])
  assert.deepEqual(await first('SCAN time FROM trade WHERE time < 4'), [1n, 2n, 3n])
  assert.equal((await first('SCAN id FROM trade WHERE time IS NULL')).length, 150)
  const descending = "SCAN time FROM trade WHERE customer = 'a' AND time < 7"
  assert.equal((await explain(descending)).key, 'INDEX byCustomer (customer, time DESC)')
  assert.deepEqual(await first(descending), [6n, 3n])
})

test('the longest = prefix wins, then a range, then the ORDER BY, then covering, then the primary key', async () => {
  const keys: ReadonlyArray<readonly [string, string]> = [
    ["SCAN * FROM trade WHERE customer = 'a' AND id > 5", 'INDEX byCustomer'],
    ["SCAN * FROM trade WHERE customer = 'a' AND time > 5", 'INDEX byCustomer'],
    ["SCAN * FROM trade WHERE customer > 'a' AND time > 5 ORDER BY time", 'UNIQUE INDEX byTime'],
    ['SCAN id, time FROM trade WHERE id > 5 AND time > 5', 'PRIMARY KEY'],
    ["SCAN customer FROM trade WHERE customer > 'a' AND time > 5", 'INDEX byCustomer'],
    ['SCAN time FROM trade', 'PRIMARY KEY'],
    ['SCAN id FROM trade ORDER BY customer, time DESC, id', 'INDEX byCustomer'],
    ['SCAN id FROM trade WHERE id = 5 AND time = 5', 'PRIMARY KEY'],
    ["SCAN id FROM trade WHERE customer = 'a' AND time = 5", 'UNIQUE INDEX byTime'],
  ]
  for (const [text, key] of keys) {
    assert.ok((await explain(text)).key.startsWith(key), `${text}: ${(await explain(text)).key}`)
  }
})

test('EXPLAIN says of every other key why it was not taken', async () => {
  const { rejected } = await explain("SCAN * FROM trade WHERE customer = 'a' ORDER BY time")
  assert.deepEqual(rejected, [
    { key: 'PRIMARY KEY (id)', reason: 'it does not give the ORDER BY' },
    { key: 'UNIQUE INDEX byTime (time)', reason: 'no condition bounds its first column' },
  ])
})

test('a hint decides, or is an error that says why it cannot serve', async () => {
  const text = "SCAN id FROM trade USE INDEX byTime WHERE customer = 'a' AND time < 9"
  assert.deepEqual(await first(text), [3n, 6n])
  const refused: ReadonlyArray<readonly [string, string, RegExp]> = [
    ['SCAN * FROM trade USE INDEX nosuch', 'unknown_index', /no index nosuch/],
    [
      'SCAN * FROM trade USE INDEX byTime ORDER BY id',
      'invalid_request',
      /does not give this ORDER/,
    ],
    ['DELETE FROM trade USE INDEX byTime', 'unbounded_scan', /without WHERE/],
  ]
  for (const [statement, code, message] of refused) {
    await assert.rejects(session.run(statement), planError(code), statement)
    await assert.rejects(session.run(statement), message, statement)
  }
})

test('pages of any size along any key are the whole answer, with NULLs and equal keys', async () => {
  const texts = [
    'SCAN id, time FROM trade USE INDEX byTime WHERE id < 40',
    'SCAN id, time FROM trade USE INDEX byTime WHERE id < 40 ORDER BY time DESC',
    "SCAN id, note FROM trade WHERE customer IN ('c', 'a') AND id < 30 ORDER BY customer DESC",
    'SCAN id FROM trade USE PRIMARY KEY WHERE time IS NULL AND id < 200 LIMIT 17',
    'SCAN note FROM trade WHERE time IN (4, 9, 2, 8, 30) ORDER BY time DESC',
  ]
  for (const text of texts) {
    const whole = (await session.run(text)).rows
    for (let size = 1; size <= whole.length + 1; size += 1) {
      const pages = await Array.fromAsync(session.pages(text, size), ({ rows }) => rows)
      assert.deepEqual(pages.flat(), whole, `${size} ${text}`)
    }
  }
})

test('an index that is not built yet is never chosen, and a hint on it says so', async () => {
  const transaction = await session.storage.begin({ readOnly: true })
  const known = await session.storage.catalog(transaction)
  const table = known.table('trade')
  assert.ok(table !== undefined)
  const indexes = table.indexes.map((index) => ({ ...index, state: 'building' as const }))
  const building = { ...table, indexes }
  const catalog = { ...known, table: () => building, tables: () => [building] }
  const run = (text: string) => session.runIn(transaction, catalog, text)
  await assert.rejects(run("SCAN * FROM trade WHERE customer = 'a'"), (error: PlanError) => {
    assert.equal(error.code, 'unbounded_scan')
    return /Still being built: byCustomer, byTime/.test(error.hint ?? '')
  })
  await assert.rejects(run('SCAN * FROM trade USE INDEX byTime'), /still being built/)
  await assert.rejects(run('GET * FROM trade WHERE time = 5'), planError('invalid_request'))
  const { rows } = await run('EXPLAIN SCAN * FROM trade WHERE id = 5')
  assert.match(rows[0]?.[0] as string, /not INDEX byCustomer .*: it is still being built/)
  transaction.rollback()
})

test('what would be unbounded names the index to create, and with it runs', async () => {
  const suggestions: ReadonlyArray<readonly [string, string]> = [
    ["SCAN * FROM trade WHERE note = 'x'", 'CREATE INDEX tradeByNote ON trade (note)'],
    [
      "SCAN * FROM trade WHERE price > 5 AND note = 'x'",
      'CREATE INDEX tradeByNotePrice ON trade (note, price)',
    ],
    [
      "SCAN * FROM trade WHERE note = 'x' AND price > 5 ORDER BY customer DESC, id",
      'CREATE INDEX tradeByNoteCustomer ON trade (note, customer DESC)',
    ],
    [
      'SCAN price, COUNT(*) FROM trade GROUP BY price ORDER BY price',
      'CREATE INDEX tradeByPrice ON trade (price)',
    ],
    [
      "SCAN price, COUNT(*) FROM trade WHERE note = 'x' GROUP BY price",
      'CREATE INDEX tradeByNotePrice ON trade (note, price)',
    ],
    [
      "SCAN * FROM trade WHERE note = 'x' ORDER BY price * 2 LIMIT 5",
      'CREATE INDEX tradeByNote ON trade (note)',
    ],
  ]
  for (const [text, suggestedIndex] of suggestions) {
    await assert.rejects(session.run(text), (error: PlanError) => {
      assert.equal(error.fields.suggestedIndex, suggestedIndex, text)
      return true
    })
    await session.run(suggestedIndex)
    await session.run(text)
    await session.run(`DROP INDEX ${suggestedIndex.split(' ')[2]}`)
  }
})
