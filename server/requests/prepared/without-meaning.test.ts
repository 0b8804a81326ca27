// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import test, { after, before, describe } from 'node:test'
import {
  type Answer,
  type Sending,
  startTestServer,
  type TestServer,
} from '../../../test/server/test-server.ts'
import { loadContract } from '../../doors/http/openapi/contract.ts'
import { type Operation, objectAt } from '../../doors/http/openapi/document.ts'

// What an operation gives no meaning is refused, with its place. The first tests ask every operation of
// `openapi.yaml`, so that a new one is asked as well.

const { document } = loadContract()
const atTheEnd: Array<() => unknown> = []
let server: TestServer

before(async () => {
  server = await startTestServer({ after: (step) => atTheEnd.push(step as () => unknown) })
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL)')
  await server.rows("INSERT INTO account (id, balance) VALUES ('bob', 10), ('joe', 2), ('kim', 3)")
})

after(async () => {
  for (const step of atTheEnd) await step()
})

/** The request of an operation with nothing wrong but what is added. */
function sendingOf({ method, path }: Operation, search: string, headers = {}): Sending {
  const filled = path
    .replace('{table}', 'account')
    .replace('{key}', 'bob')
    .replace('{transaction}', '1.00000000000000000000000000000000')
  return {
    method: method.toUpperCase() as NonNullable<Sending['method']>,
    path: search === '' ? filled : `${filled}?${search}`,
    headers,
  }
}

async function assertRefused(
  sending: Sending,
  place: { readonly parameter?: string | number; readonly in?: string },
  code = 'invalid_request',
): Promise<Answer> {
  const answer = await server.send(sending)
  const { status, body, text } = answer
  const name = `${sending.method ?? 'GET'} ${sending.path} ${JSON.stringify(sending.headers ?? {})}`
  assert.deepEqual([status, body?.code], [400, code], `${name}: ${text}`)
  assert.deepEqual(
    { parameter: body.parameter, in: body.in },
    { parameter: undefined, in: undefined, ...place },
    `${name}: ${text}`,
  )
  return answer
}

/** The query string is right where one is needed. */
function requiredOf(queries: Operation['parameters']): string[] {
  return queries.filter(({ required }) => required).map(({ name }) => `${name}=x`)
}

const NOT_PLAIN = ['1e1', '0x1', '01', '%2B1', '%201', '1.0', '1,0', 'NaN']

const headerNames = [
  ...new Set(
    document.operations.flatMap(({ parameters }) =>
      parameters.filter((each) => each.in === 'header').map(({ name }) => name),
    ),
  ),
]

for (const operation of document.operations) {
  describe(operation.id, () => {
    const queries = operation.parameters.filter((each) => each.in === 'query')
    for (const { name, schema, isList } of queries) {
      test(`${name}: twice, empty, not UTF-8, and numbers in another form`, async () => {
        const place = { parameter: name, in: 'query' }
        const wrong = [
          ...(isList ? [] : [`${name}=1&${name}=1`]),
          `${name}=`,
          name,
          `${name}=%FF`,
          `${name}=a%`,
          `${name}=%c3%28`,
        ]
        if (objectAt(document.json, schema).type === 'integer') {
          wrong.push(...NOT_PLAIN.map((value) => `${name}=${value}`))
        }
        const others = requiredOf(queries.filter((each) => each.name !== name))
        for (const search of wrong) {
          await assertRefused(sendingOf(operation, [...others, search].join('&')), place)
        }
      })
    }

    test('a parameter that it does not have', async () => {
      const place = { parameter: 'zzz', in: 'query' }
      await assertRefused(sendingOf(operation, 'zzz=1'), place)
      await assertRefused(sendingOf(operation, 'zzz'), place)
      await assertRefused(sendingOf(operation, '%FF=1'), { in: 'query' })
    })

    for (const name of headerNames) {
      const isDeclared = operation.parameters.some(
        (each) => each.in === 'header' && each.name === name,
      )
      // A preference is ignored where it means nothing (RFC 7240, 2).
      if (name === 'Prefer' && !isDeclared) continue
      test(`${name}: ${isDeclared ? 'not ASCII' : 'it has none'}`, async () => {
        const value = isDeclared ? 'caf\u00e9' : '1'
        const sending = sendingOf(operation, requiredOf(queries).join('&'), {
          [name.toLowerCase()]: value,
        })
        await assertRefused(sending, { parameter: name, in: 'header' })
      })
    }
  })
}

test('every operation that is declared was asked, and headers are among what is declared', () => {
  assert.ok(document.operations.length >= 20)
  for (const name of ['If-Match', 'If-None-Match', 'Idempotency-Key', 'Percolite-Min-Timestamp']) {
    assert.ok(headerNames.includes(name), name)
  }
})

test('the handshake of a socket has no parameters either', async () => {
  const { port } = await server.listen()
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  }
  for (const [path, more] of [
    ['/v1/socket?zzz=1', {}],
    ['/v1/socket', { 'idempotency-key': 'a' }],
  ] as const) {
    const asked = request({ port, path, headers: { ...headers, ...more } }).end()
    const [answer] = await once(asked, 'response')
    assert.equal(answer.statusCode, 400, path)
    answer.destroy()
  }
})

const ROWS = '/v1/tables/account/rows'
const encoded = encodeURIComponent

function query(json: Record<string, unknown>, format?: string, headers = {}): Sending {
  const path = format === undefined ? '/v1/query' : `/v1/query?format=${format}`
  return { method: 'POST', path, json, headers }
}

describe('combinations without meaning', () => {
  test('a limit of what is streamed as a whole', async () => {
    for (const format of ['csv', 'ndjson']) {
      await assertRefused(
        { path: `${ROWS}?limit=1&format=${format}` },
        { parameter: 'limit', in: 'query' },
      )
      const scan = { sql: 'SCAN * FROM account', pageSize: 1 }
      await assertRefused(query(scan, format), { parameter: 'pageSize', in: 'body' })
    }
    const accept = { accept: 'application/x-ndjson' }
    await assertRefused(
      { path: `${ROWS}?limit=1`, headers: accept },
      { parameter: 'limit', in: 'query' },
    )
  })

  test('a page of what is no SCAN, or not only one', async () => {
    const place = { parameter: 'pageSize', in: 'body' }
    for (const sql of [
      "GET * FROM account WHERE id = 'bob'",
      'SCAN * FROM account; SCAN * FROM account',
      'BEGIN',
      'CREATE TABLE t (id TEXT PRIMARY KEY)',
    ]) {
      await assertRefused(query({ sql, pageSize: 1 }), place)
      await assertRefused(query({ sql, cursor: 'x' }), {}, 'bad_cursor')
    }
    const transaction = await server.begin()
    await assertRefused(query({ sql: 'COMMIT', pageSize: 1, transaction }), place)
    await assertRefused(query({ sql: 'COMMIT', cursor: 'x', transaction }), {}, 'bad_cursor')
  })

  test('a form of INTEGER where it is always digits', async () => {
    for (const format of ['csv', 'table']) {
      const scan = { sql: 'SCAN * FROM account', integers: 'string' }
      const sending = query(scan, format)
      const { status, text } = await server.send(sending)
      assert.equal(status, 400)
      assert.match(text, /integers has no meaning here/)
    }
    await assertRefused(
      { path: `${ROWS}?integers=string&format=csv` },
      { parameter: 'integers', in: 'query' },
    )
  })

  test('asOf of another moment than the cursor; the same moment is no contradiction', async () => {
    const first = (await server.get(`${ROWS}?limit=1`)).body
    await server.rows("SET balance = 10 ON account WHERE id = 'bob'")
    const now = (await server.get(ROWS)).body.readTimestamp
    const { cursor, readTimestamp } = first
    await assertRefused({ path: `${ROWS}?limit=1&cursor=${cursor}&asOf=${now}` }, {}, 'bad_cursor')
    await assertRefused(
      { path: `${ROWS}?format=csv&cursor=${cursor}&asOf=${now}` },
      {},
      'bad_cursor',
    )
    const same = await server.get(`${ROWS}?limit=1&cursor=${cursor}&asOf=${readTimestamp}`)
    assert.equal(same.status, 200, same.text)
    const scan = { sql: 'SCAN * FROM account', pageSize: 1 }
    const page = (await server.send(query(scan))).body
    await assertRefused(query({ ...scan, cursor: page.cursor, asOf: now }), {}, 'bad_cursor')
    const rest = await server.send(
      query({ ...scan, cursor: page.cursor, asOf: page.readTimestamp }),
    )
    assert.equal(rest.status, 200, rest.text)
  })

  test('a newest stamp for what has its snapshot already, or none', async () => {
    const place = { parameter: 'Percolite-Min-Timestamp', in: 'header' }
    const headers = { 'percolite-min-timestamp': '1' }
    const transaction = await server.begin()
    await assertRefused(
      query({ sql: 'SCAN * FROM account', transaction }, undefined, headers),
      place,
    )
    await assertRefused(
      query({ sql: 'CREATE TABLE t (id TEXT PRIMARY KEY)' }, undefined, headers),
      place,
    )
  })

  test('a key for a stream, which writes nothing', async () => {
    const headers = { 'idempotency-key': 'stream' }
    const place = { parameter: 'Idempotency-Key', in: 'header' }
    for (const format of ['csv', 'ndjson']) {
      await assertRefused(query({ sql: 'SCAN * FROM account' }, format, headers), place)
    }
  })
})

describe('values that no statement uses', () => {
  const get = 'GET * FROM account WHERE id = :id'
  test('by name, with the nearest one', async () => {
    const { body } = await assertRefused(query({ sql: get, params: { id: 'bob', ib: 1 } }), {
      parameter: 'ib',
    })
    assert.equal(body.hint, 'did you mean :id?')
    await assertRefused(query({ sql: 'SHOW TABLES', params: { a: 1 } }), { parameter: 'a' })
    await assertRefused(query({ sql: 'BEGIN', params: { a: 1 } }), { parameter: 'a' })
  })

  test('by number: an array that is longer than the highest, or has one between', async () => {
    const sql = 'GET * FROM account WHERE id = $1'
    const { body } = await assertRefused(query({ sql, params: ['bob', 2] }), { parameter: 2 })
    assert.equal(body.hint, 'the highest number that stands there is $1')
    const two = 'GET * FROM account WHERE id = $1; GET * FROM account WHERE id = $3'
    await assertRefused(query({ sql: two, params: ['bob', 'x', 'joe'] }), { parameter: 2 })
    assert.equal(
      (await server.send(query({ sql: two.replace('$3', '$2'), params: ['bob', 'joe'] }))).status,
      200,
    )
  })

  test('names where numbers are written, and numbers where names are', async () => {
    const { body } = await assertRefused(query({ sql: get, params: ['bob'] }), { parameter: 1 })
    assert.equal(body.hint, 'give params as an object with the field id')
    const named = query({ sql: get.replace(':id', '$1'), params: { id: 'bob' } })
    assert.equal(
      (await assertRefused(named, { parameter: 'id' })).body.hint,
      'give params as an array of 1',
    )
  })

  test('each time it is sent, not only the first', async () => {
    for (let time = 0; time < 3; time += 1) {
      await assertRefused(query({ sql: get, params: { id: 'bob', more: 1 } }), {
        parameter: 'more',
      })
      assert.equal((await server.send(query({ sql: get, params: { id: 'bob' } }))).status, 200)
    }
  })

  test('of one of several statements, which is named', async () => {
    const statements = [{ sql: 'SHOW TABLES' }, { sql: get, params: { id: 'bob', x: 1 } }]
    const { body } = await assertRefused(query({ statements }), { parameter: 'x' })
    assert.equal(body.statement, 1)
  })

  test('wherever a parameter can stand it counts as used', async () => {
    const now = (await server.get(ROWS)).body.readTimestamp
    for (const [sql, params] of [
      ['SCAN * FROM account LIMIT :n', { n: 1 }],
      ['SCAN * FROM account AS OF :t LIMIT 1', { t: now }],
      ['GET * FROM account WHERE id IN :ids', { ids: ['bob'] }],
      ['EXPLAIN GET * FROM account WHERE id = :id', { id: 'bob' }],
      [
        "SET balance = balance + :d ON account WHERE id = 'bob' IF balance > :least",
        { d: 0, least: 0 },
      ],
      [
        'INSERT INTO account (id, balance) VALUES (:i, :b) ON CONFLICT DO NOTHING',
        { i: 'bob', b: 1 },
      ],
      ["CHECK balance > :n ON account WHERE id = 'bob'", { n: 0 }],
      ['BEGIN AS OF :t; SCAN * FROM account; COMMIT', { t: now }],
    ] as const) {
      const { status, text } = await server.send(query({ sql, params }))
      assert.equal(status, 200, `${sql}: ${text}`)
    }
  })

  test('of rows, and of a subscription', async () => {
    const where = `where=${encoded('id = :id')}`
    await assertRefused(
      { path: `${ROWS}?${where}&params=${encoded('{"id":"bob","x":1}')}` },
      { parameter: 'x' },
    )
    await assertRefused({ path: `${ROWS}?params=${encoded('{"x":1}')}` }, { parameter: 'x' })
    await assertRefused(
      { path: `${ROWS}?format=csv&params=${encoded('{"x":1}')}` },
      { parameter: 'x' },
    )
    const sql = `sql=${encoded('SCAN * FROM account')}`
    await assertRefused({ path: `/v1/changes?${sql}&params=${encoded('[1]')}` }, { parameter: 1 })
  })
})

describe('a request with an Idempotency-Key that is sent again', () => {
  const headers = { 'idempotency-key': 'form' }
  const json = { sql: "SET balance = balance + 1 ON account WHERE id = 'joe' RETURNING balance" }

  for (const format of ['json', 'csv', 'table']) {
    test(`as ${format} gets the form that it got before, and another form is another request`, async () => {
      const key = { 'idempotency-key': `form-${format}` }
      const first = await server.send(query(json, format, key))
      assert.equal(first.status, 200, first.text)
      const again = await server.send(query(json, format, key))
      assert.equal(again.headers['idempotent-replayed'], 'true')
      assert.equal(again.text, first.text)
      assert.equal(again.headers['content-type'], first.headers['content-type'])
      for (const other of ['json', 'csv', 'table'].filter((each) => each !== format)) {
        const { status, text } = await server.send(query(json, other, key))
        assert.equal(status, 422, text)
      }
    })
  }

  test('is the same with format=json as without', async () => {
    const first = await server.send(query(json, undefined, headers))
    assert.equal((await server.send(query(json, 'json', headers))).text, first.text)
  })
})
