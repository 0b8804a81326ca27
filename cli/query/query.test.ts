// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, type TestContext, test } from 'node:test'
import { percolite } from '../../test/cli/percolite.ts'
import { startRefusing, vacantUrl } from '../../test/client-sdk/refusing-server.ts'
import { startTestServer } from '../../test/server/test-server.ts'
import { TokenServer } from '../../test/server/token-server.ts'
import { testFolder } from '../../test/test-folder.ts'
import { parameterOf } from './given-parameters.ts'

async function bank(t: TestContext) {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER, j JSON)')
  await server.query("INSERT INTO account (id, balance) VALUES ('bob', 10), ('joe', 2)")
  const { url } = await server.listen()
  const query = (...args: readonly string[]) => percolite(['query', url, ...args])
  return { server, url, query }
}

describe('percolite query', () => {
  test('prints rows as NDJSON where nobody looks, and in every other form that is asked for', async (t) => {
    const { query } = await bank(t)
    const sql = "SCAN id, balance FROM account WHERE id < 'c'"
    const printed = async (mode: string) => (await query(sql, '--mode', mode)).output
    assert.deepEqual(await query(sql), {
      code: 0,
      output: '{"id":"bob","balance":10}\n',
      errors: '',
    })
    assert.equal(
      await printed('table'),
      ' id  | balance\n-----+---------\n bob |      10\n(1 row)\n',
    )
    assert.equal(await printed('expanded'), '-[ RECORD 1 ]\nid      | bob\nbalance | 10\n(1 row)\n')
    assert.equal(await printed('json'), '[\n{"id":"bob","balance":10}\n]\n')
    assert.equal(await printed('csv'), 'id,balance\nbob,10\n')
    assert.equal(await printed('line'), 'id      = bob\nbalance = 10\n')
    assert.equal(await printed('markdown'), '| id | balance |\n|---|---:|\n| bob | 10 |\n')
    const quiet = await query(sql, '--mode', 'table', '--quiet')
    assert.equal(quiet.output, ' id  | balance\n-----+---------\n bob |      10\n')
  })

  test('uses the one of several servers that takes writes, and names all where none answers', async (t) => {
    const { url, server } = await bank(t)
    const [down, standby] = [await vacantUrl(), await startRefusing(t, 'not_primary', url)]
    const write = "INSERT INTO account (id, balance) VALUES ('eve', 1)"
    const given = `${down},${standby.url},${url}`
    assert.equal((await percolite(['query', given, write])).code, 0)
    assert.equal((await server.rows("GET * FROM account WHERE id = 'eve'")).length, 1)
    const read = ['query', '--url', `${down},${url}`, "GET balance FROM account WHERE id = 'eve'"]
    assert.equal((await percolite(read)).output, '{"balance":1}\n')
    const other = await vacantUrl()
    const none = await percolite(['query', `${down},${other}`, write])
    assert.equal(none.code, 3)
    assert.match(none.errors, new RegExp(`${down}, ${other}`))
    const wrong = await percolite(['query', '--url', `${url},b`, write])
    assert.deepEqual([wrong.code, /--url/.test(wrong.errors)], [2, true])
  })

  test('runs definitions and rows of one text part by part, and says so', async (t) => {
    const { url, server } = await bank(t)
    const text = `CREATE TABLE tag (id TEXT PRIMARY KEY);
      BEGIN; INSERT INTO tag (id) VALUES ('a'); INSERT INTO tag (id) VALUES ('b'); COMMIT; SCAN id FROM tag`
    const send = (sql: string, ...more: string[]) =>
      percolite(['query', url, '-', ...more], {}, sql)
    const done = await send(text)
    assert.deepEqual([done.code, done.output], [0, '{"id":"a"}\n{"id":"b"}\n'])
    assert.match(done.errors, /^It has definitions, so that it is run as a script: each part/)
    const stopped = await send(
      "CREATE TABLE u (id TEXT PRIMARY KEY); INSERT INTO tag (id) VALUES ('a')",
    )
    assert.equal(stopped.code, 1)
    assert.match(stopped.errors, /already_exists[\s\S]*\n1 of 2 statements are done, and stay\.\n$/)
    const given = await send(
      'CREATE TABLE v (id TEXT PRIMARY KEY); INSERT INTO v (id) VALUES (:a)',
      '--param',
      'a=b',
    )
    assert.match(given.errors, /script_mixture[\s\S]*HINT: {2}POST \/v1\/scripts/)
    const tables = (await server.rows('SHOW TABLES')).map(({ table }) => table)
    assert.deepEqual(tables, ['account', 'tag', 'u'])
  })

  test('shows a plan as text, and a row whose columns only have the names of one as a row', async (t) => {
    const { server, query } = await bank(t)
    await server.query('CREATE TABLE note (text TEXT PRIMARY KEY, plan JSON)')
    await server.query(`INSERT INTO note (text, plan) VALUES ('mine', '{"statement":1}')`)
    const scan = 'SCAN text, plan FROM note'
    for (const mode of ['table', 'expanded']) {
      const rows = await query(scan, '--mode', mode)
      assert.match(rows.output, /mine.*\n?.*\{"statement":1\}/)
      const plan = await query(`EXPLAIN ${scan}`, '--mode', mode)
      assert.match(plan.output, /^SCAN note\n {2}access: whole key/)
    }
    const { results } = (await server.query(`EXPLAIN ${scan}; ${scan}`)).body
    assert.deepEqual(
      results.map(({ kind }: { kind?: string }) => kind),
      ['explain', undefined],
    )
  })

  test('runs a statement for all rows of a SCAN, and says how many', async (t) => {
    const { server, query } = await bank(t)
    const set = 'SET balance = :balance + 1 ON account WHERE id = :id IF balance < :balance + 1'
    const done = await query('SCAN id, balance FROM account', '--all', set)
    assert.deepEqual([done.code, done.errors], [0, ''])
    assert.equal(
      done.output,
      '2 rows of the SCAN are done, in transactions: 1, rows affected: 2.\n',
    )
    const rows = await server.rows('SCAN id, balance FROM account')
    assert.deepEqual(rows, [
      { id: 'bob', balance: 11 },
      { id: 'joe', balance: 3 },
    ])
    const failed = await query(
      'SCAN id FROM account',
      '--all',
      'SET balance = 1 / 0 ON account WHERE id = :id',
    )
    assert.equal(failed.code, 1)
    assert.match(failed.errors, /division_by_zero[\s\S]*Before that: 0 rows/)
  })

  test('rounds no value, and shows no control character as one', async (t) => {
    const { server, query } = await bank(t)
    const j = '{"n":12345678901234567890,"x":1.50}'
    await server.query(
      `INSERT INTO account (id, balance, j) VALUES ('${'\u001b[2J'}', 9223372036854775807, '${j}')`,
    )
    const sql = "SCAN * FROM account WHERE id < 'a'"
    assert.equal(
      (await query(sql)).output,
      `{"id":"\\u001b[2J","balance":"9223372036854775807","j":${j}}\n`,
    )
    const { output } = await query(sql, '--mode', 'line')
    assert.equal(output, `id      = \\u001b[2J\nbalance = 9223372036854775807\nj       = ${j}\n`)
  })

  test('reads a SCAN of any length by the page, under one header', async (t) => {
    const { server, query } = await bank(t)
    await server.query('CREATE TABLE n (id INTEGER PRIMARY KEY)')
    const rows = Array.from({ length: 2_500 }, (_, id) => ({ id }))
    assert.equal((await server.post('/v1/tables/n/rows', rows)).status, 201)
    const csv = (await query('SCAN * FROM n', '--mode', 'csv')).output.split('\n')
    assert.deepEqual([csv.length, csv[0], csv[1], csv.at(-2)], [2_502, 'id', '0', '2499'])
    const table = (await query('SCAN * FROM n', '--mode', 'table')).output.split('\n')
    assert.deepEqual([table.length, table[0], table.at(-2)], [2_504, ' id', '(2500 rows)'])
    const json = await query('SCAN * FROM n', '--mode', 'json')
    assert.deepEqual(JSON.parse(json.output), rows)
  })

  test('takes parameters as JSON where they are JSON, and as texts where not', async (t) => {
    const { query } = await bank(t)
    const insert = 'INSERT INTO account (id, balance, j) VALUES (:id, :n, :j) RETURNING *'
    const named = [
      '--param',
      'id=a,b',
      '--param',
      ':n=9223372036854775807',
      '--param',
      'j={"a":[1]}',
    ]
    assert.equal(
      (await query(insert, ...named)).output,
      '{"id":"a,b","balance":"9223372036854775807","j":{"a":[1]}}\n',
    )
    const numbered = await query('GET id FROM account WHERE id = $1', '--param', '1=bob')
    assert.equal(numbered.output, '{"id":"bob"}\n')
    const texts = ['bob', '"5"', '5', '-0', 'true', 'null', '[1', '1.5', ''].map(parameterOf)
    assert.deepEqual(texts, ['bob', '5', 5n, 0n, true, null, '[1', 1.5, ''])
  })

  test('reads its text from standard input, up to what a server takes', async (t) => {
    const { url } = await bank(t)
    for (const args of [[url], [url, '-']]) {
      const { output } = await percolite(
        ['query', ...args],
        {},
        "GET id FROM account WHERE id = 'joe'",
      )
      assert.equal(output, '{"id":"joe"}\n')
    }
    const latin = Readable.from([Buffer.from("GET 'Jos\u00e9'", 'latin1')])
    const refused = await percolite(['query', url, '-'], {}, latin)
    assert.match(refused.errors, /it is not UTF-8/)
    const endless = Readable.from(
      (function* () {
        while (true) yield Buffer.alloc(65_536, ' ')
      })(),
    )
    const { code, errors } = await percolite(['query', url], {}, endless)
    assert.deepEqual([code, errors.includes('more than 1 MiB')], [2, true])
  })

  test('ends with 1 for a statement that fails, and shows its place', async (t) => {
    const { server, query } = await bank(t)
    assert.deepEqual(await query('SCAN * FRM account'), {
      code: 1,
      output: '',
      errors:
        "ERROR:  syntax_error: expected FROM, found 'FRM'\nLINE 1: SCAN * FRM account\n               ^\n",
    })
    assert.equal((await query('BEGIN')).code, 1)
    assert.equal((await server.get('/v1/transactions')).body.total, 0)
  })

  test('ends with 2 for a wrong call', async (t) => {
    const { url, query } = await bank(t)
    for (const args of [
      ['GET', 'a'],
      ['SHOW TABLES', '--mode', 'xml'],
      ['SHOW TABLES', '--param', 'x'],
      ['SHOW TABLES', '--param', 'x=1', '--param', 'x=2'],
      ['SHOW TABLES', '--param', '2=1'],
      ['SHOW TABLES', '--url', url],
      ['SHOW TABLES', '--token-file', '/nowhere'],
    ]) {
      const { code, errors } = await query(...args)
      assert.equal(code, 2, `${args}: ${errors}`)
      assert.match(errors, /^percolite: .*\n$/)
    }
    assert.equal((await percolite(['query', 'SHOW TABLES', '--url', 'here'])).code, 2)
  })

  test('ends with 3 without a connection, and with 4 where no answer came to what may have been written', async () => {
    const nobody = createServer()
    await new Promise<void>((resolve) => nobody.listen(0, '127.0.0.1', resolve))
    const { port } = nobody.address() as { port: number }
    const url = `http://127.0.0.1:${port}`
    const write = "SET balance = 1 ON account WHERE id = 'bob'"
    nobody.on('connection', (socket) => socket.once('data', () => socket.destroy()))
    const lost = await percolite(['query', url, write])
    assert.deepEqual([lost.code, /may have been done/.test(lost.errors)], [4, true])
    assert.equal((await percolite(['query', url, 'SCAN * FROM account;'])).code, 3)
    await new Promise((resolve) => nobody.close(resolve))
    assert.equal((await percolite(['query', url, write])).code, 3)
  })

  test('ends with 4 where the answer to a write is that of a proxy, and with 3 where nothing can have been done', async (t) => {
    const answers = { 502: '<html>', 200: '{"results":', 404: '<html>' }
    const write = "SET balance = 1 ON account WHERE id = 'bob'"
    for (const [status, text] of Object.entries(answers)) {
      const proxy = createHttpServer((_, response) => response.writeHead(Number(status)).end(text))
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
      t.after(() => proxy.close())
      const url = `http://127.0.0.1:${(proxy.address() as { port: number }).port}`
      const { code, errors } = await percolite(['query', url, write])
      const isUnknown = status !== '404'
      assert.deepEqual([code, /may have been done/.test(errors)], [isUnknown ? 4 : 3, isUnknown])
      assert.equal((await percolite(['query', url, 'SCAN * FROM account'])).code, 3)
    }
  })

  test('says what to do about an address that begins with no http, and one where nothing listens', async (t) => {
    const { url, server } = await bank(t)
    const bare = await percolite(['query', url.replace('http://', ''), 'SHOW TABLES'])
    assert.deepEqual([bare.code, bare.errors.includes(`: ${url}.`)], [2, true], bare.errors)
    await server.server.close()
    const { code, errors } = await percolite(['query', url, 'SHOW TABLES'])
    assert.equal(code, 3)
    assert.match(errors, /\nHINT: {2}Nothing listens there: percolite serve starts a server/)
  })

  test('shows the token of a file or of the environment, and sends it to no other machine in the clear', async (t) => {
    const { server, token } = await TokenServer.start(t)
    const { url } = await server.listen()
    const path = join(await testFolder(t, 'token'), 'token')
    await writeFile(path, `${token}\n`)
    const sql = 'SHOW TABLES'
    const { code: none, errors: refused } = await percolite(['query', url, sql])
    assert.deepEqual(
      [none, /\nHINT: .*--token-file.*PERCOLITE_TOKEN/.test(refused)],
      [3, true],
      refused,
    )
    assert.equal((await percolite(['query', url, sql, '--token-file', path])).code, 0)
    assert.equal(
      (await percolite(['query', sql], { PERCOLITE_TOKEN: token, PERCOLITE_URL: url })).code,
      0,
    )
    const away = ['query', 'http://db.example:4270', sql]
    const { code, errors } = await percolite(away, { PERCOLITE_TOKEN: token })
    assert.deepEqual([code, errors.includes('--insecure')], [2, true])
  })
})
