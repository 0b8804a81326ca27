// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import fc from 'fast-check'
import { arbitraryJsonText, type JsonText } from './arbitrary-json.ts'
import { ObservedServer, Runs } from './server/observed-server.ts'
import { openSocket } from './server/socket-client.ts'
import { startTestServer, type TestServer } from './server/test-server.ts'

/** What a parser of doubles, or of objects, would change. */
const TEXTS: readonly string[] = [
  '{"n":1425367890123456789}',
  '{"deep":[{"a":[[{"n":-1425367890123456789}]]}]}',
  '1425367890123456789',
  '1e400',
  '[1e-400,-0,1.0,1.50,1E2]',
  '-0',
  '0.1000000000000000055511151231257827',
  '{"2":1,"1":2,"__proto__":{"x":1},"0":[]}',
  '[1,1.0,1e0]',
]

async function world(t: TestContext): Promise<TestServer> {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE doc (id INTEGER PRIMARY KEY, j JSON, n INTEGER)')
  return server
}

/** A body that nothing has parsed: the text stands in it as it is. */
function sendText(
  server: TestServer,
  {
    method = 'POST' as const,
    path = '/v1/query',
    text = '',
    headers = {},
  }: {
    readonly method?: 'POST' | 'PUT' | 'PATCH'
    readonly path?: string
    readonly text?: string
    readonly headers?: Readonly<Record<string, string>>
  },
) {
  return server.send({
    method,
    path,
    text,
    headers: { 'content-type': 'application/json', ...headers },
  })
}

const INSERT = 'INSERT INTO doc (id, j) VALUES ($1, $2) RETURNING j'
const NAMED = 'INSERT INTO doc (id, j) VALUES (:id, :j) RETURNING j'

/** Each way to put a JSON value into row `id`; the value is in its text. */
const DOORS: Readonly<
  Record<string, (server: TestServer, id: number, json: string) => ReturnType<TestServer['send']>>
> = {
  'a parameter by number': (server, id, json) =>
    sendText(server, { text: `{"sql":"${INSERT}","params":[${id},${json}]}` }),
  'a parameter by name': (server, id, json) =>
    sendText(server, { text: `{"params" : {"j":${json},"id":${id}}, "sql":"${NAMED}"}` }),
  'a list of statements': (server, id, json) =>
    sendText(server, {
      text: `{"statements":[{"sql":"GET id FROM doc WHERE id = $1","params":[${id}]},{"sql":"${INSERT}","params":[${id},${json}]}]}`,
    }),
  'a literal': (server, id, json) => {
    const literal = json.replaceAll("'", "''")
    return server.query(`INSERT INTO doc (id, j) VALUES (${id}, '${literal}') RETURNING j`)
  },
  'PUT of a row': (server, id, json) =>
    sendText(server, {
      method: 'PUT',
      path: `/v1/tables/doc/rows/${id}`,
      text: `{"n":1,"j":${json}}`,
    }),
  'PATCH of a row': async (server, id, json) => {
    await server.query('INSERT INTO doc (id) VALUES ($1)', { params: [id] })
    const path = `/v1/tables/doc/rows/${id}`
    return sendText(server, { method: 'PATCH', path, text: `{"j":${json}}` })
  },
  'POST of one row': (server, id, json) =>
    sendText(server, { path: '/v1/tables/doc/rows', text: `{"id":${id},"j":${json}}` }),
  'POST of rows': (server, id, json) =>
    sendText(server, { path: '/v1/tables/doc/rows', text: `[{"id":${id},"j":${json}}]` }),
}

/** Each way to read the JSON value of row `id`, as its text. */
const READS: Readonly<Record<string, (server: TestServer, id: number) => Promise<string>>> = {
  JSON: async (server, id) => {
    const { text } = await server.query('GET j FROM doc WHERE id = $1', { params: [id] })
    return between(text, '"rows":[{"j":', '}],"rowsAffected"')
  },
  NDJSON: async (server, id) => {
    const sql = `SCAN j FROM doc WHERE id = ${id}`
    const { text } = await server.send({
      method: 'POST',
      path: '/v1/query?format=ndjson',
      json: { sql },
    })
    return between(text, '{"row":{"j":', '}}\n{"end"')
  },
  CSV: async (server, id) => {
    const sql = `SCAN j FROM doc WHERE id = ${id}`
    const { text } = await server.send({
      method: 'POST',
      path: '/v1/query?format=csv',
      json: { sql },
    })
    const field = between(text, 'j\r\n', '\r\n')
    return field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field
  },
  'a row': async (server, id) => {
    const { text } = await server.get(`/v1/tables/doc/rows/${id}?columns=j`)
    return between(text, '{"j":', '}\n')
  },
  cells: async (server, id) => {
    const { text } = await server.get(`/v1/tables/doc/cells/${id}`)
    const [newest = ''] = text.split('},{"column"')
    return between(newest, '"j":', ',"n":')
  },
}

function between(text: string, before: string, after: string): string {
  const from = text.indexOf(before)
  const to = text.lastIndexOf(after)
  assert.ok(from !== -1 && to > from, text)
  return text.slice(from + before.length, to)
}

test('a JSON value comes out of every door digit by digit as it went in by every other', async (t) => {
  const server = await world(t)
  let id = 0
  for (const [door, write] of Object.entries(DOORS)) {
    for (const json of TEXTS) {
      id += 1
      const wrote = await write(server, id, json)
      assert.ok(wrote.status < 300, `${door}: ${json}: ${wrote.text}`)
      assert.ok(wrote.text.includes(`"j":${json}`), `${door}: ${wrote.text}`)
      for (const [way, read] of Object.entries(READS)) {
        assert.equal(await read(server, id), json, `${door} to ${way}`)
      }
    }
  }
  const { text } = await server.send({
    method: 'POST',
    path: '/v1/query?format=table',
    json: { sql: 'SCAN j FROM doc WHERE id = 1' },
  })
  assert.match(text, /\{"n":1425367890123456789\}/)
})

test('any JSON text goes round through any door', async (t) => {
  const server = await world(t)
  let id = 0
  const isNull = ({ compact }: JsonText) => compact === 'null'
  await fc.assert(
    fc.asyncProperty(
      arbitraryJsonText.filter((json) => !isNull(json)),
      fc.constantFrom(...Object.keys(DOORS)),
      fc.constantFrom(...Object.keys(READS)),
      async ({ text, compact }, door, way) => {
        id += 1
        const wrote = await DOORS[door]?.(server, id, text)
        assert.ok((wrote?.status ?? 500) < 300, wrote?.text ?? '')
        assert.equal(await READS[way]?.(server, id), compact, `${door} to ${way}`)
      },
    ),
    { numRuns: 150 },
  )
})

test('a name that stands twice is refused by every door, with its place', async (t) => {
  const server = await world(t)
  let id = 0
  for (const [door, write] of Object.entries(DOORS)) {
    for (const json of ['{"n":1,"n":2}', '[{"a":{"n":1,"m":[],"\\u006e":2}}]']) {
      id += 1
      const { status, body, text } = await write(server, id, json)
      assert.equal(status, 400, `${door}: ${text}`)
      assert.equal(body.code, 'type_mismatch', door)
      assert.match(body.pointer, /n$/, door)
      assert.match(body.detail, /stands twice/, door)
    }
  }
  const { body } = await sendText(server, {
    path: '/v1/tables/doc/rows',
    text: '[{"id":900,"j":1},{"id":901,"j":[{"x":1,"x":1}]}]',
  })
  assert.deepEqual([body.row, body.columnName, body.pointer], [1, 'j', '/1/j/0/x'])
  const twice = await sendText(server, {
    method: 'PUT',
    path: '/v1/tables/doc/rows/900',
    text: '{"j":1,"j":2}',
  })
  assert.equal(twice.body.pointer, '/j', twice.text)
})

test('JSON values are equal as decimals, code points and sets of members, everywhere', async (t) => {
  const server = await world(t)
  const ids = async (json: string, sql = 'SCAN id FROM doc USE PRIMARY KEY WHERE j = $1') => {
    const { body, text } = await sendText(server, { text: `{"sql":"${sql}","params":[${json}]}` })
    assert.ok(body.results, text)
    return body.results[0].rows.map(({ id }: { id: number }) => id)
  }
  const values = [
    '{"n":1425367890123456789,"a":[1.0]}',
    '{"a":[10e-1],"n":1425367890123456.789e3}',
    '{"n":1425367890123456788,"a":[1]}',
    '1e1000000000',
    '10e999999999',
    '-0',
    '0.0',
  ]
  for (const [index, json] of values.entries()) {
    await sendText(server, { text: `{"sql":"${INSERT}","params":[${index + 1},${json}]}` })
  }
  assert.deepEqual(await ids(values[0] ?? ''), [1, 2])
  assert.deepEqual(await ids(values[2] ?? ''), [3])
  assert.deepEqual(await ids('0.1e1000000001'), [4, 5])
  assert.deepEqual(await ids('0'), [6, 7])
  const list = 'SCAN id FROM doc USE PRIMARY KEY WHERE j IN $1'
  assert.deepEqual(await ids('[1425367890123456789,1e1000000000,-0.0]', list), [4, 5, 6, 7])
  const groups = await server
    .rows('SCAN COUNT(*) AS n FROM doc USE PRIMARY KEY GROUP BY j')
    .catch(() => undefined)
  if (groups !== undefined) assert.equal(groups.length, 4)
})

test('a number on its way to an INTEGER is exact or refused', async (t) => {
  const server = await world(t)
  const put = (n: string) =>
    sendText(server, { method: 'PUT', path: '/v1/tables/doc/rows/1', text: `{"n":${n}}` })
  const set = (n: string) =>
    sendText(server, { text: `{"sql":"SET n = $1 ON doc WHERE id = 1","params":[${n}]}` })
  const find = (n: string) =>
    sendText(server, { text: `{"sql":"GET * FROM doc WHERE id IN $1","params":[[1,${n}]]}` })
  for (const write of [put, set, find]) {
    for (const n of ['9007199254740991', '1.0', '1e0', '-0', '"9223372036854775807"', '100e-2']) {
      const { status, text } = await write(n)
      assert.ok(status < 300, `${n}: ${text}`)
    }
    for (const n of [
      '9007199254740990.7',
      '1.00000000000000000001',
      '1e-400',
      '4503599627370495.9999',
    ]) {
      const { status, body, text } = await write(n)
      assert.deepEqual([status, body.code], [400, 'type_mismatch'], `${n}: ${text}`)
    }
    for (const n of ['9007199254740993', '1e30']) {
      const { status, body } = await write(n)
      assert.deepEqual([status, body.code], [400, 'out_of_range'], n)
    }
  }
})

test('a replay has the digits of the first answer, and another digit is another request', async (t) => {
  const server = await world(t)
  const headers = { 'idempotency-key': 'one' }
  const text = (json: string) => `{"sql":"${INSERT}","params":[1,${json}]}`
  const first = await sendText(server, { text: text('{"n":1425367890123456789}'), headers })
  const again = await sendText(server, { text: text('{"n":1425367890123456789}'), headers })
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.equal(again.text, first.text)
  const other = await sendText(server, { text: text('{"n":1425367890123456788}'), headers })
  assert.equal(other.body.code, 'idempotency_key_reused')
  const row = {
    method: 'PUT' as const,
    path: '/v1/tables/doc/rows/2',
    headers: { 'idempotency-key': 'two' },
  }
  const put = await sendText(server, { ...row, text: '{"j":[1e400,{"2":1,"1":2}]}' })
  const putAgain = await sendText(server, { ...row, text: '{"j":[1e400,{"2":1,"1":2}]}' })
  assert.equal(putAgain.headers['idempotent-replayed'], 'true')
  assert.equal(putAgain.text, put.text)
})

test('a cursor belongs to its parameters by every digit, and parameters of a URL are exact too', async (t) => {
  const server = await world(t)
  for (const id of [1, 2, 3]) {
    await sendText(server, { text: `{"sql":"${INSERT}","params":[${id},1425367890123456789]}` })
  }
  const sql = 'SCAN id FROM doc USE PRIMARY KEY WHERE j = $1'
  const page = (json: string, more = '') =>
    sendText(server, { text: `{"sql":"${sql}","params":[${json}],"pageSize":1${more}}` })
  const { cursor } = (await page('1425367890123456789')).body
  const next = await page('1425367890123456789', `,"cursor":"${cursor}"`)
  assert.deepEqual(next.body.results[0].rows, [{ id: 2 }])
  const other = await page('1425367890123456788', `,"cursor":"${cursor}"`)
  assert.equal(other.body.code, 'bad_cursor')
  const rowsWith = async (json: string) => {
    const query = new URLSearchParams({
      where: 'j = :j',
      params: `{"j":${json}}`,
      index: 'primary',
    })
    const { body, text } = await server.get(`/v1/tables/doc/rows?${query}`)
    assert.ok(body.rows, text)
    return body.rows.length
  }
  assert.equal(await rowsWith('1425367890123456789'), 3)
  assert.equal(await rowsWith('1425367890123456788'), 0)
})

test('frames of a socket carry every digit, and subscriptions differ where their parameters do', async (t) => {
  const server = await world(t)
  const { port } = await server.listen()
  const client = await openSocket(t, port)
  const raw: string[] = []
  client.socket.on('message', (data: Buffer) => raw.push(String(data)))
  const json = '{"n":1425367890123456789,"2":-0,"1":1.50}'
  const ask = (frame: string) => client.socket.send(frame)
  const sql = 'SCAN id, j FROM doc USE PRIMARY KEY WHERE j = $1'
  ask(`{"type":"subscribe","id":"a","snapshot":true,"sql":"${sql}","params":[${json}]}`)
  ask(
    `{"type":"subscribe","id":"b","sql":"${sql}","params":[{"n":1425367890123456788,"2":0,"1":1.5}]}`,
  )
  ask(`{"type":"query","id":"q","sql":"${INSERT}","params":[1,${json}]}`)
  const seen = (type: string, id: string) =>
    raw.find((text) => text.includes(`"type":"${type}"`) && text.includes(`"id":"${id}"`))
  for (let turn = 0; turn < 500; turn += 1) {
    if (seen('result', 'q') !== undefined && seen('change', 'a') !== undefined) break
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  assert.ok(seen('result', 'q')?.includes(`"j":${json}`), raw.join('\n'))
  assert.ok(seen('change', 'a')?.includes(`"j":${json}`), raw.join('\n'))
  assert.equal(seen('change', 'b'), undefined)
  ask(
    '{"type":"query","id":"d","sql":"SCAN id FROM doc WHERE id = 1 AND j = $1","params":[{"n":1,"n":2}]}',
  )
  for (let turn = 0; turn < 500 && seen('error', 'd') === undefined; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  assert.match(seen('error', 'd') ?? '', /stands twice/)
})

test('an observer of this process reads every digit and writes it back', async (t) => {
  const copy = new Runs('copy', async (tx, { key, row }) => {
    await tx.query('SET text = $1 ON page WHERE id = $2', [JSON.stringify(row?.j), key[0]])
    await tx.query('SET copy = $1 ON page WHERE id = $2', [row?.j, key[0]])
  })
  const observed = await ObservedServer.start(t, { deps: { observers: [copy.defined] } })
  await observed.run('ALTER TABLE page ADD COLUMN j JSON')
  await observed.run('ALTER TABLE page ADD COLUMN copy JSON')
  await observed.run('CREATE OBSERVER copy ON page (j)')
  await observed.run(`INSERT INTO page (id, j) VALUES (1, '{"n":[1425367890123456789,1e400,0.5]}')`)
  await observed.drained('copy')
  const [row] = await observed.run('SCAN text FROM page')
  assert.equal(row?.text, '{"n":[1425367890123456789,1e400,0.5]}')
  const [equal] = await observed.run('SCAN id FROM page USE PRIMARY KEY WHERE j = copy')
  assert.deepEqual(equal, { id: 1 })
})
