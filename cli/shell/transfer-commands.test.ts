// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { percolite } from '../../test/cli/percolite.ts'
import { Terminal } from '../../test/cli/terminal.ts'
import { startTestServer } from '../../test/server/test-server.ts'
import { testFolder } from '../../test/test-folder.ts'

async function bank(t: TestContext) {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)')
  await server.query(
    "INSERT INTO account (id, balance) VALUES ('bob', 9223372036854775807), ('joe', NULL)",
  )
  const { url } = await server.listen()
  const folder = await testFolder(t, 'transfer')
  const run = (...lines: readonly string[]) => percolite(['shell', url], {}, lines.join('\n'))
  const rows = () => server.rows('SCAN * FROM account')
  return { server, url, folder, run, rows, file: (name: string) => join(folder, name) }
}

describe('\\export', () => {
  test('writes a table, or the rows of a SCAN, in the form that its file is named for', async (t) => {
    const { run, file, folder } = await bank(t)
    const [all, csv, zipped] = [file('all.ndjson'), file('some of.csv'), file('zipped.csv.gz')]
    await writeFile(all, 'what was there before')
    const { code, output, errors } = await run(
      `\\export account ${all}`,
      '\\set most 9223372036854775807',
      `\\export SCAN balance, id FROM account USE PRIMARY KEY WHERE balance = :most; '${csv}'`,
      `\\export "account" ${zipped}`,
    )
    assert.deepEqual([code, errors], [0, ''])
    assert.match(output, /all\.ndjson: 2 rows, 73 bytes, [\d.]+ s\n.*some of\.csv: 1 rows/s)
    assert.equal(
      await readFile(all, 'utf8'),
      '{"id":"bob","balance":"9223372036854775807"}\n{"id":"joe","balance":null}\n',
    )
    assert.equal(await readFile(csv, 'utf8'), 'balance,id\r\n9223372036854775807,bob\r\n')
    assert.match(gunzipSync(await readFile(zipped)).toString(), /^id,balance\r\nbob,/)
    assert.deepEqual((await readdir(folder)).length, 3)
  })

  test('reads the past that the shell reads', async (t) => {
    const { server, run, file } = await bank(t)
    const before = (await server.query('SHOW TABLES')).body.readTimestamp
    await server.query("DELETE FROM account WHERE id = 'bob'")
    const scan = `\\export SCAN id FROM account ${file('scan')}`
    const done = await run(`\\asof ${before}`, `\\export account ${file('table')}`, scan)
    assert.deepEqual([done.code, done.errors], [0, ''])
    assert.match(await readFile(file('table'), 'utf8'), /bob[\s\S]*joe/)
    assert.equal(await readFile(file('scan'), 'utf8'), '{"id":"bob"}\n{"id":"joe"}\n')
  })

  test('leaves nothing of a file when it fails, and says how it is called', async (t) => {
    const { run, file, folder } = await bank(t)
    for (const [wrong, message] of [
      [`\\export nothing ${file('a')}`, /unknown_table/],
      [`\\export SCAN x FROM account ${file('a')}`, /unknown_column/],
      [`\\export account ${file('no/folder')}`, /ENOENT/],
      ['\\export account', /It is \\export table file/],
      [`\\export GET id FROM account ${file('a')}`, /It is \\export table file/],
      [`BEGIN;\n\\export account ${file('a')}`, /not part of a transaction/],
    ] as const) {
      const { code, errors } = await run(wrong)
      assert.equal(code, 1, wrong)
      assert.match(errors, message)
    }
    assert.deepEqual(await readdir(folder), [])
  })
})

describe('\\import', () => {
  test('inserts the rows of a file into a table, and goes on where it was when it is done again', async (t) => {
    const { run, rows, file } = await bank(t)
    await writeFile(file('more.csv'), 'id,balance\namy,1\neve,\n')
    const { code, output, errors } = await run(`\\import ${file('more.csv')} account`)
    assert.deepEqual([code, errors], [0, ''])
    assert.match(output, /^2 rows written, [\d.]+ s\n$/)
    assert.equal((await rows()).length, 4)
    const again = await run(`\\import '${file('more.csv')}' "account"`)
    assert.match(again.output, /^0 rows written, 2 written by an earlier run/)
  })

  test('takes an export as a whole', async (t) => {
    const { server, url, run, rows, file } = await bank(t)
    const before = await rows()
    assert.equal((await percolite(['export', url, '--out', file('out')])).code, 0)
    await server.query('DROP TABLE account')
    const { code, errors } = await run(`\\import ${file('out')}`)
    assert.deepEqual([code, errors], [0, ''])
    assert.deepEqual(await rows(), before)
  })

  test('ends at a row that is refused, with its line, and says how it is called', async (t) => {
    const { run, rows, file } = await bank(t)
    await writeFile(file('bad'), '{"id":"amy","balance":1}\n{"id":"bob","balance":1}\n')
    const bad = await run(`\\import ${file('bad')} account`)
    assert.equal(bad.code, 1)
    assert.match(bad.errors, /^line 2: already_exists: .*\nline 1: ERROR: {2}A row was refused/)
    const left = await rows()
    for (const [wrong, message] of [
      ['\\import', /It is \\import file table/],
      [`\\import ${file('bad')}`, /name the one table/],
      [`\\import ${file('none')} account`, /there is no such file/],
      ['\\import - account', /there is no such file/],
      [`BEGIN;\n\\import ${file('bad')} account`, /not part of a transaction/],
    ] as const) {
      const { code, errors } = await run(wrong)
      assert.equal(code, 1, wrong)
      assert.match(errors, message)
    }
    assert.deepEqual(await rows(), left)
  })
})

test('tables behind \\export and \\import are completed by Tab', async (t) => {
  const { url } = await bank(t)
  const terminal = new Terminal(['shell', url, '--no-history'])
  for (const begun of ['\\export acc', '\\import some.csv acc']) {
    await terminal.until('percolite> ')
    terminal.type(begun)
    await sleep(50)
    terminal.type('\t')
    await terminal.until('account ')
    terminal.type('\u0003')
  }
  terminal.type('\\q\n')
  await terminal.code
})
