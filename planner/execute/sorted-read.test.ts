// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { planError, SqlSession } from '../../test/sql-session.ts'
import { WorkMeter } from '../expressions/work-meter.ts'
import type { Explanation } from '../plan/explain.ts'

let session: SqlSession
before(async () => {
  session = await SqlSession.open(
    `CREATE TABLE trade (customer TEXT, id INTEGER, symbol TEXT, price INTEGER, note TEXT, meta JSON,
       PRIMARY KEY (customer, id DESC), FAMILY long (note))`,
    'CREATE INDEX bySymbol ON trade (symbol) STORING (price)',
    'CREATE TABLE wide (id INTEGER PRIMARY KEY, kind INTEGER, body TEXT)',
  )
  const rows = Array.from({ length: 40 }, (_, id) => {
    const price = id % 7 === 0 ? 'NULL' : String((id * 37) % 11)
    return `('${id % 2 === 0 ? 'a' : 'b'}', ${id}, 's${id % 5}', ${price}, 'note ${id}', '{"n": ${id % 3}.0}')`
  })
  const columns = 'customer, id, symbol, price, note, meta'
  await session.run(`INSERT INTO trade (${columns}) VALUES ${rows.join(', ')}`)
  for (let first = 0; first < 12_000; first += 3_000) {
    const ids = Array.from({ length: 3_000 }, (_, i) => `(${first + i}, ${first + i}, 'x')`)
    await session.run(`INSERT INTO wide (id, kind, body) VALUES ${ids.join(', ')}`)
  }
})
after(() => session.close())

const rows = async (text: string, parameters = {}) => (await session.run(text, parameters)).rows
const ids = async (text: string, parameters = {}) =>
  (await rows(text, parameters)).map(([id]) => Number(id))

async function explained(text: string): Promise<Explanation> {
  const [row] = (await session.run(`EXPLAIN ${text}`)).rows
  return JSON.parse(row?.[1] as string) as Explanation
}

test('the first rows of any order come with a LIMIT, equal ones in the order of the key', async () => {
  const text = "SCAN id FROM trade WHERE customer = 'a' ORDER BY price DESC LIMIT 4"
  const all = (await rows("SCAN id, price FROM trade WHERE customer = 'a'")) as [bigint, bigint][]
  const wanted = all
    .filter(([, price]) => price !== null)
    .toSorted(([a, p], [b, q]) => Number(q - p) || Number(b - a))
  assert.deepEqual(
    await ids(text),
    wanted.slice(0, 4).map(([id]) => Number(id)),
  )
  const nullsFirst = "SCAN id FROM trade WHERE customer = 'a' ORDER BY price LIMIT 3"
  assert.deepEqual(await ids(nullsFirst), [28, 14, 0])
  const byLabel = "SCAN id, -id AS x FROM trade WHERE customer = 'b' ORDER BY x LIMIT :n"
  assert.deepEqual(await ids(byLabel, { n: 3 }), [39, 37, 35])
  assert.deepEqual(await ids(byLabel, { n: 0 }), [])
  assert.deepEqual(
    await ids("SCAN id FROM trade WHERE customer = 'b' ORDER BY id % :m, id LIMIT 2", { m: 4 }),
    [1, 5],
  )
})

test('a label comes before a column of its name', async () => {
  const text = "SCAN -id AS price, id FROM trade WHERE customer = 'a' ORDER BY price LIMIT 1"
  assert.deepEqual(await rows(text), [[-38n, 38n]])
})

test('EXPLAIN tells what is sorted and read last, and the index is walked without rows', async () => {
  const text = "SCAN * FROM trade WHERE symbol = 's1' ORDER BY price LIMIT 2"
  const { order, sortedBy, readLast, covering, rule } = await explained(text)
  assert.deepEqual(
    [order, sortedBy, covering, rule],
    ['top 2 of the range', ['price'], true, 'key prefix'],
  )
  assert.match(readLast ?? '', /by their keys/)
  const analyzed = (await session.run(`EXPLAIN ANALYZE ${text}`)).rows[0]?.[1] as string
  const { measured } = JSON.parse(analyzed) as Explanation
  assert.deepEqual([measured?.entriesRead, measured?.rowsRead, measured?.roundTrips], [8, 2, 2])
  assert.equal((await explained(text.replace('*', 'id, price'))).readLast, undefined)
  const shown = (await session.run(`EXPLAIN ${text}`)).rows[0]?.[0] as string
  assert.match(shown, /order: top 2 of the range\n {2}sorted by: price\n {2}read last: /)
})

test('a key that gives the order is walked, and nothing is sorted', async () => {
  for (const text of [
    'SCAN * FROM trade ORDER BY customer LIMIT 5',
    "SCAN * FROM trade WHERE customer = 'a' ORDER BY id LIMIT 5",
    'SCAN * FROM trade WHERE symbol > :s ORDER BY symbol LIMIT 5000',
  ]) {
    const { order, sortedBy } = await explained(text)
    assert.equal(sortedBy, undefined, text)
    assert.match(order ?? '', /^(forward|reverse)$/)
  }
})

test('what would be unbounded is refused with a LIMIT as well, unless a hint says so', async () => {
  const text = "SCAN id FROM trade WHERE note > 'n' ORDER BY price LIMIT 3"
  await assert.rejects(session.run(text), planError('unbounded_scan'))
  const hinted = text.replace('trade ', 'trade USE PRIMARY KEY ')
  assert.equal((await explained(hinted)).access, 'whole key')
  assert.equal((await ids(hinted)).length, 3)
})

test('an order without LIMIT, or with a high one, is an error that says what to write', async () => {
  const long = "SCAN id FROM trade WHERE customer = 'a' ORDER BY price * 2"
  await assert.rejects(session.run(long), /No key of trade gives this ORDER BY/)
  await assert.rejects(session.run(long), (error: { hint?: string }) =>
    /Or write LIMIT n, up to 1000/.test(error.hint ?? ''),
  )
  await assert.rejects(
    session.run(`${long} LIMIT 1001`),
    planError('limit_exceeded', { column: 66 }),
  )
  await assert.rejects(session.run(`${long} LIMIT :n`, { n: 1001 }), planError('limit_exceeded'))
  await assert.rejects(session.run(`${long} LIMIT :n`, { n: -1 }), planError('out_of_range'))
  for (const [order, code] of [
    ['1', 'invalid_request'],
    ["'x' || 'y'", 'invalid_request'],
    ['meta', 'type_mismatch'],
    ['nosuch', 'unknown_column'],
  ] as const) {
    const text = `SCAN id FROM trade WHERE customer = 'a' ORDER BY ${order} LIMIT 3`
    await assert.rejects(session.run(text), planError(code, { column: 50 }), order)
  }
})

test('groups of any columns and expressions come in the order of their first rows', async () => {
  const text =
    "SCAN price, COUNT(*) AS n FROM trade WHERE customer = 'a' AND id < 10 GROUP BY price"
  assert.deepEqual(await rows(text), [
    [10n, 1n],
    [2n, 1n],
    [5n, 1n],
    [8n, 1n],
    [null, 1n],
  ])
  assert.match((await explained(text)).groups ?? '', /the same price; all of up to 10000 groups/)
  const byExpression =
    "SCAN id % 3 AS m, upper(symbol) AS s, SUM(id) FROM trade WHERE id < 9 AND customer = 'a' GROUP BY m, s"
  assert.deepEqual(await rows(byExpression), [
    [2n, 'S3', 8n],
    [0n, 'S1', 6n],
    [1n, 'S4', 4n],
    [2n, 'S2', 2n],
    [0n, 'S0', 0n],
  ])
  const qualified = `SCAN lower(o.symbol) AS s, COUNT(*) FROM trade AS o WHERE o.customer = 'a'
    GROUP BY LOWER(symbol) ORDER BY lower(symbol) LIMIT 1`
  assert.deepEqual(await rows(qualified), [['s0', 4n]])
  const byJson = "SCAN meta, COUNT(*) FROM trade WHERE customer = 'a' GROUP BY meta"
  assert.equal((await rows(byJson)).length, 3)
})

test('groups are filtered by HAVING and sorted by what is known of them', async () => {
  const text = `SCAN symbol, COUNT(*) AS n, COUNT(price) AS priced FROM trade WHERE customer = 'a'
    GROUP BY symbol HAVING priced < 4 ORDER BY COUNT(*) - COUNT(price) DESC, symbol DESC LIMIT 3`
  assert.deepEqual(await rows(text), [
    ['s4', 4n, 3n],
    ['s3', 4n, 3n],
    ['s0', 4n, 3n],
  ])
  const { order, having } = await explained(text)
  assert.deepEqual([order, having], ['top 3 of the groups', 'priced < 4'])
  const along =
    'SCAN symbol, MIN(id) AS least FROM trade GROUP BY symbol ORDER BY least DESC LIMIT 2'
  assert.deepEqual(await rows(along), [
    ['s4', 4n],
    ['s3', 3n],
  ])
  assert.equal((await explained(along)).groups, 'rows with the same symbol')
})

test('aggregates take different values, and the rows of their FILTER', async () => {
  const text = `SCAN COUNT(DISTINCT symbol) AS s, COUNT(DISTINCT price) FILTER (WHERE price > 8) AS p,
    COUNT(*) FILTER (WHERE customer = 'a' AND id > 30) AS n, SUM(DISTINCT id % 2) AS m,
    COUNT(DISTINCT meta) AS j FROM trade`
  assert.deepEqual(await rows(text), [[5n, 2n, 4n, 1n, 3n]])
  const none = "SCAN MAX(customer) FILTER (WHERE customer < 'b') AS m FROM trade"
  assert.deepEqual(await rows(none), [['a']])
})

test('DISTINCT takes each combination once, along a key without a bound', async () => {
  assert.deepEqual(await rows('SCAN DISTINCT customer FROM trade'), [['a'], ['b']])
  assert.equal((await rows('SCAN DISTINCT symbol, customer FROM trade')).length, 10)
  assert.equal((await rows("SCAN DISTINCT * FROM trade WHERE customer = 'a'")).length, 20)
  assert.deepEqual(await rows('SCAN DISTINCT price % 2 AS odd FROM trade ORDER BY odd LIMIT 9'), [
    [null],
    [0n],
    [1n],
  ])
  assert.equal((await session.run('SCAN DISTINCT id FROM wide')).rows.length, 12_000)
})

test('more groups than are held are refused, and more bytes', async () => {
  const groups = 'SCAN kind, COUNT(*) FROM wide WHERE id >= 0 GROUP BY kind'
  await assert.rejects(session.run(groups), (error: { fields?: { limit?: string } }) => {
    assert.equal(error.fields?.limit, 'groupsMax')
    return planError('limit_exceeded')(error)
  })
  const fewer = await rows(groups.replace('id >= 0', 'id < 10000'))
  assert.equal(fewer.length, 10_000)
  for (const aggregate of ['COUNT(DISTINCT x)', 'MAX(x)']) {
    const group = aggregate === 'MAX(x)' ? 'GROUP BY id % 5000' : ''
    const held = aggregate.replace('x', `:y || CASE id % 5000 WHEN 0 THEN '' ELSE id::TEXT END`)
    const text = `SCAN ${held} AS c FROM wide WHERE id < 5000 ${group}`
    const params = { y: 'y'.repeat(20_000) }
    await assert.rejects(session.run(text, params), (error: { fields?: { limit?: string } }) => {
      assert.equal(error.fields?.limit, 'sortBytesMax', text)
      return true
    })
  }
  const long = `SCAN kind FROM wide WHERE id >= :from ORDER BY body || '${'y'.repeat(40_000)}' LIMIT 1000`
  await assert.rejects(session.run(long, { from: 0 }), (error: { fields?: { limit?: string } }) => {
    assert.equal(error.fields?.limit, 'sortBytesMax')
    return true
  })
})

test('pages do not cut what is sorted or held, and there is none to continue from', async () => {
  for (const text of [
    "SCAN id FROM trade WHERE customer = 'a' ORDER BY price LIMIT 9",
    "SCAN price, COUNT(*) FROM trade WHERE customer = 'a' GROUP BY price",
  ]) {
    const whole = await rows(text)
    const pages = await Array.fromAsync(session.pages(text, 2), (page) => page.rows)
    assert.deepEqual(pages, [whole])
  }
})

test('pages of groups end where all groups so far are left out', async () => {
  const text = 'SCAN id FROM wide WHERE id < 150000 GROUP BY id HAVING id = 11999'
  const pages = await Array.fromAsync(session.pages(text, 2), (page) => page.rows)
  assert.deepEqual(pages, [[[11_999n]]])
})

test('a sort takes turns, ends when it is cancelled, and pays for what it compares', async () => {
  const transaction = await session.storage.begin({ readOnly: true })
  const catalog = await session.storage.catalog(transaction)
  const text = 'SCAN id FROM wide WHERE id >= 0 ORDER BY kind % 10, -id LIMIT 5'
  const controller = new AbortController()
  setImmediate(() => controller.abort(new Error('enough')))
  const { signal } = controller
  await assert.rejects(session.runIn(transaction, catalog, text, { signal }), /enough/)
  const work = new WorkMeter()
  const found = await session.runIn(transaction, catalog, text, { work })
  assert.deepEqual(
    found.rows.map(([id]) => Number(id)),
    [11_990, 11_980, 11_970, 11_960, 11_950],
  )
  assert.ok(work.spent > 12_000 * 16 * 3, `${work.spent}`)
  transaction.rollback()
})
