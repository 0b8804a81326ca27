// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { percolite } from '../../test/cli/percolite.ts'
import { startTestServer } from '../../test/server/test-server.ts'
import { testFolder } from '../../test/test-folder.ts'

async function bank(t: TestContext) {
  const server = await startTestServer(t)
  await server.query(
    'CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL DEFAULT 7, r REAL, b BOOLEAN, j JSON, note TEXT)',
  )
  const { url } = await server.listen()
  const folder = await testFolder(t, 'import')
  const errorsFile = join(folder, 'errors.ndjson')
  const run = async (name: string, text: string | Uint8Array, ...flags: readonly string[]) => {
    const file = join(folder, name)
    await writeFile(file, text)
    return await percolite(['import', url, file, '--table', 'account', ...flags])
  }
  const errors = async () =>
    (await readFile(errorsFile, 'utf8'))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  const all = () => server.rows('SCAN * FROM account')
  return { server, url, folder, run, errors, errorsFile, all }
}

const NONE = { r: null, b: null, j: null, note: null }

describe('percolite import', () => {
  test('names each line that is no row, or is refused, and imports the others', async (t) => {
    const { run, errors, errorsFile, all } = await bank(t)
    const lines = [
      '\ufeff{"id":"ann","balance":1}',
      '',
      '{"id":"bob"',
      '[1]',
      'null',
      '{"id":"bob","balance":"x"}',
      '{"id":"ann"}',
      '{"id":"eve","balance":null}',
      '{"id":"eve","blance":1}',
      '{"balance":1}',
      '{"id":"kim"},{"id":"ken"}',
      '{"id":"zoe"}',
    ]
    const text = Buffer.concat([
      Buffer.from(`${lines.join('\r\n')}\r\n`),
      Buffer.from([0x22, 0xff]),
    ])
    const flags = ['--errors', errorsFile, '--max-errors', '20', '--batch', '3']
    const { code, output } = await run('a.ndjson', text, ...flags)
    assert.equal(code, 1)
    assert.match(output, /^2 rows written, 10 refused, [\d.]+ s\n$/)
    assert.deepEqual(
      (await errors()).map(({ line, error }) => [line, error.code]).toSorted(([a], [b]) => a - b),
      [
        [3, 'invalid_row'],
        [4, 'invalid_row'],
        [5, 'invalid_row'],
        [6, 'type_mismatch'],
        [7, 'already_exists'],
        [8, 'not_null_violation'],
        [9, 'unknown_column'],
        [10, 'not_null_violation'],
        [11, 'invalid_row'],
        [13, 'invalid_row'],
      ],
    )
    const [refused] = (await errors()).filter(({ line }) => line === 6)
    assert.deepEqual(refused.row, { id: 'bob', balance: 'x' })
    assert.deepEqual(
      (await all()).map(({ id, balance }) => [id, balance]),
      [
        ['ann', 1],
        ['zoe', 7],
      ],
    )
  })

  test('reads CSV by its header and the types of the table, and counts lines within fields', async (t) => {
    const { run, errors, errorsFile, all } = await bank(t)
    const text = [
      '\ufeffid,balance,r,b,j,note',
      '"a""b",9223372036854775807,-1.5e3,TRUE,"{""n"":1.50}","two\nlines"',
      '',
      'bob,1,,,,',
      'c,2,,,,""',
      'd,3,,,x,',
      '"e\r\n\r\n",x,,,,',
      'f,1',
      'g,1,one,,,',
      'h,4,0,false,"""s""", kept ',
    ].join('\r\n')
    const flags = ['--errors', errorsFile, '--max-errors', '20']
    const { code, errors: told } = await run('a.csv', text, ...flags)
    assert.equal(code, 1, told)
    assert.deepEqual(
      (await errors())
        .map(({ line, error }) => [line, error.code, error.columnName])
        .toSorted(([a], [b]) => a - b),
      [
        [7, 'invalid_row', undefined],
        [8, 'type_mismatch', 'balance'],
        [11, 'invalid_row', undefined],
        [12, 'type_mismatch', 'r'],
      ],
    )
    assert.deepEqual(await all(), [
      {
        ...{ id: 'a"b', balance: '9223372036854775807', r: -1500, b: true, j: { n: 1.5 } },
        note: 'two\nlines',
      },
      { ...NONE, id: 'bob', balance: 1 },
      { ...NONE, id: 'c', balance: 2, note: '' },
      { id: 'h', balance: 4, r: 0, b: false, j: 's', note: ' kept ' },
    ])
  })

  test('takes numbers as spreadsheets write them, and no others', async (t) => {
    const { run, server } = await bank(t)
    const numbers = ['.5', '5.', '+5', '-.5e1', '007', '78119.51', '-0.10', '1E3']
    const rows = numbers.map((text, index) => `${index},${text},+${index}\n`)
    const none = ['.', '+', '', '1,5', '1e', '0x1', '--1', 'e5', '1 '].map(
      (text) => `x,"${text}",1\n`,
    )
    const text = `id,r,balance\n${rows.join('')}${none.join('')}`
    const { output } = await run('a.csv', text, '--max-errors', '9')
    assert.match(output, /^8 rows written, 9 refused/)
    assert.deepEqual(
      (await server.rows('SCAN r, balance FROM account')).map(({ r, balance }) => [r, balance]),
      [0.5, 5, 5, -5, 7, 78119.51, -0.1, 1000].map((r, index) => [r, index]),
    )
  })

  test('that breaks off says how much is written, and where that was', async (t) => {
    const { run, folder, server } = await bank(t)
    const lines = Array.from({ length: 600 }, (_, id) => `${id},ä\r\n`)
    const head = '\ufeffid,note\r\n'
    const before = Buffer.byteLength(head + lines.slice(0, 599).join(''))
    const flags = ['--batch', '10', '--parallel', '1', '--json']
    const told = async (name: string, text: Buffer, rows: number, ...more: readonly string[]) => {
      const { code, output, errors } = await run(name, text, ...flags, ...more)
      const { written, failed } = JSON.parse(output)
      const counted = await server.rows('SCAN COUNT(*) AS n FROM account USE PRIMARY KEY')
      assert.deepEqual([code, written, counted], [1, rows, [{ n: rows }]], errors)
      const place = `${join(folder, name)}, line ${failed.line}, byte ${failed.byte}`
      assert.ok(errors.includes(`percolite: broke off at ${place}.\n`), errors)
      await server.query("DELETE FROM account WHERE id >= '' LIMIT 10000")
      return failed
    }
    const quoted = Buffer.from(`${head}${lines.slice(0, 599).join('')}x,"a"b\n${lines[599]}`)
    const misquoted = await told('a.csv', quoted, 599)
    assert.deepEqual([misquoted.line, misquoted.byte], [601, before + 1])
    const at = before - 4
    quoted[at + 1] = 0xff
    const latin = await told('b.csv', quoted, 598)
    assert.deepEqual(
      [latin.line, latin.byte, latin.detail],
      [600, at, `The file is not UTF-8, from its byte ${at} on.`],
    )
    const wrong = `${head}${lines.slice(0, 30).join('')}`
    const header = await told('c.csv', Buffer.from(wrong.replace('note', 'nope')), 0)
    assert.deepEqual([header.line, header.byte], [1, 0])
  })

  test('of a compressed file that is cut off or damaged says the first row that is not written', async (t) => {
    const { run, folder, server } = await bank(t)
    // Long and random, so that there is more of it than a decompressor holds.
    const rows = Array.from({ length: 2_000 }, (_, id) => ({
      id: String(id),
      note: randomBytes(400).toString('base64'),
    }))
    const texts = {
      'a.ndjson.gz': ['', ...rows.map((row) => `${JSON.stringify(row)}\n`)],
      'b.csv.gz': ['id,note\n', ...rows.map(({ id, note }) => `${id},"${note}\n"\n`)],
    }
    for (const [name, lines] of Object.entries(texts)) {
      const whole = gzipSync(lines.join(''))
      const damaged = Buffer.from(whole)
      // Its check of what came out.
      damaged.writeUInt32LE(1, whole.length - 8)
      for (const zipped of [whole.subarray(0, whole.length - 40_000), damaged]) {
        const { code, output, errors } = await run(name, zipped, '--json', '--batch', '7')
        const { written, failed } = JSON.parse(output)
        const counted = await server.rows('SCAN COUNT(*) AS n FROM account USE PRIMARY KEY')
        assert.deepEqual([code, counted], [1, [{ n: written }]], errors)
        assert.ok(written > 1_000 && written <= 2_000, `${written} rows`)
        const before = lines.slice(0, written + 1).join('')
        const place = { line: before.split('\n').length, byte: before.length }
        assert.deepEqual({ line: failed.line, byte: failed.byte }, place, errors)
        assert.match(failed.detail, /^The compressed file is cut off or damaged: /)
        const file = join(folder, name)
        assert.ok(errors.includes(`broke off at ${file}, line ${place.line}, byte ${place.byte}.`))
        await server.query("DELETE FROM account WHERE id >= '' LIMIT 10000")
      }
    }
  })

  test('names the other delimiter of a header that is one field', async (t) => {
    const { run } = await bank(t)
    for (const [mark, shown] of [
      [';', ';'],
      ['\t', '\\t'],
      ['|', '|'],
    ] as const) {
      const text = `id${mark}balance\nann${mark}1\n`
      const { code, errors } = await run('a.csv', text)
      assert.deepEqual([code, errors.includes(`--delimiter '${shown}'?`)], [1, true], errors)
      assert.equal((await run('a.csv', text, '--delimiter', shown, '--mode', 'put')).code, 0)
    }
  })

  test('takes another delimiter and another word for NULL, and compressed files', async (t) => {
    const { run, all } = await bank(t)
    const text = gzipSync('id\tbalance\tnote\nann\t1\t-\nbob\t2\t"-"\neve\t3\t\n')
    const { code, errors } = await run('a.csv.gz', text, '--delimiter', '\\t', '--null', '-')
    assert.equal(code, 0, errors)
    assert.deepEqual(
      (await all()).map(({ note }) => note),
      [null, '-', ''],
    )
  })

  test('ends at a header of other columns, a quote out of place, and what is no UTF-8', async (t) => {
    const { run, all } = await bank(t)
    for (const [text, said] of [
      ['id,blance\nann,1\n', /no column "blance".*id, balance, r/],
      ['id,id\nann,1\n', /names the column "id" twice/],
      ['id,balance\nann,1\n"b"ob,1\nc,1\n', /not CSV.*line 3/],
      ['id,balance\nann,"1\nbob,1\n', /not CSV/],
      [Buffer.from('id,note\nann,\xff\n', 'latin1'), /not UTF-8/],
    ] as const) {
      const { code, errors } = await run('a.csv', text)
      assert.deepEqual([code, said.test(errors)], [1, true], errors)
    }
    const { code } = await run('a.ndjson.gz', 'no gzip')
    assert.equal(code, 1)
    assert.ok((await all()).length <= 1)
  })

  test('ends behind more refused rows than may be, and says which', async (t) => {
    const { run, all } = await bank(t)
    const line = (id: number) => `{"id":"${String(id).padStart(3, '0')}"}`
    const lines = Array.from({ length: 100 }, (_, id) => line(id))
    lines[5] = '{"id":1}'
    const { code, errors } = await run(
      'a.ndjson',
      lines.join('\n'),
      '--parallel',
      '1',
      '--batch',
      '10',
    )
    assert.equal(code, 1)
    assert.match(errors, /^line 6: type_mismatch: .*\n.*more than 0 rows were refused/)
    assert.ok((await all()).length <= 20)
  })

  test('refuses, replaces or leaves the rows that are there', async (t) => {
    const { run, all } = await bank(t)
    const rows = '{"id":"ann","note":"x"}\n{"id":"bob","note":"x"}\n'
    assert.equal((await run('a.ndjson', '{"id":"ann","note":"old"}')).code, 0)
    assert.match(
      (await run('b.ndjson', rows, '--max-errors', '1')).output,
      /^1 rows written, 1 refused/,
    )
    const notes = async () => (await all()).map(({ note }) => note)
    assert.match((await run('c.ndjson', rows, '--mode', 'skip')).output, /^0 rows written, 2 left/)
    assert.deepEqual(await notes(), ['old', 'x'])
    for (const _ of [1, 2]) {
      const { output } = await run('c.ndjson', rows, '--mode', 'put')
      assert.match(output, /^2 rows written, [\d.]+ s/)
    }
    assert.deepEqual(await notes(), ['x', 'x'])
  })

  test('says of the same file again that an earlier run has written its rows', async (t) => {
    const { server, run } = await bank(t)
    const rows = '{"id":"ann"}\n{"id":"bob"}\n'
    assert.equal((await run('a.ndjson', rows)).code, 0)
    const { output } = await run('renamed.ndjson', rows, '--json')
    const { written, replayed } = JSON.parse(output)
    assert.deepEqual([written, replayed], [0, 2])
    await server.query('CREATE TABLE other (id TEXT PRIMARY KEY)')
    assert.match((await run('a.ndjson', rows, '--table', 'other')).errors, /the one table/)
  })

  test('reads standard input', async (t) => {
    const { url, all } = await bank(t)
    const input = Readable.from([Buffer.from('{"id":"an'), Buffer.from('n"}\n{"id":"bob"}')])
    const { code } = await percolite(['import', url, '-', '--table', 'account'], {}, input)
    assert.deepEqual([code, (await all()).length], [0, 2])
  })

  test('ends with 2 for a wrong call', async (t) => {
    const { url, run, folder } = await bank(t)
    for (const flags of [
      ['--mode', 'merge'],
      ['--batch', '10001'],
      ['--parallel', '65'],
      ['--max-errors', '-1'],
      ['--delimiter', '--'],
      ['--delimiter', '"'],
      ['--errors', join(folder, 'no', 'file')],
    ]) {
      assert.equal((await run('a.ndjson', '{}', ...flags)).code, 2, `${flags}`)
    }
    for (const args of [[url], [url, 'nowhere'], [url, join(folder, 'a.ndjson')], [url, folder]]) {
      assert.equal((await percolite(['import', ...args])).code, 2, `${args}`)
    }
    assert.equal((await run('a.ndjson', '{}', '--table', 'other')).code, 2)
  })

  test('ends with 3 without a connection, and with 1 without its table', async (t) => {
    const { url, folder } = await bank(t)
    const file = join(folder, 'a.ndjson')
    await writeFile(file, '{"id":"ann"}')
    assert.equal((await percolite(['import', url, file, '--table', 'nope'])).code, 1)
    const nobody = createServer()
    await new Promise<void>((resolve) => nobody.listen(0, '127.0.0.1', resolve))
    const { port } = nobody.address() as { port: number }
    await new Promise((resolve) => nobody.close(resolve))
    const away = `http://127.0.0.1:${port}`
    assert.equal((await percolite(['import', away, file, '--table', 'account'])).code, 3)
  })
})
