// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { percolite } from '../../test/cli/percolite.ts'
import { Terminal } from '../../test/cli/terminal.ts'
import { startTestServer } from '../../test/server/test-server.ts'
import { testFolder } from '../../test/test-folder.ts'

/** A bank, a shell that runs one file, and how often the server was asked to run a script. */
async function bank(t: TestContext) {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER, note JSON)')
  const { url } = await server.listen()
  const folder = await testFolder(t, 'files')
  const path = join(folder, 'all.sql')
  const run = async (text: string, before = '', ...flags: readonly string[]) => {
    await writeFile(path, text)
    const { code, output, errors } = await percolite(
      ['shell', url, ...flags],
      {},
      `${before}\\i ${path}\n`,
    )
    return { code, output, errors: errors.replaceAll(path, 'all.sql') }
  }
  const scripts = async () => {
    const { text } = await server.get('/metrics')
    const lines = text.matchAll(
      /^percolite_http_requests_total\{operation="runScript",.*\} (\d+)$/gm,
    )
    return [...lines].reduce((sum, [, count]) => sum + Number(count), 0)
  }
  const isRunning = async () => {
    const hasScript = async () => {
      const { running } = (await server.get('/v1/running')).body
      return running.some(({ operation }: { operation: string }) => operation === 'runScript')
    }
    while (!(await hasScript())) await sleep(5)
  }
  return { server, url, path, run, scripts, isRunning }
}

/** Statements that take far longer together than any of these tests. */
const LONG = Array.from(
  { length: 900 },
  (_, id) => `SCAN count(*) FROM account USE PRIMARY KEY WHERE id <> '${id}';\n`,
).join('')

const ROWS = `INSERT INTO account (id, balance, note) VALUES
  ('bob', 9223372036854775807, '{"n": 1.00000000000000000000000001}'), ('joe', 2, NULL);
`

describe('\\i', () => {
  test('and \\o take names with blanks in quotes', async (t) => {
    const { url, path } = await bank(t)
    const folder = dirname(path)
    await writeFile(join(folder, "a 'b'.sql"), 'SCAN count(*) AS n FROM account USE PRIMARY KEY;\n')
    const out = join(folder, 'a b.txt')
    const lines = [
      `\\o '${out}'`,
      `\\i '${join(folder, "a ''b''.sql")}'`,
      '\\o',
      `\\i "${join(folder, "a 'b'.sql")}"`,
    ]
    const { code, errors } = await percolite(
      ['shell', url, '--mode', 'ndjson'],
      {},
      lines.join('\n'),
    )
    assert.deepEqual([code, errors, await readFile(out, 'utf8')], [0, '', '{"n":0}\n'])
  })

  test('has the server run a file of definitions and statements, and prints what each of them came to', async (t) => {
    const { run } = await bank(t)
    const text = `-- a note with a ;
CREATE TABLE page (id TEXT PRIMARY KEY, data BYTES);
${ROWS}BEGIN; SET balance = 3 ON account WHERE id = 'joe'; COMMIT;
SCAN * FROM account; INSERT INTO page (id, data) VALUES ('a', X'00ff'); GET data FROM page WHERE id = 'a'`
    const rows =
      '{"id":"bob","balance":"9223372036854775807","note":{"n":1.00000000000000000000000001}}\n{"id":"joe","balance":3,"note":null}\n'
    assert.deepEqual(await run(text), { code: 0, output: `${rows}{"data":"AP8="}\n`, errors: '' })
    const { output } = await run('DROP TABLE page; SCAN id FROM account', '', '--mode', 'table')
    assert.equal(output, 'OK, 1 row\n\n id\n-----\n bob\n joe\n(2 rows)\n')
  })

  test('stops at what fails, with its place, what was done before, and how much that is', async (t) => {
    const { server, run } = await bank(t)
    const text = `${ROWS}GET id FROM account WHERE id = 'bob';\n  SET blance = 1 ON account WHERE id = 'bob';\nDROP TABLE account;`
    const { code, output, errors } = await run(text)
    assert.deepEqual([code, output], [1, '{"id":"bob"}\n'])
    assert.match(errors, /^all\.sql:4:7: ERROR: {2}unknown_column: .*\nLINE 4: {3}SET blance/)
    assert.match(
      errors,
      /\n2 of 4 statements are done, and stay\.\nline 1: ERROR: {2}all\.sql was not run/,
    )
    assert.equal((await server.get('/v1/tables/account')).status, 200)
  })

  test('runs nothing of a file whose text is wrong anywhere', async (t) => {
    const { server, run } = await bank(t)
    const wrong = await run(`${ROWS}\nGET FROM account;`)
    assert.deepEqual([wrong.code, wrong.output], [1, ''])
    assert.match(wrong.errors, /^all\.sql:4:5: ERROR: {2}syntax_error/)
    const open = await run(`${ROWS}BEGIN;\nSHOW TABLES;`)
    assert.match(open.errors, /^all\.sql:3:1: ERROR: {2}transaction_not_closed/)
    assert.deepEqual(await server.rows('SCAN * FROM account'), [])
  })

  test('runs nothing of a file that needs a value which no statement has read', async (t) => {
    const { server, run } = await bank(t)
    const text = "INSERT INTO account (id) VALUES ('new');\nDELETE FROM account WHERE id = :gone;\n"
    const { code, errors } = await run(text)
    assert.equal(code, 1)
    assert.match(errors, /^all\.sql:2:\d+: .*no value for :gone/m)
    assert.deepEqual(await server.rows('SCAN id FROM account'), [])
  })

  test('says of which statement it shows a part of the rows', async (t) => {
    const { run } = await bank(t)
    const ids = Array.from({ length: 150 }, (_, id) => `('${id}')`).join()
    const { code, output, errors } = await run(
      `INSERT INTO account (id) VALUES ${ids};\nSCAN id FROM account;`,
    )
    assert.deepEqual([code, output.trim().split('\n').length], [0, 100])
    assert.equal(
      errors,
      'all.sql:2: 100 rows are shown, and there are more: the statement alone shows them.\n',
    )
  })

  test('runs a file line by line, as if it was typed, where it needs what the shell has', async (t) => {
    const { server, run, scripts } = await bank(t)
    await server.query(ROWS)
    const get = "GET balance FROM account WHERE id = 'joe';\n"
    const set = "SET balance = 5 ON account WHERE id = 'joe';\n"
    const before = (await server.query('SHOW TABLES')).body.readTimestamp
    await server.query(set)
    const asked = await scripts()
    const past = await run(get, `\\asof ${before}\n`)
    assert.equal(past.output, `\\asof is ${before}.\n{"balance":2}\n`)
    const value = await run('GET balance FROM account WHERE id = :who;\n', '\\set who joe\n')
    assert.equal(value.output, '{"balance":5}\n')
    const command = await run(`BEGIN;\n${set}\\mode csv\n${get}ROLLBACK;\n`)
    assert.equal(command.output, '\\mode is csv.\nbalance\n5\n')
    const text = `INSERT INTO account (id) VALUES ('a\n\\d\nb');\n`
    assert.equal((await run(text)).code, 0)
    assert.equal((await server.rows("SCAN id FROM account WHERE id < 'b'"))[0].id, 'a\n\\d\nb')
    const goes = await run(`GET x FROM account WHERE id = 'joe';\n${get}`, '', '--continue')
    assert.deepEqual([goes.code, goes.output], [1, '{"balance":5}\n'])
    assert.equal(await scripts(), asked)
    await run('SHOW TABLES')
    assert.equal(await scripts(), asked + 1)
  })

  test('runs its statements in the transaction that is open', async (t) => {
    const { server, run } = await bank(t)
    const { code, errors } = await run(ROWS, 'BEGIN;\n')
    assert.deepEqual([code, /was rolled back/.test(errors)], [1, true])
    assert.deepEqual(await server.rows('SCAN * FROM account'), [])
    const definition = await run('CREATE TABLE page (id TEXT PRIMARY KEY);\n', 'BEGIN;\n')
    assert.match(definition.errors, /^all\.sql:1: ERROR: {2}script_mixture/)
  })

  test('runs what is too much for one script line by line, and nothing of an empty file', async (t) => {
    const { server, run } = await bank(t)
    const rows = ['a', 'b'].map((id) => `('${id}', '"${id.repeat(600_000)}"')`)
    const inserts = rows.map((row) => `INSERT INTO account (id, note) VALUES ${row};\n`)
    assert.deepEqual(await run(inserts.join('')), { code: 0, output: '', errors: '' })
    assert.deepEqual(await server.rows('SCAN count(*) AS n FROM account'), [{ n: 2 }])
    assert.deepEqual(await run('-- nothing\n'), { code: 0, output: '', errors: '' })
  })

  test('ends with 4 where the connection is lost, and with 1 where there is no such file', async (t) => {
    const { server, url, path, run, isRunning } = await bank(t)
    assert.equal((await run('', `\\i ${path}.not\n`)).code, 1)
    await server.query(ROWS)
    await writeFile(path, LONG)
    const running = percolite(['shell', url], {}, `\\i ${path}\n`)
    await isRunning()
    server.server.http.server.closeAllConnections()
    assert.equal((await running).code, 4)
  })

  test('is stopped by Ctrl-C, on the server too', async (t) => {
    const { server, url, path, isRunning } = await bank(t)
    await server.query(ROWS)
    await writeFile(path, `${LONG}DROP TABLE account;`)
    const terminal = new Terminal(['shell', url, '--no-history'])
    await terminal.until('percolite> ')
    terminal.type(`\\i ${path}\n`)
    await isRunning()
    terminal.type('\u0003')
    assert.match(await terminal.until('percolite> '), /Stopped\./)
    terminal.type('\\q\n')
    await terminal.code
    assert.equal((await server.get('/v1/tables/account')).status, 200)
  })
})
