// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { percolite } from '../../test/cli/percolite.ts'
import { startTestServer } from '../../test/server/test-server.ts'
import { testFolder } from '../../test/test-folder.ts'
import { progressText } from './transfer-progress.ts'

async function bank(t: TestContext) {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER, j JSON)')
  await server.query('CREATE TABLE "A b" (n INTEGER PRIMARY KEY, note TEXT)')
  await server.query(
    `INSERT INTO account (id, balance, j) VALUES ('bob', 9223372036854775807, '{"n":1.50}'), ('ann', 1, NULL)`,
  )
  await server.query(`INSERT INTO "A b" (n, note) VALUES (1, NULL), (2, ''), (3, 'a "b"')`)
  const { url } = await server.listen()
  const folder = await testFolder(t, 'export')
  const out = join(folder, 'out')
  const run = (...flags: readonly string[]) => percolite(['export', url, '--out', out, ...flags])
  const read = (name: string) => readFile(join(out, name))
  const manifest = async () => JSON.parse((await read('manifest.json')).toString())
  return { server, url, folder, out, run, read, manifest }
}

/** A server before another one, which answers the rows of tables as it is told. */
async function standIn(
  t: TestContext,
  url: string,
  answer: (reply: ServerResponse, rows: string) => void,
): Promise<string> {
  const proxy = createServer(async (request, reply) => {
    const body = []
    for await (const chunk of request) body.push(chunk)
    const { host: _host, connection: _connection, ...headers } = request.headers
    const { method = 'GET' } = request
    const real = await fetch(url + request.url, {
      method,
      headers: headers as Record<string, string>,
      ...(body.length > 0 && { body: Buffer.concat(body) }),
    })
    const text = await real.text()
    if (request.url?.includes('/rows')) return answer(reply, text)
    reply.writeHead(real.status, { 'content-type': 'application/json' }).end(text)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return `http://127.0.0.1:${(proxy.address() as { port: number }).port}`
}

describe('percolite export', () => {
  test('writes all tables as they are at one moment, in the order of their keys', async (t) => {
    const { run, read, out, manifest, server } = await bank(t)
    const { code, output, errors } = await run()
    assert.equal(code, 0, errors)
    assert.match(output, /: 5 rows of 2 tables as of \d+, \d+ bytes, [\d.]+ s\n$/)
    assert.deepEqual((await readdir(out)).toSorted(), [
      ...['account.ndjson', 'manifest.json', 'schema.sql', 'table-1.ndjson'],
    ])
    const rows =
      '{"id":"ann","balance":1,"j":null}\n{"id":"bob","balance":"9223372036854775807","j":{"n":1.50}}\n'
    assert.equal((await read('account.ndjson')).toString(), rows)
    assert.match((await read('schema.sql')).toString(), /^CREATE TABLE "A b" \([^;]*\);\n\nCREATE/)
    const { tables, readTimestamp, format } = await manifest()
    assert.equal(format, 1)
    assert.deepEqual(
      tables.map((each: { table: string; rows: number }) => [each.table, each.rows]),
      [
        ['A b', 3],
        ['account', 2],
      ],
    )
    assert.ok(readTimestamp <= (await server.get('/v1/status')).body.timestamp)
  })

  test('writes the rows and the definitions of an earlier moment', async (t) => {
    const { run, read, server } = await bank(t)
    const { readTimestamp } = (await server.query('SHOW TABLES')).body
    await server.query('ALTER TABLE account ADD COLUMN more TEXT')
    await server.query("DELETE FROM account WHERE id = 'ann'")
    await server.query('DROP TABLE "A b"')
    assert.equal((await run('--as-of', String(readTimestamp), '--format', 'csv')).code, 0)
    assert.match((await read('account.csv')).toString(), /^id,balance,j\r\nann,1,\r\nbob,/)
    assert.equal((await read('table-1.csv')).toString(), 'n,note\r\n1,\r\n2,""\r\n3,"a ""b"""\r\n')
    assert.doesNotMatch((await read('schema.sql')).toString(), /more/)
  })

  test('writes some tables, some rows, and compressed files', async (t) => {
    const { run, read, out, manifest } = await bank(t)
    const flags = ['--table', 'account', '--where', "id < 'b'", '--gzip', '--json']
    const { output } = await run(...flags)
    const { rows, tables } = JSON.parse(output)
    assert.deepEqual([rows, tables], [1, 1])
    assert.equal((await readdir(out)).length, 3)
    const text = gunzipSync(await read('account.ndjson.gz')).toString()
    assert.equal(text, '{"id":"ann","balance":1,"j":null}\n')
    assert.equal((await manifest()).where, "id < 'b'")
  })

  test('makes no export of what does not come whole', async (t) => {
    const { url, folder } = await bank(t)
    const tooOld = { code: 'snapshot_too_old', detail: 'It is gone.', status: 410, retryable: true }
    const cuts: ReadonlyArray<
      [string, string, number, RegExp, (reply: ServerResponse, rows: string) => void]
    > = [
      [
        'last line',
        'ndjson',
        3,
        /without its last line/,
        (reply, rows) => reply.end(rows.slice(0, rows.indexOf('{"end"'))),
      ],
      [
        'row',
        'ndjson',
        3,
        /without its last line/,
        (reply, rows) => reply.end(rows.slice(rows.indexOf('\n') + 1)),
      ],
      [
        'error',
        'ndjson',
        1,
        /snapshot_too_old.*\n.*ALTER STORE SET retention/,
        (reply) => reply.end(`${JSON.stringify({ error: tooOld })}\n`),
      ],
      [
        'end',
        'csv',
        3,
        /broke off/,
        (reply, rows) => {
          reply.write(rows.slice(0, 9))
          setTimeout(() => reply.destroy(), 50)
        },
      ],
      [
        'length',
        'csv',
        3,
        /--format ndjson/,
        (reply, rows) => {
          reply.useChunkedEncodingByDefault = false
          reply.shouldKeepAlive = false
          reply.writeHead(200, { 'content-type': 'text/csv' })
          reply.end(rows)
        },
      ],
    ]
    for (const [name, format, exit, said, answer] of cuts) {
      const away = await standIn(t, url, answer)
      const out = join(folder, name)
      const { code, errors } = await percolite(['export', away, '--out', out, '--format', format])
      assert.equal(code, exit, `${name}: ${errors}`)
      assert.match(errors, said, name)
      assert.match(errors, /is no export/, name)
      const files = await readdir(out)
      assert.ok(
        files.every((file) => file.endsWith('.partial')),
        `${name}: ${files}`,
      )
      assert.equal((await percolite(['import', url, out])).code, 2, name)
    }
  })

  test('ends with 2 for a wrong call, and writes into no folder that has files', async (t) => {
    const { run, url, folder } = await bank(t)
    assert.equal((await run()).code, 0)
    const again = await run()
    assert.deepEqual([again.code, /is not empty/.test(again.errors)], [2, true])
    assert.equal((await percolite(['export', url])).code, 2)
    assert.equal((await percolite(['export', 'here', '--out', join(folder, 'x')])).code, 2)
    const unknown = ['export', url, '--out', join(folder, 'y'), '--table', 'nope']
    assert.equal((await percolite(unknown)).code, 1)
  })

  test('ends in order by Ctrl-C, as an import does', async (t) => {
    const { url, folder } = await bank(t)
    const away = await standIn(t, url, (reply) => {
      reply.write('{"row":{"id":"ann"}}\n')
      process.emit('SIGINT')
    })
    const cut = await percolite(['export', away, '--out', join(folder, 'cut')])
    assert.deepEqual([cut.code, /no manifest/.test(cut.errors)], [130, true])
    const file = join(folder, 'rows.ndjson')
    await writeFile(file, '{"id":"kim"}\n{"id":"liv"}\n{"id":"zoe"}')
    const stopped = await standIn(t, url, (reply, answer) => {
      reply.writeHead(201, { 'content-type': 'application/json' }).end(answer)
      process.emit('SIGINT')
    })
    const flags = ['--table', 'account', '--batch', '1', '--parallel', '1']
    const first = await percolite(['import', stopped, file, ...flags])
    assert.deepEqual([first.code, /The same command goes on/.test(first.errors)], [130, true])
    const second = await percolite(['import', url, file, ...flags, '--json'])
    const { written, replayed } = JSON.parse(second.output)
    assert.deepEqual([second.code, written + replayed, replayed > 0], [0, 3, true])
  })
})

describe('percolite import of an export', () => {
  test('refuses files that are not as they were written, and names beyond the folder', async (t) => {
    const { run, out, read, url, manifest, server } = await bank(t)
    assert.equal((await run()).code, 0)
    await server.query('DELETE FROM account USE PRIMARY KEY')
    const rows = await read('account.ndjson')
    await writeFile(join(out, 'account.ndjson'), rows.toString().replace('ann', 'eve'))
    const changed = await percolite(['import', url, out])
    assert.deepEqual([changed.code, /not as it was written/.test(changed.errors)], [1, true])
    assert.deepEqual(await server.rows('SCAN * FROM account'), [])
    const asMade = await manifest()
    for (const file of ['../account.ndjson', '/etc/passwd', '..', 'a/b', '']) {
      const tables = [{ ...asMade.tables[1], file }]
      await writeFile(join(out, 'manifest.json'), JSON.stringify({ ...asMade, tables }))
      const { code, errors } = await percolite(['import', url, out])
      assert.deepEqual([code, /not a manifest/.test(errors)], [2, true], file)
    }
  })

  test('runs no statement of a manifest but those that make its own tables', async (t) => {
    const { run, out, url, manifest, server } = await bank(t)
    assert.equal((await run()).code, 0)
    await server.query('CREATE OBSERVER victim ON account (balance)')
    await server.query('DROP TABLE "A b"')
    const asMade = await manifest()
    const [first] = asMade.tables
    for (const statement of [
      'DROP TABLE account',
      'CREATE TABLE x (id INTEGER PRIMARY KEY); DROP TABLE account',
      'CREATE TOKEN mine ROLE admin EXPIRES IN 90 DAYS',
      'GRANT READ ON account TO PUBLIC',
      'DELETE FROM account USE PRIMARY KEY',
      'CREATE TABLE other (id INTEGER PRIMARY KEY)',
      'CREATE INDEX i ON account (balance)',
      'ALTER OBSERVER victim PAUSE',
      'ALTER TABLE account DROP COLUMN j',
      "CREATE SCHEDULE s EVERY '1 day' RUN victim",
      'ALTER SCHEDULE s PAUSE',
    ]) {
      const statements = [...first.statements, 'CREATE OBSERVER o ON "A b" (note)', statement]
      const tables = [{ ...first, statements }]
      await writeFile(join(out, 'manifest.json'), JSON.stringify({ ...asMade, tables }))
      const { code, errors } = await percolite(['import', url, out])
      assert.equal(code, 1, `${statement}: ${errors}`)
      const names = (await server.rows('SHOW TABLES')).map(({ table }) => table)
      assert.deepEqual(names, ['account'], statement)
    }
    const { body } = await server.get('/v1/tables/account')
    assert.deepEqual(
      [body.observers[0].state, body.indexes, body.columns.length],
      ['active', [], 3],
    )
    assert.equal((await server.rows('SCAN * FROM account')).length, 2)
    assert.equal((await server.rows('SHOW TOKENS')).length, 0)
  })

  test('makes the schedules that an export has, paused as they were, and none of another table', async (t) => {
    const { run, out, url, manifest, server } = await bank(t)
    await server.query('CREATE TABLE job (s TEXT, at TIMESTAMP, PRIMARY KEY (s, at))')
    await server.query('CREATE OBSERVER report ON job (at)')
    await server.query("CREATE SCHEDULE nightly EVERY '1 day' AT '03:00' RUN report MISSED ALL")
    await server.query("CREATE SCHEDULE weekly CRON '0 3 * * MON' ZONE 'Europe/Zurich' RUN report")
    await server.query('ALTER SCHEDULE nightly PAUSE')
    assert.equal((await run()).code, 0)
    const shown = await server.rows('SHOW SCHEDULES')
    const made = (await manifest()).tables.find(({ table }: { table: string }) => table === 'job')
    await server.query('DROP TABLE job')
    // An observer of this name would stay as it is, and get the schedule.
    await server.query('CREATE OBSERVER report ON account (balance)')
    const refused = await percolite(['import', url, out, '--table', 'job'])
    assert.deepEqual([refused.code, await server.rows('SHOW SCHEDULES')], [1, []], refused.errors)
    await server.query('DROP OBSERVER report')
    assert.equal((await percolite(['import', url, out, '--table', 'job'])).code, 0)
    assert.deepEqual(await server.rows('SHOW SCHEDULES'), shown)
    const created = await server.rows('SHOW CREATE TABLE job')
    assert.deepEqual(
      created.map(({ statement }) => statement),
      made.statements,
    )
    assert.equal((await percolite(['import', url, out, '--table', 'job'])).code, 0)
  })

  test('makes what is missing and no more, and notifies the observers', async (t) => {
    const { run, out, url, server } = await bank(t)
    await server.query('CREATE INDEX byBalance ON account (balance)')
    await server.query('CREATE OBSERVER audit ON account (balance)')
    await server.query('ALTER OBSERVER audit PAUSE')
    assert.equal((await run()).code, 0)
    await server.query('DROP TABLE account')
    assert.equal((await percolite(['import', url, out, '--table', 'account'])).code, 0)
    const { body } = await server.get('/v1/tables/account')
    assert.deepEqual(
      [body.indexes.length, body.observers.map(({ state }: { state: string }) => state)],
      [1, ['paused']],
    )
    assert.equal((await server.get('/v1/observers')).body.observers[0].pending, 2)
    await server.query('ALTER OBSERVER audit RESUME')
    await server.query('DROP INDEX byBalance')
    await server.query('CREATE INDEX byBalance ON "A b" (note)')
    const again = await percolite(['import', url, out, '--table', 'account', '--mode', 'put'])
    assert.deepEqual([again.code, again.errors.split('\n').length], [0, 2])
    assert.match(again.errors, /name is taken: CREATE INDEX byBalance ON account/)
    assert.equal((await server.get('/v1/tables/account')).body.observers[0].state, 'active')
    assert.equal((await percolite(['import', url, out, '--table', 'nope'])).code, 2)
  })
})

test('progress tells the rows, their rate, and the time that is left', () => {
  const done = { rows: 12_000, bytes: 3 * 2 ** 20, seconds: 3 }
  assert.equal(progressText(done, undefined), '12000 rows, 4000 rows/s, 3.0 MiB')
  assert.equal(progressText(done, 2 ** 22), '12000 rows, 4000 rows/s, 3.0 of 4.0 MiB, 1 s left')
  const none = { rows: 0, bytes: 0, seconds: 0 }
  assert.equal(progressText(none, 2 ** 20), '0 rows, 0 rows/s, 0.0 of 1.0 MiB')
})
