// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { percolite } from '../../test/cli/percolite.ts'
import { startTestServer } from '../../test/server/test-server.ts'
import { testFolder } from '../../test/test-folder.ts'

async function scripts(t: TestContext) {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)')
  await server.query("INSERT INTO account (id, balance) VALUES ('bob', 10)")
  const { url } = await server.listen()
  const run = (script: string, ...flags: readonly string[]) =>
    percolite(['shell', url, ...flags], {}, script)
  return { server, run, folder: await testFolder(t, 'scripts') }
}

describe('percolite shell without a terminal', () => {
  test('runs what it reads, and prints rows as NDJSON, or as it is told', async (t) => {
    const { run } = await scripts(t)
    const script = [
      '-- a note with a ;',
      "INSERT INTO account (id, balance) VALUES ('a;",
      "b', 9223372036854775807);",
      '',
      'SCAN *',
      '  FROM account; -- all of them',
      'SHOW OBSERVERS',
    ]
    assert.deepEqual(await run(script.join('\r\n')), {
      code: 0,
      output: '{"id":"a;\\nb","balance":"9223372036854775807"}\n{"id":"bob","balance":10}\n',
      errors: '',
    })
    const { output } = await run('\\mode csv\nSCAN * FROM account;\n', '--mode', 'table')
    assert.equal(output, '\\mode is csv.\nid,balance\n"a;\nb",9223372036854775807\nbob,10\n')
  })

  test('stops at the first error with its line, and goes on where it is told to', async (t) => {
    const { run } = await scripts(t)
    const script = "\n\nSCAN *\n  FRM account;\nGET id FROM account WHERE id = 'bob';\n\\nothing\n"
    const stopped = await run(script)
    assert.deepEqual([stopped.code, stopped.output], [1, ''])
    assert.match(
      stopped.errors,
      /^line 3: ERROR: {2}syntax_error: .*\nLINE 2: {3}FRM account;?\n {10}\^\n/,
    )
    const all = await run(script, '--continue')
    assert.deepEqual([all.code, all.output], [1, '{"id":"bob"}\n'])
    assert.match(all.errors, /line 6: ERROR: {2}There is no command \\nothing/)
  })

  test('takes a statement of thousands of lines, and leaves one that is too long to the server', async (t) => {
    const { run } = await scripts(t)
    const rows = Array.from({ length: 4_000 }, (_, at) => `  ('row ${at}', ${at})`)
    const script = `INSERT INTO account (id, balance) VALUES\n${rows.join(',\n')};\nSCAN COUNT(*) AS n FROM account;\n`
    assert.deepEqual((await run(script)).output, '{"n":4001}\n')
    const long = await run(`GET * FROM account WHERE id = '${'x'.repeat(1_100_000)}';\n`)
    assert.deepEqual([long.code, /limit_exceeded/.test(long.errors)], [1, true])
  })

  test('rolls back what is open at the end, and says so', async (t) => {
    const { server, run } = await scripts(t)
    const { code, errors } = await run("BEGIN;\nSET balance = 1 ON account WHERE id = 'bob';\n")
    assert.deepEqual([code, /was rolled back/.test(errors)], [1, true])
    assert.equal((await server.get('/v1/transactions')).body.total, 0)
    const done = await run("BEGIN;\nSET balance = 1 ON account WHERE id = 'bob';\nCOMMIT;\n")
    assert.deepEqual([done.code, done.errors], [0, ''])
  })

  test('runs files, their results go to files, and both say what is wrong', async (t) => {
    const { run, folder } = await scripts(t)
    const [inner, rows] = [join(folder, 'inner.sql'), join(folder, 'rows')]
    await writeFile(inner, `\\o ${rows}\nSCAN * FROM account;\n\\o\nSHOW NOTHING;\n`)
    const { code, output, errors } = await run(`\\i ${inner}\n`)
    assert.deepEqual([code, output], [1, ''])
    assert.match(
      errors,
      new RegExp(
        `^${inner}:4: ERROR: {2}syntax_error[\\s\\S]*line 1: ERROR: {2}${inner} was not run`,
      ),
    )
    assert.equal(await readFile(rows, 'utf8'), '{"id":"bob","balance":10}\n')
    await writeFile(inner, `\\i ${inner}\n`)
    assert.match((await run(`\\i ${inner}\n`)).errors, /More than 16 files inside each other/)
  })

  test('sets values of parameters, which stand where the text has them', async (t) => {
    const { run } = await scripts(t)
    const script = [
      '\\set who bob',
      '\\set other 5',
      'GET id FROM account WHERE id = :who;',
      "GET balance, ':who' AS text FROM account WHERE id = 'bob';",
      '\\set',
    ]
    const { output, errors } = await run(script.join('\n'))
    assert.equal(errors, '')
    assert.equal(
      output,
      '{"id":"bob"}\n{"balance":10,"text":":who"}\n{"name":"who","value":"\\"bob\\""}\n{"name":"other","value":"5"}\n',
    )
  })

  test('has its own commands for what the server knows', async (t) => {
    const { server, run } = await scripts(t)
    await server.query('CREATE INDEX byBalance ON account (balance DESC)')
    const before = (await server.query('SHOW TABLES')).body.readTimestamp
    await server.query("SET balance = 11 ON account WHERE id = 'bob'")
    const of = async (...lines: readonly string[]) => {
      const { code, output, errors } = await run(lines.join('\n'))
      assert.deepEqual([code, errors], [0, ''], lines.join())
      return output
    }
    const query = "GET balance FROM account WHERE id = 'bob';"
    assert.match(await of('\\d'), /^\{"table":"account"/)
    assert.match(await of('\\d account'), /"column":"balance"[\s\S]*"name":"byBalance"/)
    assert.match(
      await of('\\di'),
      /^\{"index":"byBalance","table":"account","columns":"balance DESC"/,
    )
    assert.equal(await of('\\do'), '')
    assert.equal(await of('\\tx'), '')
    assert.equal(await of('\\locks'), '')
    assert.equal(await of('\\conflicts'), '')
    assert.match(
      await of('\\statements'),
      /"statement":"SET balance = \? ON account WHERE id = \?","count":1,.*"key":"PRIMARY KEY \(id\)"\}/,
    )
    assert.match(await of('\\status'), /"name":"version","value":"\d/)
    assert.match(await of('\\cells account bob'), /"family":"write","column":/)
    assert.equal(await of(query, '\\g'), '{"balance":11}\n{"balance":11}\n')
    assert.equal(await of(query.replace(';', ''), '\\g'), '{"balance":11}\n')
    assert.match(await of(query, '\\explain'), /point get/)
    const script = 'BEGIN; SCAN MAX(balance) FROM account INTO :top; SET balance = :top ON account'
    const explained = await of(`${script} WHERE id = 'bob'; ROLLBACK;`, '\\explain')
    assert.match(explained, /SCAN account[\s\S]*SET account[\s\S]*sets balance = :top/)
    assert.equal(await of(query, '\\watch 0.1 2'), '{"balance":11}\n'.repeat(3))
    assert.equal(
      await of(`\\asof ${before}`, query, '\\asof off', query),
      `\\asof is ${before}.\n{"balance":10}\n\\asof is off.\n{"balance":11}\n`,
    )
    assert.match(await of('\\x', '\\mode table', query), /balance \| 11\n/)
    assert.match(await of('\\timing on', '\\mode table', query), /\(1 row, \d+\.\d ms\)\n/)
    assert.match(await of('\\?'), /\\watch \[seconds\] \[count\]/)
    assert.equal(await of('\\q', query), '')
  })

  test('says of each of its commands what it is called with', async (t) => {
    const { run } = await scripts(t)
    for (const wrong of [
      ...['\\x maybe', '\\mode xml', '\\timing x', '\\set 5', '\\cells account', '\\i', '\\g'],
      ...['\\explain', 'SHOW TABLES;\n\\watch 1', 'SHOW TABLES;\n\\watch 0', '\\live', '\\e'],
    ]) {
      const { code, errors } = await run(wrong)
      assert.deepEqual(
        [code, /^line \d: ERROR: {2}/.test(errors)],
        [1, true],
        `${wrong}: ${errors}`,
      )
    }
  })

  test('ends with 2 for a wrong call, and with 3 without a server', async () => {
    assert.equal((await percolite(['shell', 'http://127.0.0.1:9'], {}, 'SHOW TABLES;')).code, 3)
    assert.equal((await percolite(['shell', 'http://127.0.0.1:9', 'SHOW TABLES'], {}, '')).code, 2)
  })
})
