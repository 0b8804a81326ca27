// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRealServer } from '../test/client-sdk/real-server.ts'
import { connect, type PercoliteError, type Schemas } from './client.ts'

// The client against the real server; what only a crash brings about is in `transaction.test.ts`.

const { url, db } = await startRealServer('--engine', 'memory')
await db.query('CREATE TABLE counter (id TEXT PRIMARY KEY, n INTEGER NOT NULL)')
await db.query('CREATE TABLE number (id INTEGER PRIMARY KEY)')
await db.query(
  'CREATE TABLE value (id INTEGER PRIMARY KEY, t TEXT, i INTEGER, r REAL, b BOOLEAN, y BYTES, at TIMESTAMP, j JSON)',
)

async function count(id: string): Promise<unknown> {
  const { rows } = await db.sql`GET n FROM counter WHERE id = ${id}`
  return rows[0]?.n
}

/** The libraries of TypeScript do not know it yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

test('a number in a JSON column is never rounded: it throws, or comes as text', async (t) => {
  const text = '{"n":1425367890123456789,"2":1.50,"1":[]}'
  const exact = connect({ url, json: 'text' })
  t.after(() => exact.close())
  const raw = { n: rawJSON('1425367890123456789'), deep: [{ e: rawJSON('1e400') }] }
  await db.query(`INSERT INTO value (id, j) VALUES (20, '${text}'), (21, '[1.50,-0]')`)
  await db.query('INSERT INTO value (id, j) VALUES (22, $1)', [raw])
  const { rows } = await exact.query('SCAN id, j FROM value WHERE id BETWEEN 20 AND 22')
  assert.deepEqual(
    rows.map(({ j }) => j),
    [text, '[1.50,-0]', '{"n":1425367890123456789,"deep":[{"e":1e400}]}'],
  )
  assert.deepEqual((await db.query('GET j FROM value WHERE id = 21')).rows, [{ j: [1.5, -0] }])
  await assert.rejects(db.query('GET j FROM value WHERE id = 20'), {
    code: 'json_number_inexact',
    fields: { column: 'j', value: '1425367890123456789' },
  })
  assert.equal((await exact.table('value').get(20))?.row.j, text)
  const put = await db.table('value').put(23, { j: raw })
  assert.throws(() => put.row, { code: 'json_number_inexact', committed: true })
  for await (const event of exact.subscribe('SCAN id, j FROM value WHERE id = 20', [], {
    snapshot: true,
  })) {
    if (event.kind !== 'rows') continue
    assert.equal(event.rows[0]?.row.j, text)
    break
  }
})

test('the bytes of a column are read and set without its row', async () => {
  const values = db.table('value')
  await values.insert({ id: 30, t: 'kept' })
  assert.equal(await values.bytes(30, 'y'), null)
  assert.equal(await values.bytes(31, 'y'), undefined)
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
  await values.putBytes(30, 'y', bytes)
  assert.deepEqual(await values.bytes(30, 'y'), bytes)
  const found = await values.get(30, { columns: ['t', 'y'] })
  assert.deepEqual(found?.row, { t: 'kept', y: bytes })
  await assert.rejects(values.putBytes(31, 'y', bytes), { code: 'row_not_found' })
  await assert.rejects(values.bytes(30, 't'), { code: 'type_mismatch' })
  const stale = { ifVersion: '"1"' }
  await assert.rejects(values.putBytes(30, 'y', bytes, stale), { code: 'precondition_failed' })
})

test('values of every type come back as they went in', async () => {
  const row = {
    id: 1,
    t: 'naïve 🙂 \u0000 end',
    i: -5,
    r: 0.1,
    b: true,
    y: Uint8Array.from({ length: 256 }, (_, index) => index),
    at: '2026-01-31T12:00:00.000001Z',
    j: { list: [1, null, 'x'], nested: { deep: true } },
  }
  await db.query(
    'INSERT INTO value (id, t, i, r, b, y, at, j) VALUES (:id, :t, :i, :r, :b, :y, :at, :j)',
    row,
  )
  const { rows, columns } = await db.query('GET * FROM value WHERE id = 1')
  assert.deepEqual(rows, [row])
  assert.equal(columns.find((column) => column.name === 'y')?.type, 'BYTES')
})

test('a NULL of every type is null', async () => {
  await db.query('INSERT INTO value (id) VALUES (2)')
  const { rows } = await db.query('GET t, i, r, b, y, at, j FROM value WHERE id = 2')
  const nothing = { t: null, i: null, r: null, b: null, y: null, at: null, j: null }
  assert.deepEqual(rows, [nothing])
})

test('large integers are bigints for those who ask for bigints, and an error for the others', async () => {
  const exact = connect({ url, integers: 'bigint' })
  const largest = 2n ** 63n - 1n
  await exact.sql`INSERT INTO value (id, i) VALUES (${3n}, ${largest})`
  const { rows } = await exact.query('GET id, i FROM value WHERE id = 3')
  assert.deepEqual(rows, [{ id: 3n, i: largest }])
  await assert.rejects(db.query('GET i FROM value WHERE id = 3'), { code: 'integer_out_of_range' })
})

test('a DECIMAL is the text of its digits, or what a library makes of that', async () => {
  class Money {
    readonly text: string
    constructor(text: string) {
      this.text = text
    }
    toJSON(): string {
      return this.text
    }
  }
  const exact = connect({ url, decimal: (text) => new Money(text) })
  await exact.query('CREATE TABLE price (id DECIMAL(9, 2) PRIMARY KEY, amount DECIMAL(38, 2))')
  const amount = new Money('123456789012345678901234567890.10')
  await exact.query('INSERT INTO price (id, amount) VALUES (:id, :amount)', { id: 1.5, amount })
  const table = exact.table('price')
  assert.deepEqual((await table.get('1.50'))?.row, { id: new Money('1.50'), amount })
  const text = 'SCAN amount, amount * 2 AS twice FROM price'
  assert.deepEqual((await db.query(text)).rows, [
    { amount: amount.text, twice: '246913578024691357802469135780.20' },
  ])
})

test('a Date is a parameter for a TIMESTAMP', async () => {
  const at = new Date('2026-01-31T12:00:00.123Z')
  await db.sql`INSERT INTO value (id, at) VALUES (${4}, ${at})`
  const { rows } = await db.sql`GET at FROM value WHERE id = ${4}`
  assert.deepEqual(rows, [{ at: '2026-01-31T12:00:00.123000Z' }])
})

test('a long SCAN is followed over its pages by query, and streamed by scan', async () => {
  const ids = Array.from({ length: 2_500 }, (_, index) => index)
  await db.query(`INSERT INTO number (id) VALUES ${ids.map((id) => `(${id})`).join(', ')}`)
  const expected = ids.map((id) => ({ id }))

  const { rows } = await db.query('SCAN id FROM number')
  assert.deepEqual(rows, expected)
  const streamed = []
  for await (const row of db.scan('SCAN id FROM number', [], { pageSize: 99 })) streamed.push(row)
  assert.deepEqual(streamed, expected)
  await assert.rejects(db.query('SCAN id FROM number', [], { maxRows: 2_499 }), {
    code: 'result_too_large',
  })

  const inside = await db.transaction(async (tx) => {
    const found = []
    for await (const row of tx.scan('SCAN id FROM number WHERE id >= $1', [2_000], {
      pageSize: 200,
    })) {
      found.push(row)
    }
    return found
  })
  assert.deepEqual(inside, expected.slice(2_000))
})

test('several statements are one transaction: the failing one is named and nothing is kept', async () => {
  await assert.rejects(
    db.execute([
      { sql: 'SET n = $1 ON counter WHERE id = $2', params: [1, 'script'] },
      'SET nonsense = 1 ON counter WHERE id = 1',
    ]),
    (error: { code?: string; statement?: number }) => {
      assert.equal(error.code, 'unknown_column')
      assert.equal(error.statement, 1)
      return true
    },
  )
  assert.equal(await count('script'), undefined)
})

test('a syntax error knows its place', async () => {
  await assert.rejects(db.query('GET *\nFORM counter'), {
    code: 'syntax_error',
    httpStatus: 400,
    retryable: false,
    position: { line: 2, column: 1 },
  })
})

test('many who increment one counter at the same time all count', async () => {
  await db.query("SET n = 0 ON counter WHERE id = 'hot'")
  let retries = 0
  const onRetry = () => {
    retries += 1
  }
  const increment = () =>
    db.transaction(
      async (tx) => {
        const { rows } = await tx.query<{ n: number }>("GET n FROM counter WHERE id = 'hot'")
        await tx.sql`SET n = ${(rows[0]?.n ?? 0) + 1} ON counter WHERE id = ${'hot'}`
      },
      { tries: 100, onRetry },
    )
  await Promise.all(Array.from({ length: 12 }, increment))
  assert.equal(await count('hot'), 12)
  assert.ok(retries > 0, 'they met each other')
})

test('what is not committed is not seen, and what is left is rolled back', async () => {
  {
    await using tx = await db.begin()
    await tx.query("SET n = 1 ON counter WHERE id = 'left'")
    const { rows } = await tx.query("GET n FROM counter WHERE id = 'left'")
    assert.deepEqual(rows, [{ n: 1 }], 'it sees its own write')
    assert.equal(await count('left'), undefined)
  }
  assert.equal(await count('left'), undefined)
})

test('a read-only transaction AS OF a time sees the past', async () => {
  const first = await db.query("SET n = 1 ON counter WHERE id = 'past'")
  await db.query("SET n = 2 ON counter WHERE id = 'past'")
  await using past = await db.begin({ asOf: first.commitTimestamp as number })
  const { rows } = await past.query("GET n FROM counter WHERE id = 'past'")
  assert.deepEqual(rows, [{ n: 1 }])
})

/** A network that loses one commit: the request on its way there, or the answer on its way back. */
function losing(what: 'request' | 'answer'): typeof fetch {
  let isLost = false
  return async (input, init) => {
    const isCommit = String(input).endsWith('/commit')
    if (!isCommit || isLost) return fetch(input, init)
    isLost = true
    if (what === 'answer') await (await fetch(input, init)).text()
    throw new TypeError('the cable was pulled')
  }
}

for (const what of ['request', 'answer'] as const) {
  test(`an increment whose commit ${what} is lost counts exactly once`, async () => {
    const id = `lost-${what}`
    await db.sql`SET n = 0 ON counter WHERE id = ${id}`
    let runs = 0
    let transaction = ''
    await connect({ url, fetch: losing(what) }).transaction(async (tx) => {
      runs += 1
      transaction = tx.id
      await tx.sql`SET n = n + 1 ON counter WHERE id = ${id}`
    })
    assert.equal(await count(id), 1)
    assert.equal(runs, 1)
    const outcome = await db.transactionOutcome(transaction)
    assert.equal(outcome.status, 'committed')
  })
}

test('pages answer any text of statements, a SCAN by the page, and inside of a transaction', async () => {
  await db.query('CREATE TABLE paged (id INTEGER PRIMARY KEY)')
  const ids = Array.from({ length: 5 }, (_, id) => id)
  for (const id of ids) await db.query('INSERT INTO paged (id) VALUES ($1)', [id])
  const pages = await Array.fromAsync(db.pages('SCAN * FROM paged', [], { pageSize: 2 }))
  assert.deepEqual(
    pages.map(({ results }) => results[0]?.rows.map(({ id }) => id)),
    [[0, 1], [2, 3], [4]],
  )
  const [script] = await Array.fromAsync(db.pages('SHOW TABLES; DELETE FROM paged WHERE id = 4'))
  assert.deepEqual(
    script?.results.map(({ rowsAffected }) => rowsAffected),
    [0, 1],
  )
  const [opened] = await Array.fromAsync(db.pages('BEGIN'))
  const transaction = opened?.transaction as string
  await Array.fromAsync(db.pages('INSERT INTO paged (id) VALUES (9)', [], { transaction }))
  assert.equal((await db.query('GET * FROM paged WHERE id = 9')).rows.length, 0)
  await Array.fromAsync(db.pages('COMMIT', [], { transaction }))
  assert.equal((await db.query('GET * FROM paged WHERE id = 9')).rows.length, 1)
})

test('any other request of the contract can be made, with the errors of all others', async () => {
  const { version } = await db.request<Schemas['Status']>('GET', '/v1/status')
  assert.match(version, /^\d/)
  await assert.rejects(db.request('POST', '/v1/completions', {}), { code: 'invalid_request' })
})

test('a script is run part by part, and an error says what is done of it', async () => {
  const text = `CREATE TABLE tag (id TEXT PRIMARY KEY, no INTEGER);
    INSERT INTO tag (id, no) VALUES ('a', 1) RETURNING *; DROP TABLE tag`
  const big = connect({ url, integers: 'bigint' })
  const { done, total, results } = await big.script(text)
  assert.deepEqual([done, total], [3, 3])
  const [, inserted] = results
  assert.deepEqual(
    [inserted?.kind, inserted?.line, inserted?.rows],
    ['insert', 2, [{ id: 'a', no: 1n }]],
  )
  assert.ok((inserted?.commitTimestamp ?? 0) > (results[0]?.commitTimestamp ?? 0))
  const rest =
    'INSERT INTO number (id) VALUES (-70); INSERT INTO number (id) VALUES (-70); GET * FROM number WHERE id = -70'
  await assert.rejects(db.script(rest), (error: PercoliteError) => {
    const { code, statement, fields } = error
    assert.deepEqual([code, statement, fields.done, fields.total], ['already_exists', 1, 1, 3])
    return true
  })
  assert.equal((await db.script(rest, { from: 2 })).results.length, 1)
})

test('pages follow each other by a cursor that was in a web address, all of one snapshot', async () => {
  await db.query('CREATE TABLE post (at INTEGER, id INTEGER, PRIMARY KEY (at DESC, id))')
  await db.query('INSERT INTO post (at, id) VALUES (1, 1), (2, 2), (2, 3), (3, 4), (3, 5)')
  const shown: unknown[] = []
  let search = '?'
  do {
    const cursor = new URLSearchParams(search).get('cursor')
    const page = await db.page<{ id: number }>('SCAN id FROM post USE PRIMARY KEY', [], {
      cursor,
      size: 2,
    })
    shown.push(page.rows.map(({ id }) => id))
    await db.query('INSERT INTO post (at, id) VALUES (3, $1)', [10 + shown.length])
    search = page.cursor === undefined ? '' : `?cursor=${page.cursor}`
  } while (search !== '')
  assert.deepEqual(shown, [[4, 5], [2, 3], [1]])
  const first = await db.page('SCAN id FROM post USE PRIMARY KEY', undefined, { size: 2 })
  const other = db.page('SCAN at FROM post USE PRIMARY KEY', [], { cursor: first.cursor })
  await assert.rejects(other, { code: 'bad_cursor' })
})
